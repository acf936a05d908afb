#include "measure/trend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <random>

namespace thrum {
namespace {

using namespace std::chrono_literals;

// A queue before `servers`, fed evenly at `rate` for `length`: latencies by when hits were due.
Trend queue(double rate, Nanos length, std::size_t servers, const std::function<Nanos()>& service) {
  Trend trend(length);
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> free;
  for (std::size_t i = 0; i < servers; ++i) free.push(Nanos(0));
  for (std::uint64_t n = 0;; ++n) {
    const Nanos due(static_cast<std::int64_t>(static_cast<double>(n) / rate * 1e9));
    if (due >= length) return trend;
    const Nanos end = std::max(free.top(), due) + service();
    free.pop();
    free.push(end);
    trend.add(due, end - due);
  }
}
const auto kFixed = [] { return Nanos(50ms); };

TEST(Trend, OfATargetThatKeepsUpIsFlat) {
  for (const double rate : {10.0, 100.0, 159.0, 160.0}) {
    const Trend t = queue(rate, 4s, 8, kFixed);
    EXPECT_FALSE(t.is_growing()) << rate;
    EXPECT_NEAR(t.slope(), 0, 1e-4);
  }
}

TEST(Trend, SeesOnePercentTooMuch) {
  const Trend t = queue(162, 4s, 8, kFixed);
  EXPECT_TRUE(t.is_growing());
  EXPECT_NEAR(t.slope(), 0.0125, 0.001);
}

TEST(Trend, PassesOverAStall) {
  Trend t(4s);
  for (Nanos due(0); due < 4s; due += 5ms) t.add(due, due > 3s && due < 3300ms ? 3300ms - due + 1ms : 1ms);
  EXPECT_FALSE(t.is_growing());
}

TEST(Trend, OfRandomServiceIsSeldomMistaken) {
  std::mt19937_64 random(4);
  std::exponential_distribution<double> exponential(1);
  const auto service = [&] { return Nanos(static_cast<std::int64_t>(exponential(random) * 50e6)); };
  int mistaken = 0, mistaken_near = 0, mistaken_later = 0, seen = 0, seen_later = 0;
  for (int i = 0; i < 200; ++i) {
    mistaken += queue(136, 4s, 8, service).is_growing();         // 85 %
    mistaken_near += queue(152, 4s, 8, service).is_growing();    // 95 %
    mistaken_later += queue(152, 20s, 8, service).is_growing();  //
    seen += queue(200, 4s, 8, service).is_growing();             // 125 %
    seen_later += queue(176, 20s, 8, service).is_growing();      // 110 %
  }
  EXPECT_LE(mistaken, 4);
  EXPECT_LE(mistaken_near, 12);
  EXPECT_LE(mistaken_later, 12);
  EXPECT_GE(seen, 190);
  EXPECT_GE(seen_later, 180);
}

TEST(Trend, SaysNothingOfAFew) {
  Trend t(4s);
  for (int i = 0; i < 16; ++i) t.add(i * 250ms, (i + 1) * 1s);
  EXPECT_FALSE(t.is_growing());
  EXPECT_EQ(t.slope(), 0);
  t.add(-1s, 1s);
  t.add(5s, 1s);
}

}  // namespace
}  // namespace thrum
