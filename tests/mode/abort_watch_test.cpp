#include "mode/abort_watch.hpp"

#include <gmock/gmock.h>

#include <array>

namespace thrum::mode {
namespace {

using namespace std::chrono_literals;

AbortWatch watch_of(const std::string& text) {
  auto watch = AbortWatch::parse(std::array{text}, {{}, LatencyClock::service});
  EXPECT_TRUE(watch) << watch.error().text;
  return watch ? std::move(*watch) : AbortWatch();
}

Result result(bool good, Nanos latency = 1ms) {
  Result r;
  r.url = "http://host/a";
  r.code = good ? 200 : 500;
  r.outcome = good ? Outcome::ok : Outcome::bad_status;
  r.error = good ? "" : "500 Internal Server Error";
  r.latency = latency;
  return r;
}

// Gives `per_tick` results ten times a second, of which `bad(t)` of ten fail; when the watch says so.
std::optional<Nanos> met_at(AbortWatch& watch, int per_tick, const std::function<int(Nanos)>& bad, Nanos until = 60s) {
  const Instant begin = now();
  for (Nanos t(0); t < until; t += 100ms) {
    for (int i = 0; i < per_tick; ++i) watch.add(std::array{result(i % 10 >= bad(t))});
    if (watch.met(begin + t)) return t;
  }
  return {};
}

TEST(AbortWatch, SeesWhatHoldsForItsTime) {
  AbortWatch watch = watch_of("errors>10% for 5s");
  const auto at = met_at(watch, 10, [](Nanos t) { return t >= 20s ? 5 : 0; });
  ASSERT_TRUE(at);
  EXPECT_GE(*at, 20s);
  EXPECT_LE(*at, 26500ms);
}

TEST(AbortWatch, PassesOverWhatDoesNot) {
  AbortWatch watch = watch_of("errors>50% for 5s");
  EXPECT_FALSE(met_at(watch, 10, [](Nanos t) { return t >= 20s && t < 22s ? 10 : 0; }));
  AbortWatch quiet = watch_of("errors>10%");
  EXPECT_FALSE(met_at(quiet, 10, [](Nanos) { return 1; })) << "a tenth is not more than a tenth";
}

TEST(AbortWatch, DoesNotJudgeAFew) {
  AbortWatch watch = watch_of("errors>10% for 200ms");
  const Instant begin = now();
  for (Nanos t(0); t < 10s; t += 100ms) {
    if (t.count() % 1'000'000'000 == 0) watch.add(std::array{result(false)});
    EXPECT_FALSE(watch.met(begin + t));
  }
}

TEST(AbortWatch, SaysWhatItSaw) {
  AbortWatch watch = watch_of("url(/a).max>20ms for 1s");
  const Instant begin = now();
  std::optional<std::string> met;
  for (Nanos t(0); t < 3s && !met; t += 100ms) {
    watch.add(std::array{result(true, 30ms), result(true, 10ms)});
    met = watch.met(begin + t);
  }
  EXPECT_EQ(met, "url(/a).max>20ms for 1s: 30ms");
}

TEST(AbortWatch, NoDataIsNoReason) {
  AbortWatch watch = watch_of("dns.p99>1ns, lag.p99>1ns for 1s");
  EXPECT_FALSE(met_at(watch, 10, [](Nanos) { return 0; }, 5s));
}

TEST(AbortWatch, RefusesWhatItCanNotSee) {
  for (const char* text :
       {"errors>10% for", "errors>10% for 5", "errors>10% for 5ms", "errors", "missed>0 for 1s", "stage(1).p99>1s", "rate<95%"}) {
    const auto watch = AbortWatch::parse(std::array{std::string(text)}, {{}, LatencyClock::service});
    ASSERT_FALSE(watch) << text;
    EXPECT_EQ(watch.error().kind, ErrorKind::usage);
    EXPECT_THAT(watch.error().text, testing::StartsWith("-abort-if: ")) << text;
  }
}

}  // namespace
}  // namespace thrum::mode
