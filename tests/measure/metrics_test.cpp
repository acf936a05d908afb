#include "thrum/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace thrum {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr Timestamp kStart{1'700'000'000, 0, 0};
constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000'000'000;

Result result(std::int64_t at, std::int64_t latency, std::uint16_t code = 200, std::string_view error = {}) {
  Result r;
  r.timestamp = kStart.plus(Nanos(at));
  r.latency = Nanos(latency);
  r.code = code;
  r.error = error;
  r.outcome = code >= 200 && code < 400 ? Outcome::ok : code == 0 ? Outcome::connect : Outcome::bad_status;
  return r;
}

Metrics of(const std::vector<Result>& results, MetricsOptions options = {}) {
  Metrics m(options);
  m.add(results);
  m.close();
  return m;
}

TEST(Metrics, AnErrorOfOursSaysHowItEndedWhereTheFileDoesNot) {
  std::vector<Result> results{result(0, kMs, 0, "connect: connection refused"),
                              result(0, kMs, 0, "timeout: no response headers within 30s"),
                              result(0, kMs, 0, "dial tcp: connection refused")};
  for (Result& r : results) r.outcome = Outcome::unknown;
  const Metrics m = of(results);
  EXPECT_EQ(m.ended_as(Outcome::connect), 1u);
  EXPECT_EQ(m.ended_as(Outcome::timeout), 1u);
  EXPECT_EQ(m.ended_as(Outcome::unknown), 1u);
}

// Phases are of the hits that went through them: a reused connection's are no zeros in the mean.
TEST(Metrics, PhasesAreOfTheHitsThatWentThroughThem) {
  std::vector<Result> results{result(0, 9 * kMs), result(kMs, 4 * kMs), result(2 * kMs, kMs, 0, "timeout: x")};
  results[0].dns = Nanos(kMs);
  results[0].connect = Nanos(2 * kMs);
  results[0].redirecting = Nanos(4 * kMs);
  results[0].first_byte = Nanos(7 * kMs);
  results[1].first_byte = Nanos(kMs);
  const Metrics one = of(results);
  Metrics merged;
  merged.merge(of({results[0]}));
  merged.merge(of({results[1], results[2]}));
  for (const Metrics* m : {&one, &std::as_const(merged)}) {
    const Metrics::Phases& p = m->phases();
    EXPECT_EQ(p.dns.count(), 1u);
    EXPECT_EQ(p.dns.mean().count(), kMs);
    EXPECT_EQ(p.connect.mean().count(), 2 * kMs);
    EXPECT_EQ(p.tls.count(), 0u);
    EXPECT_EQ(p.redirecting.max().count(), 4 * kMs);
    EXPECT_EQ(p.first_byte.count(), 2u);
    EXPECT_EQ(p.first_byte.mean().count(), 4 * kMs);
    EXPECT_EQ(p.transfer.min().count(), 2 * kMs);
    EXPECT_EQ(p.transfer.max().count(), 3 * kMs);
  }
}

TEST(Metrics, FormulasOfASmallRun) {
  const Metrics m = of({result(0, kMs, 500, "500 Internal Server Error"), result(kSecond, kMs), result(2 * kSecond, kMs)});
  const Figures& f = m.figures();
  EXPECT_EQ(f.requests, 3u);
  EXPECT_EQ(f.duration.count(), 2 * kSecond);
  EXPECT_EQ(f.wait.count(), kMs);
  EXPECT_DOUBLE_EQ(f.rate, 1.5);
  EXPECT_DOUBLE_EQ(f.throughput, 2 / 2.001);
  EXPECT_DOUBLE_EQ(f.success, 2.0 / 3);
  EXPECT_THAT(f.status_codes, ElementsAre(Pair(200, 2), Pair(500, 1)));
  EXPECT_THAT(f.errors, ElementsAre("500 Internal Server Error"));
}

TEST(Metrics, NothingAddedIsAllZero) {
  Metrics m;
  const Figures& f = m.close();
  EXPECT_EQ(f.requests, 0u);
  EXPECT_EQ(f.rate, 0);
  EXPECT_EQ(f.success, 0);
  EXPECT_EQ(f.bytes_in.mean, 0);
  EXPECT_EQ(m.quantile(0.99).count(), 0);
}

TEST(Metrics, OneResultHasVegetasRate) {
  const Figures f = of({result(0, 2 * kSecond)}).figures();
  EXPECT_EQ(f.rate, 1);
  EXPECT_EQ(f.throughput, 1);
  EXPECT_EQ(f.duration.count(), 0);
  EXPECT_EQ(f.wait.count(), 2 * kSecond);
}

