// Each rule of the verdict on either side of its threshold.
#include "measure/findings.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

namespace thrum {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Nanos ms(std::int64_t n) { return Nanos(n * 1'000'000); }

// A run of which there is nothing to say.
RunFacts calm() {
  RunFacts f;
  f.requests = f.succeeded = 10'000;
  f.p50 = ms(10);
  f.p99 = ms(20);
  f.service_p95 = ms(15);
  f.concurrency = 10;
  f.connections_opened = 10;
  return f;
}

RunFacts failing(std::uint64_t failed, std::uint16_t status = 503) {
  RunFacts f = calm();
  f.succeeded = f.requests - failed;
  f.http_errors = failed;
  f.causes = {{"503 Service Unavailable", status, failed, ""}};
  return f;
}

const RunFinding* find(const Verdict& v, std::string_view code) {
  const auto found = std::ranges::find(v.findings, code, &RunFinding::code);
  return found == v.findings.end() ? nullptr : &*found;
}

std::vector<RunPoint> points(const std::vector<double>& rates, const std::vector<int>& medians = {}) {
  std::vector<RunPoint> all;
  for (std::size_t i = 0; i < rates.size(); ++i)
    all.push_back({static_cast<std::int64_t>(i), rates[i], 0, static_cast<std::uint64_t>(rates[i]), ms(medians.empty() ? 10 : medians[i]),
                   ms(0), ms(0)});
  return all;
}

struct Case {
  const char* code;
  Level level;
  RunFacts past, below;  // its threshold
  const char* says;
};

template <class Change>
RunFacts with(Change change, RunFacts f = calm()) {
  change(f);
  return f;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* code, Level level, RunFacts past, RunFacts below, const char* says) {
    all.push_back({code, level, std::move(past), std::move(below), says});
  };
  using F = RunFacts;
  add("nothing_completed", Level::failing, with([](F& f) { f.requests = f.succeeded = 0; }), calm(), "no request completed");
  add("all_failed", Level::failing, failing(10'000), failing(9'999), "all 10000 requests failed");
  add("none_failed", Level::healthy, calm(), failing(1), "no request failed");
  add("two_latency_groups", Level::degraded, with([](F& f) { f.groups = TwoGroups{ms(1), ms(100), 0.3}; }), calm(),
      "30 % of requests around 100ms");
  add("long_tail", Level::degraded, with([](F& f) { f.p99 = ms(100); }), with([](F& f) { f.p99 = ms(49); }), "p99 is 10 times");
  add("tight_latency", Level::healthy, with([](F& f) { f.p99 = ms(49); }), with([](F& f) { f.p99 = ms(50); }), "4.9 times");
  add("fell_behind", Level::degraded, with([](F& f) {
        f.asked_rate = f.achieved_rate = 200;
        f.fell_behind = FellBehind{ms(100), ms(600)};
        f.limit = "the target: it answered 160.00 of the 200.00 requests sent per second";
      }),
      with([](F& f) { f.asked_rate = f.achieved_rate = 200; }),
      "grew from 100ms in the first quarter of the sending to 600ms in the last; the limit was the target: it answered 160.00 of the "
      "200.00");
  add("server_time", Level::healthy, with([](F& f) { f.server_times = ServerTimes{ms(5), "db"}; }), calm(),
      "50 % of the median, most of it in db");
  add("throughput_fell", Level::degraded, with([](F& f) { f.points = points({1, 100, 90, 75, 1}); }),
      with([](F& f) { f.points = points({1, 100, 90, 76, 1}); }), "fell by 25 %, from 100/s to 75/s");
  add("throughput_rose", Level::healthy, with([](F& f) { f.points = points({1, 100, 110, 125, 1}); }),
      with([](F& f) { f.points = points({1, 100, 110, 124, 1}); }), "rose by 25 %");
  add("throughput_swung", Level::healthy, with([](F& f) { f.points = points({1, 100, 45, 100, 1}); }),
      with([](F& f) { f.points = points({1, 100, 55, 100, 1}); }), "between 45/s and 100/s");
  add("throughput_steady", Level::healthy, with([](F& f) { f.points = points({1, 100, 55, 100, 1}); }),
      with([](F& f) { f.points = points({1, 100, 55, 1}); }), "steady at 85/s ± 25 %");
  add("latency_multiplied", Level::degraded, with([](F& f) { f.points = points({9, 9, 9, 9, 9}, {1, 10, 15, 20, 1}); }),
      with([](F& f) { f.points = points({9, 9, 9, 9, 9}, {1, 10, 15, 19, 1}); }), "2-fold");
  add("latency_grew", Level::healthy, with([](F& f) { f.points = points({9, 9, 9, 9, 9}, {1, 20, 22, 25, 1}); }),
      with([](F& f) { f.points = points({9, 9, 9, 9, 9}, {1, 20, 22, 24, 1}); }), "grew by 25 %");
  add("stopped_early", Level::healthy, with([](F& f) { f.is_interrupted = true; }), calm(), "stopped before its end");
  add("connecting_dominates", Level::healthy, with([](F& f) { f.keeps_alive = false, f.connect_median = Nanos(2'500'000); }),
      with([](F& f) { f.keeps_alive = false, f.connect_median = Nanos(2'490'000); }), "25 % of the median");
  add("keepalive_not_holding", Level::degraded, with([](F& f) { f.connections_opened = 30; }),
      with([](F& f) { f.connections_opened = 29; }), "30 connections were opened for 10 requests in flight");
  add("slow_dns", Level::degraded, with([](F& f) { f.dns_mean = ms(50); }), with([](F& f) { f.dns_mean = ms(50) - Nanos(1); }),
      "50ms on average");
  add("download_dominates", Level::healthy, with([](F& f) { f.download_median = Nanos(2'500'000), f.body_mean = 32 * 1024; }),
      with([](F& f) { f.download_median = Nanos(2'500'000), f.body_mean = 32 * 1024 - 1; }), "32 KiB");
  add("cached", Level::healthy, with([](F& f) { f.cache_hits = 5'000; }), with([](F& f) { f.cache_hits = 4'999; }), "50 % of answers");
  add("anomaly_latency", Level::degraded, with([](F& f) { f.anomalies = {{12, Anomaly::Kind::latency, "latency leapt"}}; }), calm(),
      "leapt");
  add("anomaly_throughput", Level::degraded, with([](F& f) { f.anomalies = {{12, Anomaly::Kind::throughput, "fell"}}; }), calm(), "fell");
  add("anomaly_errors", Level::degraded, with([](F& f) { f.anomalies = {{12, Anomaly::Kind::errors, "appeared"}}; }), calm(), "appeared");
  add("generator_busy", Level::healthy, with([](F& f) { f.peak_busy = 0.9; }), with([](F& f) { f.peak_busy = 0.899; }), "try -threads=2");
  add("rate_not_carried", Level::degraded, with([](F& f) { f.asked_rate = 1000, f.achieved_rate = 979; }),
      with([](F& f) { f.asked_rate = 1000, f.achieved_rate = 981; }), "1000/s were asked for, 979/s sent; -c=18 would");
  add("queued_before_sending", Level::degraded, with([](F& f) { f.asked_rate = f.achieved_rate = 100, f.lag_p99 = ms(2); }),
      with([](F& f) { f.asked_rate = f.achieved_rate = 100, f.lag_p99 = Nanos(1'990'000); }), "queued 2ms at p99");
  return all;
}

