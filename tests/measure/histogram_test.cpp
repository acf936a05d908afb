#include "thrum/histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace thrum {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr double kBound = 0.0005;

Histogram of(const std::vector<std::int64_t>& values) {
  Histogram h;
  for (const std::int64_t v : values) h.record(Nanos(v));
  return h;
}

// These values repeated equally often until a histogram keeps them in bins.
Histogram binned(const std::vector<std::int64_t>& values) {
  Histogram h;
  for (std::size_t i = 0; i <= Histogram::kHeldExactly / values.size(); ++i)
    for (const std::int64_t v : values) h.record(Nanos(v));
  EXPECT_FALSE(h.is_exact());
  return h;
}

// The same rule on sorted data, without bins.
double exact_quantile(const std::vector<std::int64_t>& sorted, double q) {
  const double n = static_cast<double>(sorted.size()), at = q * n - 0.5;
  if (at <= 0) return static_cast<double>(sorted.front());
  if (at >= n - 1) return static_cast<double>(sorted.back());
  const auto i = static_cast<std::size_t>(at);
  const double share = at - static_cast<double>(i);
  return static_cast<double>(sorted[i]) * (1 - share) + static_cast<double>(sorted[i + 1]) * share;
}

// Row by row: few values, read as vegeta's are.
struct Row {
  std::vector<std::int64_t> values;
  double q;
  std::int64_t expected;
};

TEST(Histogram, FewValuesAreInterpolatedBetweenThem) {
  std::vector<std::int64_t> ten, hundred_and_one;
  for (std::int64_t i = 1; i <= 10; ++i) ten.push_back(i * 1'000'000);
  for (std::int64_t i = 1; i <= 101; ++i) hundred_and_one.push_back(i * 1'000'000);
  const std::vector<Row> rows{
      {{575}, 0.5, 575},
      {{575}, 0.99, 575},
      {{575}, 1, 575},
      {{1, 2}, 0.5, 1},  // 1.5, cut
      {ten, 0, 1'000'000},
      {ten, 0.1, 1'500'000},
      {ten, 0.5, 5'500'000},
      {ten, 0.9, 9'500'000},
      {ten, 0.95, 10'000'000},
      {ten, 0.99, 10'000'000},
      {hundred_and_one, 0.95, 96'449'999},  // as floating point has it
      {hundred_and_one, 0.99, 100'490'000},
      {{-5, -1'500'000, 0, 2'000'000}, 0.5, -2},
      {{-5, -1'500'000, 0, 2'000'000}, 0, -1'500'000},
      {{0, 0, 0}, 0.5, 0},
      {{kLargest}, 0.5, kLargest},
      {{kSmallest}, 0.5, kSmallest},
      {{kSmallest, kLargest}, 1, kLargest},
  };
  for (const Row& row : rows)
    EXPECT_EQ(of(row.values).quantile(row.q).count(), row.expected) << "q " << row.q << ", n " << row.values.size();
}

TEST(Histogram, NothingRecordedIsZeroEverywhere) {
  const Histogram h;
  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.min().count(), 0);
  EXPECT_EQ(h.max().count(), 0);
  EXPECT_EQ(h.mean().count(), 0);
  EXPECT_EQ(h.quantile(0.5).count(), 0);
  EXPECT_EQ(h.count_up_to(Nanos(5)), 0u);
  EXPECT_TRUE(h.bins().empty());
}

TEST(Histogram, ExtremesCountAndSumAreExactInBins) {
  const Histogram h = binned({1'234'567, 7, 0, -3, 987'654'321});
  const auto each = static_cast<std::int64_t>(h.count() / 5);
  EXPECT_EQ(h.count() % 5, 0u);
  EXPECT_EQ(h.min().count(), -3);
  EXPECT_EQ(h.max().count(), 987'654'321);
  EXPECT_TRUE(h.sum() == static_cast<__int128>(each) * (1'234'567 + 7 - 3 + 987'654'321));
}

TEST(Histogram, SumsBeyond64BitsDoNotWrap) {
  const Histogram h = binned({kLargest});
  EXPECT_TRUE(h.sum() == static_cast<__int128>(h.count()) * kLargest);
  EXPECT_EQ(h.mean().count(), kLargest);
}

// Both edges and the middle of every octave, with both signs: the answer for a histogram of that one value and a larger one
// is within the bound.
TEST(Histogram, EveryMagnitudeIsWithinTheBound) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 63; ++k) {
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t low = std::uint64_t{1} << k;
      const auto v = static_cast<std::int64_t>(i == 0 ? low : i == 1 ? low + (low - 1) : low + random() % low);
      for (const std::int64_t value : {v, -v}) {
        // Quantile 1/2 of {smallest, value, largest} is value; neither end can clamp it.
        const Histogram h = binned({kSmallest, value, kLargest});
        const double got = static_cast<double>(h.quantile(0.5).count()), want = static_cast<double>(value);
        EXPECT_LE(std::abs(got - want), std::abs(want) * kBound) << value;
      }
    }
  }
}

TEST(Histogram, ZeroAndSmallValuesAreExactInBins) {
  for (const std::int64_t value : {-2047, -1000, -1, 0, 1, 5, 1023, 1024, 2047})
    EXPECT_EQ(binned({kSmallest, value, kLargest}).quantile(0.5).count(), value);
}

std::vector<std::int64_t> lognormal_with_spikes(std::size_t n, std::size_t spikes) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> usual(std::log(20e6), 0.5);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<std::int64_t>(usual(random)));
  for (std::size_t i = 0; i < spikes; ++i) values.push_back(static_cast<std::int64_t>(5'000'000'000 + random() % 20'000'000'000));
  return values;
}