TEST(Metrics, AZeroLatencyIsForgottenAsTheSmallest) {
  EXPECT_EQ(of({result(0, 0), result(1, 5)}).figures().latencies.min.count(), 5);
  EXPECT_EQ(of({result(0, 5), result(1, 0)}).figures().latencies.min.count(), 0);
  EXPECT_EQ(of({result(0, 5), result(1, 0), result(2, 9), result(3, 7)}).figures().latencies.min.count(), 7);
  EXPECT_EQ(of({result(0, -5), result(1, 0), result(2, 9)}).figures().latencies.min.count(), -5);
}

TEST(Metrics, TheLargestIsNeverBelowZero) { EXPECT_EQ(of({result(0, -5)}).figures().latencies.max.count(), 0); }

TEST(Metrics, OrderOfStatusCodesIsThatOfText) {
  const Metrics m = of({result(0, 1, 1000), result(0, 1, 65535), result(0, 1, 99), result(0, 1, 0), result(0, 1, 7), result(0, 1, 200)});
  EXPECT_THAT(m.figures().status_codes, ElementsAre(Pair(0, 1), Pair(1000, 1), Pair(200, 1), Pair(65535, 1), Pair(7, 1), Pair(99, 1)));
}

TEST(Metrics, CountsPerCodeSumToTheTotal) {
  std::vector<Result> results;
  for (int i = 0; i < 500; ++i) results.push_back(result(i, 1, std::array<std::uint16_t, 5>{200, 201, 204, 404, 503}[i % 5]));
  const Metrics m = of(results);
  EXPECT_EQ(m.figures().status_codes.size(), 5u);
  for (const auto& [code, count] : m.figures().status_codes) EXPECT_EQ(count, 100u) << code;
  EXPECT_EQ(m.succeeded(), 300u);
  EXPECT_EQ(m.failed(), 200u);
  EXPECT_EQ(m.answered(), 500u);
}

TEST(Metrics, SuccessIsByCodeUnlessTheHitFailedOtherwise) {
  Result met = result(0, 1), unmet = result(0, 1), foreign = result(0, 1, 200, "odd");
  unmet.outcome = Outcome::expectation;
  foreign.outcome = Outcome::unknown;
  EXPECT_EQ(of({met, unmet, foreign}).succeeded(), 2u);
  EXPECT_EQ(of({result(0, 1, 302), result(0, 1, 204)}, {*StatusSet::parse("2xx")}).succeeded(), 1u);
}

TEST(StatusSet, Texts) {
  for (const char* text : {"200-399", "2xx,3xx", "200-299, 300-399", "2XX,300-399"})
    EXPECT_EQ(*StatusSet::parse(text), StatusSet()) << text;
  EXPECT_TRUE(StatusSet::parse("404")->has(404));
  EXPECT_FALSE(StatusSet::parse("404")->has(200));
  EXPECT_FALSE(StatusSet().has(65535));
  for (const char* text : {"", "2x", "xxx", "20", "2000", "300-200", "200-", "-200", "200,,201", "200;201", "２xx", "0xx"})
    EXPECT_FALSE(StatusSet::parse(text)) << text;
}

TEST(Metrics, TotalsWrapAsVegetasDo) {
  std::vector<Result> results;
  for (int i = 0; i < 3; ++i) {
    results.push_back(result(i * kSecond, std::int64_t{1} << 62));
    results.back().bytes_in = ~std::uint64_t{0};
  }
  const Figures f = of(results).figures();
  EXPECT_EQ(f.latencies.total.count(), -(std::int64_t{1} << 62));
  EXPECT_EQ(f.latencies.mean.count(), -1537228672809129216);
  EXPECT_EQ(f.bytes_in.total, ~std::uint64_t{0} - 2);
}

TEST(Metrics, ResponseLatencyAndLagOnlyOfResultsThatKnowThem) {
  Result known = result(0, 100), huge = result(0, INT64_MAX);
  known.lag = Nanos(30);
  huge.lag = Nanos(5);
  const Metrics m = of({known, result(1, 100), huge});
  EXPECT_EQ(m.lags().count(), 2u);
  EXPECT_EQ(m.response_latencies().min().count(), 130);
  EXPECT_EQ(m.response_latencies().max().count(), INT64_MAX);
}

TEST(Metrics, FailuresAndSuccessesAreApart) {
  std::vector<Result> results;
  for (int i = 0; i < 50; ++i) {
    results.push_back(result(i, 2 * kMs));
    results.push_back(result(i, kSecond, 0, "timeout"));
    results.back().outcome = Outcome::timeout;
  }
  const Metrics m = of(results);
  EXPECT_EQ(m.success_latencies().max().count(), 2 * kMs);
  EXPECT_EQ(m.failure_latencies().min().count(), kSecond);
  EXPECT_EQ(m.figures().latencies.p99.count(), kSecond);
  EXPECT_EQ(m.ended_as(Outcome::timeout), 50u);
  EXPECT_EQ(m.answered(), 50u);
}

