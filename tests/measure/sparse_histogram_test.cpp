#include "measure/sparse_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "thrum/histogram.hpp"

namespace thrum {
namespace {

std::vector<std::int64_t> some_values(int count) {
  std::mt19937_64 random(4);
  std::lognormal_distribution<double> usual(std::log(20e6), 0.6);
  std::vector<std::int64_t> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<std::int64_t>(usual(random)));
  return values;
}

constexpr double kShares[] = {0, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1};

TEST(SparseHistogram, FewValuesAreExact) {
  SparseHistogram h;
  EXPECT_EQ(h.quantile(0.5).count(), 0);
  for (std::int64_t i = 1; i <= 101; ++i) h.record(Nanos(i * 1'000'000));
  EXPECT_EQ(h.quantile(0.5).count(), 51'000'000);
  EXPECT_EQ(h.quantile(0.95).count(), 96'449'999);
  EXPECT_EQ(h.mean().count(), 51'000'000);
}

TEST(SparseHistogram, ManyValuesAreAsFineAsInAHistogram) {
  for (const int count : {129, 1'000, 20'000, 300'000}) {
    SparseHistogram sparse;
    Histogram full;
    for (const std::int64_t v : some_values(count)) {
      sparse.record(Nanos(v));
      full.record(Nanos(v));
    }
    for (const double q : kShares) {
      const auto want = static_cast<double>(full.quantile(q).count());
      EXPECT_NEAR(static_cast<double>(sparse.quantile(q).count()), want, want * 0.001) << count << " " << q;
    }
    EXPECT_EQ(sparse.count(), full.count());
    EXPECT_EQ(sparse.mean(), full.mean());
    EXPECT_EQ(sparse.min(), full.min());
    EXPECT_EQ(sparse.max(), full.max());
  }
}

TEST(SparseHistogram, HoldsNoMoreThanItsBins) {
  SparseHistogram h;
  for (int i = 0; i < 100'000; ++i) h.record(Nanos(5'000'000 + i % 10));
  EXPECT_LE(h.size(), SparseHistogram::kHeldExactly + 4);
}

TEST(SparseHistogram, CoarseningHalvesBinsAndKeepsQuantilesWithinThem) {
  auto values = some_values(50'000);
  SparseHistogram h;
  for (const std::int64_t v : values) h.record(Nanos(v));
  std::sort(values.begin(), values.end());
  for (unsigned steps = 0; steps <= SparseHistogram::kCoarsest; ++steps) {
    h.coarsen(steps);
    const double fine = 1.0 / static_cast<double>(1024 >> steps);
    for (const double q : {0.1, 0.5, 0.9, 0.99}) {
      const auto want = static_cast<double>(values[static_cast<std::size_t>(q * 50'000)]);
      EXPECT_NEAR(static_cast<double>(h.quantile(q).count()), want, want * (fine + 0.0005)) << steps << " " << q;
    }
    EXPECT_EQ(h.count(), 50'000u);
    EXPECT_EQ(h.quantile(0).count(), values.front());
    EXPECT_EQ(h.quantile(1).count(), values.back());
  }
  EXPECT_LE(h.size(), 12u);  // powers of two
  for (const std::int64_t v : values) h.record(Nanos(v));
  EXPECT_LE(h.size(), 12u + SparseHistogram::kHeldExactly);
  EXPECT_EQ(h.count(), 100'000u);
}

TEST(SparseHistogram, AnyValueIsAValue) {
  std::mt19937_64 random(6);
  for (const unsigned steps : {0u, 3u, SparseHistogram::kCoarsest}) {
    SparseHistogram h;
    h.coarsen(steps);
    std::vector<std::int64_t> values{INT64_MIN, INT64_MAX, 0, -1, 1};
    for (int i = 0; i < 5'000; ++i) values.push_back(static_cast<std::int64_t>(random() >> (random() % 63)) * (random() % 2 == 0 ? 1 : -1));
    for (const std::int64_t v : values) h.record(Nanos(v));
    std::sort(values.begin(), values.end());
    const double fine = 1.0 / static_cast<double>(1024 >> steps);
    for (const double q : {0.0, 0.2, 0.45, 0.6, 0.9, 1.0}) {
      const auto want =
          static_cast<double>(values[std::min(values.size() - 1, static_cast<std::size_t>(q * static_cast<double>(values.size())))]);
      EXPECT_NEAR(static_cast<double>(h.quantile(q).count()), want, std::abs(want) * (fine + 0.05) + 2 * (1 << steps)) << steps << " " << q;
    }
  }
}

}  // namespace
}  // namespace thrum
