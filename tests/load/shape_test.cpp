// Rates as people type them, and when each hit of a rate is due: to the nanosecond, however far along.
#include "thrum/shape.hpp"

#include <gmock/gmock.h>

#include <random>

namespace thrum {
namespace {

using testing::HasSubstr;
using Wide = unsigned __int128;

constexpr std::int64_t kSecond = 1'000'000'000;

Shape per_second(std::int64_t hits) { return Shape::constant({hits * kSecond, Nanos(kSecond)}); }

struct GoodRate {
  const char* text;
  std::int64_t nano_hits;
  std::int64_t per;
};

class GoodRates : public testing::TestWithParam<GoodRate> {};

// A rate is known by when its hits are due: compared with a shape made from the numbers themselves.
TEST_P(GoodRates, AreRead) {
  const GoodRate& want = GetParam();
  const auto shape = parse_shape(want.text);
  ASSERT_TRUE(shape) << shape.error().text;
  ASSERT_FALSE(shape->is_closed());
  const Shape same = Shape::constant({want.nano_hits, Nanos(want.per)});
  EXPECT_DOUBLE_EQ(shape->rate_at(Nanos(0)), same.rate_at(Nanos(0)));
  for (const std::uint64_t n : {0u, 1u, 2u, 3u, 1000u, 123'456'789u}) EXPECT_EQ(shape->due(n), same.due(n)) << n;
  // What it prints reads back as the same rate.
  const auto again = parse_shape(shape->text());
  ASSERT_TRUE(again) << shape->text();
  EXPECT_EQ(again->due(1'000'003), shape->due(1'000'003)) << shape->text();
  EXPECT_EQ(again->text(), shape->text());
}

INSTANTIATE_TEST_SUITE_P(
    Table, GoodRates,
    testing::Values(GoodRate{"+100", 100 * kSecond, kSecond}, GoodRate{"0100", 100 * kSecond, kSecond},
                    GoodRate{"100", 100 * kSecond, kSecond}, GoodRate{"100/s", 100 * kSecond, kSecond},
                    GoodRate{"100/1s", 100 * kSecond, kSecond}, GoodRate{"1/10ms", kSecond, 10'000'000},
                    GoodRate{"6000/m", 6000 * kSecond, 60 * kSecond}, GoodRate{"360000/h", 360'000 * kSecond, 3600 * kSecond},
                    GoodRate{"100/1000ms", 100 * kSecond, kSecond}, GoodRate{"1.5", 1'500'000'000, kSecond},
                    GoodRate{"1.5/s", 1'500'000'000, kSecond}, GoodRate{".5", 500'000'000, kSecond}, GoodRate{"5.", 5 * kSecond, kSecond},
                    GoodRate{"0.000000001/s", 1, kSecond}, GoodRate{"6/m", 6 * kSecond, 60 * kSecond},
                    GoodRate{"50/100ms", 50 * kSecond, 100'000'000}, GoodRate{"1/1.5s", kSecond, 1'500'000'000},
                    GoodRate{"1/1m30s", kSecond, 90 * kSecond}, GoodRate{"1/us", kSecond, 1000}, GoodRate{"0.1/ns", kSecond / 10, 1},
                    GoodRate{"100000000", kHighestRatePerSecond* kSecond, kSecond}, GoodRate{"5/.5s", 5 * kSecond, kSecond / 2},
                    // More than fit in 64 bits of billionths, yet less than three million a second.
                    GoodRate{"10000000000/h", kSecond* kSecond, 360 * kSecond}));

class ClosedRates : public testing::TestWithParam<const char*> {};

TEST_P(ClosedRates, HaveNoSchedule) {
  const auto shape = parse_shape(GetParam());
  ASSERT_TRUE(shape) << shape.error().text;
  EXPECT_TRUE(shape->is_closed());
  EXPECT_EQ(shape->rate_at(Nanos(0)), 0);
  EXPECT_EQ(shape->text(), "0");
}

INSTANTIATE_TEST_SUITE_P(Table, ClosedRates, testing::Values("0", "0/s", "0/1s", "0.0", "00", "infinity", "max", "unlimited"));

struct BadRate {
  const char* text;
  const char* why;
};

class BadRates : public testing::TestWithParam<BadRate> {};

TEST_P(BadRates, AreRefusedInOneLineThatSaysWhy) {
  const auto shape = parse_shape(GetParam().text);
  ASSERT_FALSE(shape) << GetParam().text;
  EXPECT_EQ(shape.error().kind, ErrorKind::usage);
  const std::string& text = shape.error().text;
  EXPECT_THAT(text, HasSubstr(GetParam().why));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_LT(text.size(), 250u);
}

constexpr const char* kTooHigh = "the highest rate is 100000000/s";

INSTANTIATE_TEST_SUITE_P(
    Table, BadRates,
    testing::Values(
        BadRate{"abc", "not a number"}, BadRate{"", "a number is missing"}, BadRate{"10/", "unit is missing"},
        BadRate{"10/x", "no time unit"}, BadRate{"/1s", "a number is missing"}, BadRate{"1e3", "not a number"},
        BadRate{"10/1", "no time unit"}, BadRate{"99999999999999999999", kTooHigh}, BadRate{"10/1s/2", "no time unit"},
        BadRate{" 10", "not a number"}, BadRate{"10 /s", "not a number"}, BadRate{"0x10", "not a number"}, BadRate{"1_000", "not a number"},
        BadRate{"-5", "negative"}, BadRate{"10/-1s", "longer than 0"}, BadRate{"-5/-1s", "negative"}, BadRate{"5/0s", "longer than 0"},
        BadRate{"0/0", "longer than 0"}, BadRate{"1/", "unit is missing"}, BadRate{"1/-1s", "longer than 0"},
        BadRate{"nan", "not a number"}, BadRate{"inf", "not a number"}, BadRate{"Infinity", "not a number"}, BadRate{"-0", "negative"},
        BadRate{"-", "negative"}, BadRate{"+", "a number is missing"}, BadRate{"+-1", "not a number"}, BadRate{"++1", "not a number"},
        BadRate{".", "a number is missing"}, BadRate{"1..5", "expected \"over TIME\""}, BadRate{"1.5.1", "not a number"},
        BadRate{"1,5", "only the last stage"}, BadRate{"1.0000000001", "at most nine decimals"}, BadRate{"100000001", kTooHigh},
        BadRate{"100000000.000000001", kTooHigh}, BadRate{"1000000000", kTooHigh}, BadRate{"1000000001", kTooHigh},
        BadRate{"2000000000/s", kTooHigh}, BadRate{"1000000000000000000", kTooHigh}, BadRate{"1000000000000000000000000000000", kTooHigh},
        BadRate{"1/9ns", kTooHigh}, BadRate{"101/us", kTooHigh}, BadRate{"1/300y", "no time unit"},
        BadRate{"1/9999999999h", "no time unit"}, BadRate{"10000000001.3/3600000000001ns", "a shorter time unit"},
        BadRate{"1\n", "not a number"}, BadRate{"1/s\033[2J", "no time unit"}));

TEST(RateErrors, KeepTheTerminalAndTheLineInOnePiece) {
  const std::string hostile = std::string(10'000, '7') + "\033[31m\n";
  const auto shape = parse_shape(hostile);
  ASSERT_FALSE(shape);
  EXPECT_LT(shape.error().text.size(), 300u);
  EXPECT_EQ(shape.error().text.find('\033'), std::string::npos);
  EXPECT_EQ(shape.error().text.find('\n'), std::string::npos);
}

// due(n) = floor(n * per * 10^9 / nano_hits), checked by multiplication: no division that could share a fault.
void expect_exact(const Rate& rate, std::uint64_t n) {
  const Nanos due = Shape::constant(rate).due(n);
  const Wide exact = Wide{n} * static_cast<Wide>(rate.per.count()) * kSecond;  // in 1/nano_hits of a nanosecond
  const auto at = static_cast<Wide>(due.count()), unit = static_cast<Wide>(rate.nano_hits);
  EXPECT_LE(at * unit, exact) << n << " of " << rate.nano_hits << " in " << rate.per.count();
  EXPECT_GT((at + 1) * unit, exact) << n << " of " << rate.nano_hits << " in " << rate.per.count();
}

TEST(Due, IsExactWhereIntervalsOfWholeNanosecondsDrift) {
  const Shape fast = per_second(600'000);
  EXPECT_EQ(fast.due(1'000'000'000), Nanos(1'666'666'666'666));
  EXPECT_EQ(fast.due(1), Nanos(1666));
  EXPECT_EQ(per_second(3).due(3'000'000'000), Nanos(1'000'000'000ll * kSecond));
  expect_exact({7 * kSecond, Nanos(3)}, 999'999'999'999);
}

TEST(Due, IsExactForRandomRates) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const Rate rate{static_cast<std::int64_t>(1 + (random() >> (1 + random() % 62)) / 2),
                    Nanos(1 + static_cast<std::int64_t>(random() % 3'600'000'000'000))};
    const std::uint64_t n = random() % (std::uint64_t{1} << (random() % 38));
    if (Shape::constant(rate).due(n) == Nanos::max()) continue;
    expect_exact(rate, n);
  }
}

// Hits due in [0, t): the last of them is due before t, the next is not.
TEST(HitsBefore, AgreesWithDueForRandomRates) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20'000; ++i) {
    const Rate rate{static_cast<std::int64_t>(1 + random() % 100'000'000'000'000),
                    Nanos(1 + static_cast<std::int64_t>(random() % 60'000'000'000))};
    const Shape shape = Shape::constant(rate);
    const Nanos t(static_cast<std::int64_t>(random() % 10'000'000'000'000));
    const std::uint64_t n = shape.hits_before(t);
    EXPECT_GE(shape.due(n), t);
    EXPECT_TRUE(n == 0 || shape.due(n - 1) < t);
    // At the very moment of a hit it is not yet counted, a nanosecond later it is.
    if (shape.due(n) == Nanos::max()) continue;
    EXPECT_LE(shape.hits_before(shape.due(n)), n);
    EXPECT_GT(shape.hits_before(shape.due(n) + Nanos(1)), n);
  }
}

TEST(HitsBefore, CountsWhatARateMeans) {
  const auto hits = [](const char* rate, Nanos t) { return parse_shape(rate)->hits_before(t); };
  using namespace std::chrono_literals;
  EXPECT_EQ(hits("1.5/s", 10s), 15u);
  EXPECT_EQ(hits("6/m", 20s), 2u);
  EXPECT_EQ(hits("6/m", 20s + 1ns), 3u);
  EXPECT_EQ(hits("20/s", 1s), 20u);
  EXPECT_EQ(hits("600000/s", 10s), 6'000'000u);
  EXPECT_EQ(hits("1/h", 1ns), 1u);
  EXPECT_EQ(hits("100/s", 0s), 0u);
  EXPECT_EQ(hits("100/s", -1s), 0u);
  EXPECT_EQ(hits("3/s", 1s), 3u);
  EXPECT_EQ(hits("3/s", 999ms), 3u);
  EXPECT_EQ(hits("3/s", 666ms), 2u);
}

// Nothing overflows into the past, whatever is asked.
TEST(Due, NeverGoesBackFarOut) {
  for (const Rate& rate : {Rate{1, Nanos(kSecond)}, Rate{1, Nanos::max()}, Rate{INT64_MAX, Nanos(kSecond)},
                           Rate{kSecond, Nanos(3600 * kSecond)}, Rate{kHighestRatePerSecond * kSecond, Nanos(kSecond)}}) {
    const Shape shape = Shape::constant(rate);
    Nanos last(0);
    for (int bit = 0; bit < 64; ++bit) {
      for (const std::uint64_t n : {std::uint64_t{1} << bit, (std::uint64_t{2} << bit) - 1}) {
        EXPECT_GE(shape.due(n), last) << n;
        last = shape.due(n);
      }
    }
    EXPECT_GE(shape.hits_before(Nanos::max()), shape.hits_before(Nanos(INT64_MAX / 2)));
  }
}

}  // namespace
}  // namespace thrum