TEST(Metrics, MergingTakesPercentilesOfAllAndNotTheirMean) {
  std::vector<Result> quick, slow;
  for (int i = 0; i < 1000; ++i) quick.push_back(result(i, kMs));
  for (int i = 0; i < 10; ++i) slow.push_back(result(i, kSecond));
  Metrics m = of(quick);
  m.merge(of(slow));
  EXPECT_EQ(m.close().latencies.p50.count(), kMs);
  EXPECT_EQ(m.figures().requests, 1010u);
}

TEST(Metrics, KindsOfErrorAreInTheOrderOfReadingInTurn) {
  Metrics a = of({result(0, 1, 0, "a0"), result(0, 1, 0, "both"), result(0, 1, 0, "a2")});
  const Metrics b = of({result(0, 1, 0, "both"), result(0, 1), result(0, 1, 0, "b2"), result(0, 1, 0, "b3")});
  a.merge(b);
  EXPECT_THAT(a.close().errors, ElementsAre("a0", "both", "a2", "b2", "b3"));
  EXPECT_EQ(a.errors()[1].count, 2u);
}

TEST(Metrics, KindsOfErrorAreBounded) {
  Metrics m;
  std::vector<std::string> texts;
  for (int i = 0; i < 12'000; ++i) texts.push_back("error " + std::to_string(i));
  for (const std::string& text : texts) m.add(std::vector{result(0, 1, 0, text)});
  EXPECT_EQ(m.errors().size(), 10'000u);
  EXPECT_EQ(m.other_errors(), 2'000u);
  Metrics twice = m;
  twice.merge(m);
  EXPECT_EQ(twice.errors().size(), 10'000u);
  EXPECT_EQ(twice.errors()[0].count, 2u);
  EXPECT_EQ(twice.other_errors(), 4'000u);
  Metrics large;
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) {
    const std::string text = megabyte + std::to_string(i);
    large.add(std::vector{result(0, 1, 0, text)});
  }
  EXPECT_EQ(large.errors().size(), 3u);
  EXPECT_EQ(large.other_errors(), 5u);
}

// One set of random results, added whole and in two parts.
TEST(Metrics, MergingEqualsAddingEverything) {
  std::mt19937_64 random(9);
  for (const int n : {3, 100, 9000}) {
    Metrics a, b, all;
    for (int i = 0; i < n; ++i) {
      static constexpr std::array<std::uint16_t, 6> kCodes{200, 204, 301, 404, 503, 0};
      Result r = result(i * kMs, 1 + static_cast<std::int64_t>(random() % 100'000'000), kCodes[random() % 6]);
      r.lag = Nanos(static_cast<std::int64_t>(random() % 1000));
      r.bytes_in = random() % 5000;
      r.retries = random() % 50 == 0;
      r.redirects = static_cast<std::uint16_t>(random() % 3);
      const std::vector<Result> one{r};
      (random() % 2 == 0 ? a : b).add(one);
      all.add(one);
    }
    a.merge(b);
    const Figures& x = a.close();
    const Figures& y = all.close();
    EXPECT_EQ(x.requests, y.requests);
    EXPECT_EQ(x.latencies.total, y.latencies.total);
    EXPECT_EQ(x.latencies.mean, y.latencies.mean);
    EXPECT_EQ(x.latencies.min, y.latencies.min);
    EXPECT_EQ(x.latencies.max, y.latencies.max);
    EXPECT_EQ(x.latencies.p99, y.latencies.p99);
    EXPECT_EQ(x.bytes_in.total, y.bytes_in.total);
    EXPECT_EQ(x.status_codes, y.status_codes);
    EXPECT_DOUBLE_EQ(x.rate, y.rate);
    EXPECT_DOUBLE_EQ(x.throughput, y.throughput);
    EXPECT_TRUE(x.earliest.same_instant(y.earliest));
    EXPECT_TRUE(x.end.same_instant(y.end));
    EXPECT_EQ(a.retries(), all.retries());
    EXPECT_EQ(a.redirects(), all.redirects());
    EXPECT_EQ(a.redirected(), all.redirected());
    EXPECT_EQ(a.response_latencies().quantile(0.9), all.response_latencies().quantile(0.9));
    EXPECT_EQ(a.lags().max(), all.lags().max());
  }
}

// A server of 160 answers a second that gets 200, for ten seconds; then one that keeps up.
TEST(Metrics, GrowthTellsAServerThatFallsBehind) {
  Metrics behind, steady;
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t at = i * 5 * kMs, done = 25 * kMs + i * (kSecond / 160);
    behind.add(std::vector{result(at, done - at)});
    steady.add(std::vector{result(at, 25 * kMs + i % 7 * kMs)});
  }
  EXPECT_NEAR(behind.growth().slope, 0.25, 0.01);
  EXPECT_GT(behind.growth().late, 6 * behind.growth().early);
  EXPECT_NEAR(steady.growth().slope, 0, 0.001);
  EXPECT_EQ(of({result(0, 1), result(kSecond, 5 * kSecond)}).growth().slope, 0);
}

}  // namespace
}  // namespace thrum
