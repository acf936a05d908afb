#include "measure/timeline.hpp"

#include <gtest/gtest.h>

#include <random>

namespace thrum {
namespace {

constexpr Timestamp kStart{1'700'000'000, 0, 0};

TEST(Timeline, QuartersAreMeansOfWhatWasSentInThem) {
  Timeline t;
  for (int i = 0; i < 1000; ++i) t.add(kStart.plus(Nanos(i * 10'000'000LL)), Nanos(i < 500 ? 100 : 300));
  const Timeline::Quarters q = t.quarters(kStart, kStart.plus(Nanos(9'990'000'000)));
  EXPECT_DOUBLE_EQ(q.first, 100);
  EXPECT_DOUBLE_EQ(q.last, 300);
  EXPECT_NEAR(static_cast<double>(q.first_count), 250, 3);
  EXPECT_NEAR(static_cast<double>(q.last_count), 250, 3);
}

TEST(Timeline, OrderDoesNotMatter) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < 5000; ++i) offsets.push_back(i * 40'000'000);
  std::mt19937_64 random(5);
  std::shuffle(offsets.begin(), offsets.end(), random);
  Timeline t;
  for (const std::int64_t at : offsets) t.add(kStart.plus(Nanos(at)), Nanos(at / 1000));
  const Timeline::Quarters q = t.quarters(kStart, kStart.plus(Nanos(5000 * 40'000'000LL)));
  EXPECT_NEAR(q.first, 0.125 * 200e6, 0.01 * 200e6);
  EXPECT_NEAR(q.last, 0.875 * 200e6, 0.01 * 200e6);
}

TEST(Timeline, TimesFromYearOneToYear9999AreHeldSomewhere) {
  Timeline t;
  const std::int64_t seconds[] = {-62'135'596'800, 0, 1'700'000'000, 253'402'300'799, -8'000'000'000, 9'223'372'036};
  for (const std::int64_t s : seconds)
    for (int i = 0; i < 10; ++i) t.add({s, 999'999'999, 0}, Nanos(7));
  const Timeline::Quarters q = t.quarters({-62'135'596'800, 0, 0}, {253'402'300'799, 0, 0});
  EXPECT_LE(q.first_count + q.last_count, 60u);
}

TEST(Timeline, MergingEqualsAddingEverything) {
  Timeline a, b, all;
  for (int i = 0; i < 3000; ++i) {
    const Timestamp at = kStart.plus(Nanos(i * 7'000'000LL));
    (i % 3 == 0 ? a : b).add(at, Nanos(i));
    all.add(at, Nanos(i));
  }
  a.merge(b);
  const Timestamp end = kStart.plus(Nanos(3000 * 7'000'000LL));
  const Timeline::Quarters merged = a.quarters(kStart, end), direct = all.quarters(kStart, end);
  EXPECT_NEAR(merged.first, direct.first, 0.02 * 3000);
  EXPECT_NEAR(merged.last, direct.last, 0.02 * 3000);
  EXPECT_NEAR(static_cast<double>(merged.last_count), static_cast<double>(direct.last_count), 10);
}

}  // namespace
}  // namespace thrum
