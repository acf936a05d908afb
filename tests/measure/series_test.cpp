#include "measure/series.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

Result at(std::int64_t seconds, std::int32_t nanos, std::int64_t latency = 1) {
  Result r;
  r.timestamp = {seconds, nanos, 0};
  r.latency = Nanos(latency);
  return r;
}

TEST(Series, SecondsAreCountedFromTheOrigin) {
  Series s({100, 700'000'000, 0});
  s.add(at(100, 700'000'000), true);
  s.add(at(101, 699'999'999), true);
  s.add(at(101, 700'000'000), false);
  s.add(at(100, 699'999'999), true);
  s.add(at(100, 800'000'000, 5), true);
  ASSERT_EQ(s.seconds().size(), 3u);
  EXPECT_EQ(s.seconds().at(-1).sent(), 1u);
  EXPECT_EQ(s.seconds().at(0).ok, 3u);
  EXPECT_EQ(s.seconds().at(0).latencies.max().count(), 5);
  EXPECT_EQ(s.seconds().at(1).failed, 1u);
}

TEST(Series, SecondsAreBounded) {
  Series s({0, 0, 0});
  const auto most = static_cast<std::int64_t>(Series::kMostSeconds);
  for (std::int64_t i = 0; i < most + 10; ++i) s.add(at(i * 400'000, 0), true);
  s.add(at(0, 5), true);
  EXPECT_EQ(s.seconds().size(), Series::kMostSeconds);
  EXPECT_EQ(s.left_out(), 10u);
  EXPECT_EQ(s.seconds().at(0).ok, 2u);
}

TEST(Series, LatenciesOfManySecondsAreHeldInABoundedSpace) {
  constexpr std::size_t kMost = 20'000;
  Series s({0, 0, 0}, kMost);
  EXPECT_LT(s.fineness(), 0.0005);
  std::uint32_t random = 1;
  for (std::int64_t second = 0; second < 200; ++second)
    for (int i = 0; i < 2'000; ++i) {
      random = random * 1'664'525 + 1'013'904'223;
      s.add(at(second, i, 1'000'000 + random % 1'000'000), true);
    }
  std::size_t held = 0;
  for (const auto& [second, each] : s.seconds()) {
    held += each.latencies.size();
    EXPECT_EQ(each.latencies.count(), 2'000u);
    EXPECT_NEAR(static_cast<double>(each.latencies.quantile(0.5).count()), 1'500'000, 1'500'000 * (2 * s.fineness() + 0.03)) << second;
  }
  EXPECT_LE(held, kMost);
  EXPECT_GT(s.fineness(), 0.001);
  EXPECT_LT(s.fineness(), 0.05);
}

}  // namespace
}  // namespace thrum