TEST(Histogram, FarTailOfAMillionWithFiftySpikesIsWithinTheBound) {
  std::vector<std::int64_t> values = lognormal_with_spikes(1'000'000, 50);
  const Histogram h = of(values);
  std::sort(values.begin(), values.end());
  for (const double q : {0.0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99995, 0.99999, 0.999999, 1.0}) {
    const double want = exact_quantile(values, q), got = static_cast<double>(h.quantile(q).count());
    EXPECT_LE(std::abs(got - want), want * kBound + 1) << q;
  }
  EXPECT_EQ(h.max().count(), values.back());
  EXPECT_LT(h.memory(), 300'000u);
}

TEST(Histogram, MergingEqualsRecordingEverything) {
  std::mt19937_64 random(3);
  for (const std::size_t n : {std::size_t{10}, std::size_t{3000}, Histogram::kHeldExactly, std::size_t{20'000}}) {
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}, std::size_t{2000}, std::size_t{9000}}) {
      Histogram a, b, all;
      for (std::size_t i = 0; i < n + m; ++i) {
        const int shift = static_cast<int>(random() % 64);
        const Nanos v(static_cast<std::int64_t>(random() >> shift));
        (i < n ? a : b).record(v);
        all.record(v);
      }
      a.merge(b);
      EXPECT_EQ(a.is_exact(), all.is_exact()) << n << " " << m;
      EXPECT_EQ(a.count(), all.count());
      EXPECT_TRUE(a.sum() == all.sum());
      EXPECT_EQ(a.min(), all.min());
      EXPECT_EQ(a.max(), all.max());
      for (double q = 0; q <= 1; q += 1.0 / 64) EXPECT_EQ(a.quantile(q), all.quantile(q)) << n << " " << m << " " << q;
    }
  }
}

TEST(Histogram, MergingWithItselfDoubles) {
  Histogram h = of({1, 2, 3});
  h.merge(h);
  EXPECT_EQ(h.count(), 6u);
  EXPECT_TRUE(h.sum() == 12);
}

TEST(Histogram, PercentilesAreOrderedAndWithinTheExtremes) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    Histogram h;
    const std::size_t n = 1 + random() % 9000;
    for (std::size_t i = 0; i < n; ++i) {
      const int shift = static_cast<int>(random() % 63);
      h.record(Nanos(static_cast<std::int64_t>(random()) >> shift));
    }
    Nanos last = h.min();
    for (double q = 0; q <= 1; q += 1.0 / 128) {
      const Nanos now = h.quantile(q);
      EXPECT_LE(last, now);
      last = now;
    }
    EXPECT_EQ(h.quantile(0), h.min());
    EXPECT_EQ(h.quantile(1), h.max());
  }
}

TEST(Histogram, CountUpToIsARealCount) {
  Histogram same;
  for (int i = 0; i < 1000; ++i) same.record(Nanos(5'000'000));
  for (const double q : {0.0, 0.1, 0.5, 0.999, 1.0}) EXPECT_EQ(same.count_up_to(same.quantile(q)), 1000u);
  EXPECT_EQ(same.count_up_to(Nanos(4'999'999)), 0u);
  EXPECT_EQ(of({1, 2, 2, 9}).count_up_to(Nanos(2)), 3u);
  const Histogram h = binned({-10, 100, 2'000'000});
  EXPECT_EQ(h.count_up_to(Nanos(-10)), h.count() / 3);
  EXPECT_EQ(h.count_up_to(Nanos(99)), h.count() / 3);
  EXPECT_EQ(h.count_up_to(Nanos(100)), h.count() / 3 * 2);
  EXPECT_EQ(h.count_up_to(Nanos(2'000'000)), h.count());
}

TEST(Histogram, BinsHoldEveryValueInOrder) {
  for (const Histogram& h : {of({5, -7, 5, 3'000'000}), binned({5, -7, 5, 3'000'000, kSmallest, kLargest})}) {
    std::uint64_t total = 0;
    std::int64_t last = kSmallest;
    bool first = true;
    for (const Histogram::Bin& bin : h.bins()) {
      EXPECT_LE(bin.lowest, bin.highest);
      EXPECT_TRUE(first || bin.lowest > last);
      first = false;
      last = bin.highest;
      total += bin.count;
    }
    EXPECT_EQ(total, h.count());
  }
}

// A bin's counter has 32 bits; merging reaches beyond without recording four thousand million values.
TEST(Histogram, CountersBeyond32BitsAreRight) {
  Histogram h = binned({77, 1'000'000});
  std::uint64_t expected = h.count();
  while (expected < (std::uint64_t{1} << 34)) {
    h.merge(h);
    expected *= 2;
  }
  EXPECT_EQ(h.count(), expected);
  EXPECT_EQ(h.count_up_to(Nanos(77)), expected / 2);
  EXPECT_EQ(h.quantile(0.49).count(), 77);
  EXPECT_NEAR(static_cast<double>(h.quantile(0.51).count()), 1e6, 500);
}

TEST(Histogram, CopiesAreIndependent) {
  const Histogram original = binned({3, 4'000'000});
  Histogram copy = original;
  copy.record(Nanos(1));
  EXPECT_EQ(copy.count(), original.count() + 1);
  EXPECT_EQ(copy.min().count(), 1);
  EXPECT_EQ(original.min().count(), 3);
}

}  // namespace
}  // namespace thrum
