// What a run gathers: seconds and minutes, causes of failures, the slowest, all of it in any number of parts.
#include "measure/run_tally.hpp"

#include <gmock/gmock.h>

#include <string>

#include "measure/anomaly_watch.hpp"

namespace thrum {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Timestamp kStart{1'700'000'000, 250'000'000, 0};
constexpr Nanos ms(std::int64_t n) { return Nanos(n * 1'000'000); }

Result result(Nanos sent, Nanos latency, std::uint16_t code = 200, std::string_view error = {}) {
  Result r;
  r.timestamp = kStart.plus(sent);
  r.latency = latency;
  r.code = code;
  r.error = error;
  r.outcome = code == 0 ? Outcome::timeout : code < 400 ? Outcome::ok : Outcome::bad_status;
  return r;
}

RunTally tally() {
  RunTally t({*StatusSet::parse("2xx"), LatencyClock::response});
  t.begin(kStart);
  return t;
}

TEST(RunTally, CountsByKind) {
  RunTally t = tally();
  t.add(std::vector{result(ms(0), ms(5)), result(ms(10), ms(5), 304), result(ms(20), ms(5), 503, "503 Service Unavailable"),
                    result(ms(30), ms(5), 0, "timeout: no response headers within 1s")});
  Result refused = result(ms(40), ms(1), 0, "connect: connection refused");
  refused.outcome = Outcome::connect;
  t.add({&refused, 1});
  EXPECT_EQ(t.metrics().succeeded(), 1u);
  EXPECT_EQ(t.http_errors(), 2u);
  EXPECT_EQ(t.timeouts(), 1u);
  EXPECT_EQ(t.connection_errors(), 1u);
  const auto causes = t.causes().by_count();
  ASSERT_THAT(causes, SizeIs(4));
  EXPECT_EQ(causes[0].text, "status 304");
  EXPECT_EQ(causes[0].status, 304);
}

TEST(RunTally, PassesOverWhatWasCut) {
  RunTally t = tally();
  Result cut = result(ms(0), ms(5), 0, "cut: ended before its response came");
  cut.outcome = Outcome::cut;
  t.add(std::vector{cut, result(ms(0), ms(5)), cut, cut, result(ms(1), ms(5)), result(ms(2), ms(5)), cut});
  EXPECT_EQ(t.metrics().requests(), 3u);
  EXPECT_EQ(t.metrics().failed(), 0u);
}

TEST(RunTally, ASecondIsOfWhatEndedInIt) {
  RunTally t = tally();
  t.add(std::vector{result(ms(900), ms(99)), result(ms(900), ms(100)), result(ms(1999), ms(0), 500, "500 Internal Server Error")});
  const auto seconds = t.take_block().seconds;
  ASSERT_THAT(seconds, SizeIs(2));
  EXPECT_EQ(seconds[0].at, 0);
  EXPECT_EQ(seconds[0].ok, 1u);
  EXPECT_EQ(seconds[1].at, 1);
  EXPECT_EQ(seconds[1].ok, 1u);
  EXPECT_EQ(seconds[1].failed, 1u);
  EXPECT_FALSE(t.has_block());
}

TEST(RunTally, TheFirstByteIsWithoutItsConnection) {
  RunTally t = tally();
  Result r = result(ms(0), ms(100));
  r.dns = ms(10), r.connect = ms(20), r.tls = ms(30), r.first_byte = ms(90);
  t.add({&r, 1});
  EXPECT_EQ(t.connects().max(), ms(60));
  EXPECT_EQ(t.first_bytes().max(), ms(30));
}

TEST(RunTally, PartsAddUp) {
  RunTally all = tally(), left = tally(), right = tally();
  for (int i = 0; i < 1000; ++i) {
    const Result r = i % 7 == 0 ? result(ms(i), ms(i % 50), 503, "503 Service Unavailable") : result(ms(i), ms(i % 90));
    all.add({&r, 1});
    (i % 2 == 0 ? left : right).add({&r, 1});
  }
  left.merge(right);
  EXPECT_EQ(left.metrics().requests(), 1000u);
  EXPECT_EQ(left.http_errors(), all.http_errors());
  EXPECT_EQ(left.causes().by_count()[0].count, all.causes().by_count()[0].count);
  ASSERT_EQ(left.slowest().kept().size(), Slowest::kKept);
  for (std::size_t i = 0; i < Slowest::kKept; ++i) EXPECT_EQ(left.slowest().kept()[i].latency, all.slowest().kept()[i].latency);
  left.metrics().close();
  all.metrics().close();
  EXPECT_EQ(left.metrics().quantile(0.99), all.metrics().quantile(0.99));
  EXPECT_EQ(left.take_block().seconds[0].ended(), all.take_block().seconds[0].ended());
}

TEST(FailureCauses, AreBoundedAndKeepTheFirstBody) {
  FailureCauses causes;
  for (int i = 0; i < 300; ++i) {
    const std::string text = "cause " + std::to_string(i);
    Result r = result(ms(0), ms(1), 500, text);
    const std::string body = "body " + std::to_string(i) + std::string(1000, 'x');
    r.body = body;
    causes.add(r);
    if (i == 5) causes.add(r);
  }
  const auto all = causes.by_count();
  EXPECT_EQ(all.size(), FailureCauses::kMostCauses);
  EXPECT_EQ(all[0].text, "cause 5");
  EXPECT_EQ(all[0].body.size(), FailureCauses::kBodyKept);
  EXPECT_THAT(all[0].body, testing::StartsWith("body 5x"));
  EXPECT_EQ(causes.others(), 300 - FailureCauses::kMostCauses);
}

RunSecond second(std::int64_t at, std::uint64_t ok, Nanos latency, std::uint64_t failed = 0) {
  RunSecond s{.at = at, .ok = ok, .failed = failed};
  for (std::uint64_t i = 0; i < ok + failed; ++i) s.latencies.record(latency);
  return s;
}

TEST(RunSeconds, HaveNoGapsAndEndWhereTheRunDoes) {
  RunSeconds seconds;
  seconds.merge(second(2, 10, ms(5)));
  seconds.merge(second(0, 4, ms(3), 1));
  seconds.merge(second(2, 10, ms(7)));
  const auto points = seconds.points(ms(2500));
  ASSERT_THAT(points, SizeIs(3));
  EXPECT_DOUBLE_EQ(points[0].rate, 5);
  EXPECT_DOUBLE_EQ(points[0].errors, 1);
  EXPECT_EQ(points[1].requests, 0u);
  EXPECT_DOUBLE_EQ(points[2].rate, 40);  // twenty in half a second
  EXPECT_THAT(seconds.points(ms(2249)), SizeIs(2));
  EXPECT_THAT(seconds.points(ms(2250)), SizeIs(3));
  RunSeconds only;
  only.merge(second(0, 3, ms(1)));
  ASSERT_THAT(only.points(ms(10)), SizeIs(1));
  EXPECT_DOUBLE_EQ(only.points(ms(10))[0].rate, 300);
}

TEST(RunSeconds, KeepTenMinutesAndEveryMinute) {
  RunSeconds seconds;
  for (std::int64_t at = 0; at < 3600; ++at) seconds.merge(second(at, 2, ms(at < 1800 ? 5 : 10)));
  EXPECT_EQ(seconds.seconds().size(), static_cast<std::size_t>(RunSeconds::kKept));
  EXPECT_EQ(seconds.seconds().front().at, 3000);
  const auto minutes = seconds.minutes(std::chrono::seconds(3600));
  ASSERT_THAT(minutes, SizeIs(60));
  EXPECT_EQ(minutes[10].at, 600);
  EXPECT_DOUBLE_EQ(minutes[10].rate, 2);
  EXPECT_EQ(minutes[29].p50, ms(5));
  EXPECT_EQ(minutes[30].p50, ms(10));
  EXPECT_EQ(seconds.trend_points(std::chrono::seconds(3600)).size(), 60u);
}

TEST(RunSeconds, ALongSilenceCostsNoMore) {
  RunSeconds seconds;
  seconds.merge(second(0, 1, ms(1)));
  seconds.merge(second(100'000, 1, ms(1)));
  EXPECT_LE(seconds.seconds().size(), static_cast<std::size_t>(RunSeconds::kKept));
  EXPECT_EQ(seconds.seconds().back().at, 100'000);
  seconds.merge(second(5, 1, ms(1)));  // too late for anything
  EXPECT_LE(seconds.seconds().size(), static_cast<std::size_t>(RunSeconds::kKept));
}

struct Watched {
  const char* what;
  RunSecond odd;
  const char* kind;  // "": nothing is to be told
};

TEST(AnomalyWatch, TellsWhatStandsOut) {
  const Watched cases[] = {
      {"three times the latency, 5 ms more", second(10, 100, ms(9)), ""},
      {"enough of both", second(10, 100, ms(30)), "latency"},
      {"not quite three times", second(10, 100, Nanos(29'900'000)), ""},
      {"half the rate", second(10, 50, ms(10)), "throughput"},
      {"a little more", second(10, 51, ms(10)), ""},
      {"five of a hundred fail", second(10, 95, ms(10), 5), "errors"},
      {"four", second(10, 96, ms(10), 4), ""},
  };
  for (const Watched& c : cases) {
    AnomalyWatch watch;
    for (std::int64_t at = 0; at < 10; ++at) watch.add(second(at, 100, ms(10)));
    watch.add(c.odd);
    if (*c.kind == '\0') {
      EXPECT_THAT(watch.found(), IsEmpty()) << c.what;
      continue;
    }
    ASSERT_THAT(watch.found(), SizeIs(1)) << c.what;
    EXPECT_EQ(name_of(watch.found()[0].kind), c.kind) << c.what;
    EXPECT_THAT(watch.found()[0].text, HasSubstr("at 10 s")) << c.what;
  }
}

TEST(AnomalyWatch, NeedsTenSecondsAndTellsOnceInThirty) {
  AnomalyWatch watch;
  for (std::int64_t at = 0; at < 9; ++at) watch.add(second(at, 100, ms(10)));
  watch.add(second(9, 100, ms(100)));
  EXPECT_THAT(watch.found(), IsEmpty());
  for (std::int64_t at = 10; at < 60; ++at) watch.add(second(at, 100, ms(at % 7 == 0 ? 100 : 10)));
  EXPECT_THAT(watch.found(), SizeIs(2));  // at 14 and at 49
  EXPECT_GE(watch.found()[1].at - watch.found()[0].at, AnomalyWatch::kQuiet);
}

TEST(AnomalyWatch, LeavesTheTimeAfterAPauseAlone) {
  AnomalyWatch watch;
  for (std::int64_t at = 0; at < 12; ++at) watch.add(second(at, 100, ms(10)));
  watch.resumed(20);
  watch.add(second(20, 3, ms(500)));
  watch.add(second(21, 3, ms(500)));
  EXPECT_THAT(watch.found(), IsEmpty());
  watch.add(second(22, 3, ms(500)));
  EXPECT_THAT(watch.found(), SizeIs(2));
}

}  // namespace
}  // namespace thrum
