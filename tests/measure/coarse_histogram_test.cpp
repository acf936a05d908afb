#include "measure/coarse_histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace thrum {
namespace {

TEST(CoarseHistogram, BoundsAscendByAtMost14PercentFromTenNanosecondsOn) {
  const auto bounds = CoarseHistogram::bounds();
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    EXPECT_GE(bounds[i], bounds[i - 1]);
    EXPECT_TRUE(bounds[i - 1] < 100 || static_cast<double>(bounds[i]) <= 1.14 * static_cast<double>(bounds[i - 1])) << bounds[i];
  }
}

TEST(CoarseHistogram, EveryValueIsBetweenTheBoundsOfItsBin) {
  const auto bounds = CoarseHistogram::bounds();
  std::mt19937_64 random(2);
  std::vector<std::int64_t> values{1, 2, 3, 9, 10, 11, 99, 100, INT64_MAX};
  for (const std::uint64_t b : bounds) values.insert(values.end(), {static_cast<std::int64_t>(b), static_cast<std::int64_t>(b - 1)});
  for (int i = 0; i < 5000; ++i) values.push_back(static_cast<std::int64_t>(random() >> (1 + random() % 62)));
  for (const std::int64_t v : values) {
    const std::size_t bin = CoarseHistogram::bin_of(Nanos(v));
    if (v <= 0) {
      EXPECT_EQ(bin, 0u);
      continue;
    }
    ASSERT_GE(bin, 1u) << v;
    EXPECT_LE(bounds[bin - 1], static_cast<std::uint64_t>(v));
    EXPECT_TRUE(bin == bounds.size() || bounds[bin] > static_cast<std::uint64_t>(v)) << v;
  }
  EXPECT_EQ(CoarseHistogram::bin_of(Nanos(-5)), 0u);
}

TEST(CoarseHistogram, FewValuesAreExact) {
  CoarseHistogram h;
  for (std::int64_t i = 1; i <= 101; ++i) h.record(Nanos(i * 1'000'000));
  EXPECT_EQ(h.quantile(0.5).count(), 51'000'000);
  EXPECT_EQ(h.quantile(0.95).count(), 96'449'999);
  EXPECT_EQ(CoarseHistogram().quantile(0.5).count(), 0);
}

TEST(CoarseHistogram, ManyValuesAreWithinABin) {
  std::mt19937_64 random(4);
  std::lognormal_distribution<double> usual(std::log(20e6), 0.6);
  std::vector<std::int64_t> values;
  CoarseHistogram h;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<std::int64_t>(usual(random)));
    h.record(Nanos(values.back()));
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const double want = static_cast<double>(values[static_cast<std::size_t>(q * 20'000)]);
    EXPECT_NEAR(static_cast<double>(h.quantile(q).count()), want, 0.07 * want) << q;
  }
  EXPECT_EQ(h.quantile(0).count(), values.front());
  EXPECT_EQ(h.quantile(1).count(), values.back());
}

TEST(CoarseHistogram, MergingEqualsRecordingEverything) {
  std::mt19937_64 random(6);
  for (const int n : {0, 5, 100, 500})
    for (const int m : {0, 5, 100, 500}) {
      CoarseHistogram a, b, all;
      for (int i = 0; i < n + m; ++i) {
        const Nanos v(static_cast<std::int64_t>(random() >> (1 + random() % 62)) - 3);
        (i < n ? a : b).record(v);
        all.record(v);
      }
      a.merge(b);
      EXPECT_EQ(a.counts(), all.counts());
      EXPECT_EQ(a.count(), all.count());
      EXPECT_EQ(a.mean(), all.mean());
      for (double q = 0; q <= 1; q += 0.125) EXPECT_EQ(a.quantile(q), all.quantile(q)) << n << " " << m;
      const std::vector<std::uint64_t> counts = a.counts();
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), a.count());
    }
}

}  // namespace
}  // namespace thrum
