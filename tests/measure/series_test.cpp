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

}  // namespace
}  // namespace thrum