TEST(Findings, AreThereJustPastTheirThresholdAndNotJustBelow) {
  std::set<std::string_view> seen;
  for (const Case& c : cases()) {
    const Verdict past = judge(c.past), below = judge(c.below);
    const RunFinding* const found = find(past, c.code);
    ASSERT_NE(found, nullptr) << c.code;
    EXPECT_EQ(found->level, c.level) << c.code;
    EXPECT_THAT(found->text, HasSubstr(c.says)) << c.code;
    EXPECT_EQ(find(below, c.code), nullptr) << c.code;
    for (const RunFinding& f : past.findings) seen.insert(f.code);
  }
  // What has its own tests below.
  for (const char* code : {"some_failed", "cause"}) seen.insert(code);
  EXPECT_EQ(seen.size(), cases().size() + 2);
}

TEST(Findings, TheWorstIsTheVerdict) {
  EXPECT_EQ(judge(calm()).level, Level::healthy);
  EXPECT_EQ(judge(with([](RunFacts& f) { f.dns_mean = ms(60); })).level, Level::degraded);
  EXPECT_EQ(judge(with([](RunFacts& f) { f.dns_mean = ms(60); }, failing(5'000))).level, Level::failing);
}

TEST(Findings, FailuresByTheirShare) {
  const auto level_of = [](std::uint64_t failed) { return find(judge(failing(failed)), "some_failed")->level; };
  EXPECT_EQ(level_of(49), Level::healthy);
  EXPECT_EQ(level_of(50), Level::degraded);
  EXPECT_EQ(level_of(499), Level::degraded);
  EXPECT_EQ(level_of(500), Level::failing);
  EXPECT_EQ(find(judge(failing(49)), "some_failed")->text, "0.49 % of requests failed, most often by status 503");
  EXPECT_THAT(
      find(judge(with([](RunFacts& f) { f.http_errors = 100, f.timeouts = 200, f.connection_errors = 100; }, failing(400))), "some_failed")
          ->text,
      HasSubstr("most often by timeouts"));
  EXPECT_THAT(
      find(judge(with([](RunFacts& f) { f.http_errors = 100, f.timeouts = 100, f.connection_errors = 200; }, failing(400))), "some_failed")
          ->text,
      HasSubstr("most often by errors without a response"));
}

TEST(Findings, TheTwoMostFrequentCausesWithABody) {
  RunFacts f = failing(300);
  f.causes = {
      {"503 Service Unavailable", 503, 200, "overloaded\x1b[31m " + std::string(100, 'x')}, {"timeout: x", 0, 60}, {"third", 0, 40}};
  std::vector<std::string> causes;
  for (const RunFinding& each : judge(f).findings)
    if (each.code == "cause") causes.push_back(each.text);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_THAT(causes[0], testing::StartsWith("503 Service Unavailable × 200: overloaded\\x1b[31m xxx"));
  EXPECT_LT(causes[0].size(), 120u);
  EXPECT_EQ(causes[1], "timeout: x × 60");
}

TEST(Findings, ALongTailIsANoteBeforeItIsWorse) {
  const auto tail = [](std::int64_t p99) { return *find(judge(with([&](RunFacts& f) { f.p99 = ms(p99); })), "long_tail"); };
  EXPECT_EQ(tail(50).level, Level::healthy);
  EXPECT_EQ(tail(99).level, Level::healthy);
  EXPECT_EQ(tail(100).level, Level::degraded);
}

TEST(Findings, TrendsLeaveOutWhatIsNotWhole) {
  // Empty ends, the first and the last point say nothing; fewer than three that are left neither.
  EXPECT_EQ(find(judge(with([](RunFacts& f) { f.points = points({1, 100, 100, 100, 1, 0, 0}); })), "throughput_steady")->text,
            "throughput was steady at 100/s ± 0 %");
  EXPECT_EQ(find(judge(with([](RunFacts& f) { f.points = points({1, 100, 50, 1, 0, 0}); })), "throughput_fell"), nullptr);
}

TEST(Findings, MissedRequestsAreARateNotCarried) {
  RunFacts f = calm();
  f.asked_rate = f.achieved_rate = 1000;
  f.missed = 1;
  f.concurrency = 0;
  f.limit = "-max-workers (3)";
  EXPECT_THAT(find(judge(f), "rate_not_carried")->text, HasSubstr("1 missed; the limit was -max-workers (3)"));
  f.asked_rate = 0;  // a closed loop asks for nothing
  EXPECT_EQ(find(judge(f), "rate_not_carried"), nullptr);
}

TEST(Findings, PhasesAreOfRunsThatSucceeded) {
  RunFacts f = failing(10'000);
  f.dns_mean = ms(100);
  f.connections_opened = 1000;
  EXPECT_EQ(find(judge(f), "slow_dns"), nullptr);
  EXPECT_EQ(find(judge(f), "keepalive_not_holding"), nullptr);
}

TEST(Findings, ConcurrencyThatWouldCarryARate) {
  EXPECT_EQ(concurrency_for(1000, ms(100), 50), 120u);
  EXPECT_EQ(concurrency_for(1000, ms(1), 50), 51u);
  EXPECT_EQ(percent_text(0.00491), "0.49 %");
  EXPECT_EQ(percent_text(0.0), "0 %");
  EXPECT_EQ(percent_text(0.056), "6 %");
}

TEST(TwoLatencyGroups, NeedTwoPeaksFarApart) {
  const auto histogram = [](std::initializer_list<std::pair<std::int64_t, int>> parts) {
    Histogram h;
    for (const auto& [microseconds, count] : parts)
      for (int i = 0; i < count; ++i) h.record(Nanos(microseconds * 1000 + i));
    return h;
  };
  const auto found = two_groups(histogram({{1000, 70}, {10'000, 30}}));
  ASSERT_TRUE(found);
  EXPECT_NEAR(static_cast<double>(found->lower.count()), 1e6, 1e5);
  EXPECT_NEAR(static_cast<double>(found->upper.count()), 1e7, 1e6);
  EXPECT_DOUBLE_EQ(found->upper_share, 0.3);
  EXPECT_FALSE(two_groups(histogram({{1000, 69}, {10'000, 30}})));   // too few
  EXPECT_FALSE(two_groups(histogram({{1000, 70}, {2500, 30}})));     // too near
  EXPECT_TRUE(two_groups(histogram({{1000, 70}, {3300, 30}})));      //
  EXPECT_FALSE(two_groups(histogram({{1000, 990}, {10'000, 10}})));  // too small
  EXPECT_TRUE(two_groups(histogram({{1000, 970}, {10'000, 30}})));   //
  Histogram even;                                                    // no valley
  for (double us = 1000; us < 4500; us *= 1.08)
    for (int i = 0; i < (us == 1000 || us > 4000 ? 30 : 20); ++i) even.record(Nanos(static_cast<std::int64_t>(us * 1000)));
  EXPECT_FALSE(two_groups(even));
}

}  // namespace
}  // namespace thrum
