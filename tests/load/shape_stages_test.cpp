// Shapes of stages: what is read, what is refused and where, and that every hit is due where the integral of the rate says.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>

#include "load/arrivals.hpp"
#include "load/pacer.hpp"
#include "load/shape_parts.hpp"
#include "thrum/shape.hpp"

namespace thrum {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Shape shape_of(const std::string& text) {
  auto shape = parse_shape(text);
  EXPECT_TRUE(shape) << text << ": " << (shape ? "" : shape.error().text);
  return shape ? std::move(*shape) : Shape::closed();
}

struct GoodShape {
  const char* text;
  const char* canonical;
  Nanos length;  // Nanos::max(): without end
  std::uint64_t hits;
  double peak;
};

class GoodShapes : public testing::TestWithParam<GoodShape> {};

TEST_P(GoodShapes, AreRead) {
  const GoodShape& want = GetParam();
  const Shape shape = shape_of(want.text);
  EXPECT_EQ(shape.text(), want.canonical);
  EXPECT_EQ(shape.length().value_or(Nanos::max()), want.length);
  EXPECT_EQ(shape.hits_before(shape.length().value_or(10s)), want.hits);
  EXPECT_DOUBLE_EQ(shape.peak(), want.peak);
  EXPECT_EQ(shape_of(shape.text()).text(), want.canonical);
}

INSTANTIATE_TEST_SUITE_P(
    Table, GoodShapes,
    testing::Values(
        GoodShape{"50/s for 10s", "50/s for 10s", 10s, 500, 50}, GoodShape{"10..500/s over 1m", "10/s..500/s over 1m0s", 1min, 15'300, 500},
        GoodShape{"600..1200/m over 10s", "600/m..1200/m over 10s", 10s, 150, 20},
        GoodShape{"50/s for 10s, 50..200/s over 30s, hold 1m", "50/s for 10s, 50/s..200/s over 30s, 200/s for 1m0s", 100s, 16'250, 200},
        GoodShape{"50..200/s step 50 every 10s", "50/s for 10s, 100/s for 10s, 150/s for 10s, 200/s for 10s", 40s, 5'000, 200},
        GoodShape{"200..50/s step 70 every 1s", "200/s for 1s, 130/s for 1s, 60/s for 1s, 50/s for 1s", 4s, 440, 200},
        GoodShape{"sine mean 100/s amp 50/s period 2s start trough", "sine mean 100/s amp 50/s period 2s start trough", Nanos::max(), 1'000,
                  150},
        GoodShape{"sine period 4s amp 100 mean 100 for 8s", "sine mean 100/s amp 100/s period 4s start mean for 8s", 8s, 800, 200},
        GoodShape{"spike base 50/s peak 500/s at 30s for 10s", "50/s for 30s, 500/s for 10s, 50/s for 30s", 70s, 8'000, 500},
        GoodShape{"100 every 1s", "100 every 1s", Nanos::max(), 1'000, 100},
        GoodShape{"7 every 2s for 5s, 10/s for 1s", "7 every 2s for 5s, 10/s for 1s", 6s, 31, 10},
        GoodShape{"poisson 200/s", "poisson 200/s", Nanos::max(), 2'000, 200},
        GoodShape{"poisson 10..100/s over 10s, 1/s", "poisson 10/s..100/s over 10s, 1/s", Nanos::max(), 550, 100},
        GoodShape{"0..100/s over 10s, 0/s for 5s, 100/s for 1s", "0/s..100/s over 10s, 0/s for 5s, 100/s for 1s", 16s, 600, 100},
        GoodShape{"  50/s  for\t10s,hold 1s ", "50/s for 10s, 50/s for 1s", 11s, 550, 50}));

struct BadShape {
  const char* text;
  const char* marked;  // the text with the place
  const char* why;
};

class BadShapes : public testing::TestWithParam<BadShape> {};

TEST_P(BadShapes, AreRefusedInOneLineThatShowsThePlace) {
  const auto shape = parse_shape(GetParam().text);
  ASSERT_FALSE(shape) << GetParam().text;
  EXPECT_EQ(shape.error().kind, ErrorKind::usage);
  EXPECT_THAT(shape.error().text, HasSubstr("\"" + std::string(GetParam().marked) + "\""));
  EXPECT_THAT(shape.error().text, HasSubstr(GetParam().why));
  EXPECT_EQ(shape.error().text.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadShapes,
    testing::Values(
        BadShape{"10..x/s over 1m", "10..^x/s over 1m", "not a number"},
        BadShape{"50/s, 10/s for 1s", "^50/s, 10/s for 1s", "only the last stage may go on"},
        BadShape{"50/s for 1s,", "50/s for 1s,^", "a stage is missing"}, BadShape{"10..20/s", "10..20/s^", "expected \"over TIME\""},
        BadShape{"10..20/s over", "10..20/s over^", "a time is missing"}, BadShape{"10..20/s over 10", "10..20/s over ^10", "not a time"},
        BadShape{"10..20/s over 0s", "10..20/s over ^0s", "longer than 0"}, BadShape{"hold 1m", "hold ^1m", "nothing before"},
        BadShape{"10/s for 1s hold 1m", "10/s for 1s ^hold 1m", "expected a comma"},
        BadShape{"sine mean 10/s", "sine ^mean 10/s", "needs all of"},
        BadShape{"sine mean 10/s amp 11/s period 1m", "sine ^mean 10/s amp 11/s period 1m", "more than its mean"},
        BadShape{"sine mean 10/s amp 1/s period 1m start up", "sine mean 10/s amp 1/s period 1m start ^up",
                 "mean, peak, falling or trough"},
        BadShape{"sine mean 10/s amp 1/s period 1m, hold 1m", "^sine mean 10/s amp 1/s period 1m, hold 1m", "only the last stage"},
        BadShape{"50..200/s step 0 every 1s", "50..200/s step ^0 every 1s", "more than 0"},
        BadShape{"50..200/s step 1/m every 1s", "50..200/s step ^1/m every 1s", "one unit"},
        BadShape{"50..200/s step 50", "50..200/s step 50^", "expected \"every TIME\""},
        BadShape{"1.5 every 1s", "^1.5 every 1s", "whole number"}, BadShape{"5/s every 1s", "^5/s every 1s", "without a unit"},
        BadShape{"poisson 10 every 1s", "poisson ^10 every 1s", "fixed times"},
        BadShape{"0/s for 5s", "^0/s for 5s", "nothing would be sent"}, BadShape{"10/s for 1s, 0/s", "10/s for 1s, ^0/s", "say how long"},
        BadShape{"spike base 1/s peak 5/s at 1s", "spike ^base 1/s peak 5/s at 1s", "needs all of"}, BadShape{"@", "^@", "name is missing"},
        BadShape{"@/no/such/file", "^@/no/such/file", "No such file"},
        BadShape{"1..200000000/s over 1s", "1..^200000000/s over 1s", "too high"},
        BadShape{"1/s for 900000h, 1/s", "^1/s for 900000h, 1/s", "longer than can be kept"},
        BadShape{"0..1000000/s step 0.001 every 1s", "^0..1000000/s step 0.001 every 1s", "longer than can be kept"},
        BadShape{"10/s for \033[2J", "10/s for ^\\x1b[2J", "not a time"}));

class PointsFile : public testing::Test {
 protected:
  std::string write(const std::string& content) {
    const std::string path = testing::TempDir() + "points-" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
    std::ofstream(path, std::ios::binary) << content;
    return "@" + path;
  }
};

TEST_F(PointsFile, IsStraightLinesBetweenPoints) {
  const Shape shape = shape_of(write("time,rate\r\n0,10\n# a jump:\n5,100\n5s;50/s\n\n1m\t3000/m\n"));
  EXPECT_EQ(shape.text(), "10/s..100/s over 5s, 50/s..3000/m over 55s");
  EXPECT_EQ(shape.hits_before(1h), 275u + 2750u);
}

TEST_F(PointsFile, ErrorsNameFileAndLine) {
  for (const auto& [content, why] : std::initializer_list<std::pair<const char*, const char*>>{{"0,10\n5,x\n", ":2: not a number"},
                                                                                               {"0,10\n5\n", ":2: expected time,rate"},
                                                                                               {"5,1\n4,1\n", ":2: times must not go back"},
                                                                                               {"0,10\n", "no two points"},
                                                                                               {"", "no two points"},
                                                                                               {"a,b\nc,d\n", ":2: expected time,rate"},
                                                                                               {"0,0\n9,0\n", "nothing would be sent"}}) {
    const auto shape = parse_shape(write(content));
    ASSERT_FALSE(shape) << content;
    EXPECT_THAT(shape.error().text, HasSubstr(why));
  }
}

TEST(Stages, SayWhenTheyBeginAndEnd) {
  const Shape shape = shape_of("50/s for 10s, 50..200/s over 30s, hold 1m");
  ASSERT_EQ(shape.stages().size(), 3u);
  EXPECT_EQ(shape.stages()[1].start, Nanos(10s));
  EXPECT_EQ(shape.stages()[1].length, Nanos(30s));
  EXPECT_EQ(shape.stages()[1].from, 50);
  EXPECT_EQ(shape.stages()[1].to, 200);
  EXPECT_DOUBLE_EQ(shape.rate_at(25s), 125);
  EXPECT_EQ(shape.rate_at(100s), 0);
  EXPECT_TRUE(parse_shape("100/s")->stages().empty());
}

TEST(Stages, AHitAtTheEndOfOneBelongsToTheNext) {
  const Shape shape = shape_of("100/s for 10s, 0/s for 10s, 100/s for 1s");
  EXPECT_EQ(shape.due(999), Nanos(9'990ms));
  EXPECT_EQ(shape.due(1000), Nanos(20s));
  EXPECT_EQ(shape.due(1099), Nanos(20'990ms));
  EXPECT_EQ(shape.due(1100), Nanos::max());
}

// Random expressions, some of them long enough for 10^9 hits and more.
std::string random_stage(std::mt19937_64& random, bool is_first) {
  const auto number = [&](std::uint64_t most) { return std::to_string(1 + random() % most); };
  const auto time = [&] { return number(20'000) + (random() % 2 == 0 ? "s" : "ms"); };
  switch (random() % (is_first ? 5 : 6)) {
    case 0:
      return number(100'000) + "/s for " + time();
    case 1:
      return number(100'000) + ".." + number(100'000) + "/s over " + time();
    case 2:
      return "0.." + number(5'000'000) + "/m over " + time();
    case 3: {
      const std::uint64_t mean = 1 + random() % 50'000;
      return "sine mean " + std::to_string(mean) + "/s amp " + std::to_string(random() % (mean + 1)) + "/s period " + time() + " for " +
             time();
    }
    case 4:
      return number(1'000) + " every " + time() + " for " + time();
    default:
      return "0/s for " + time();
  }
}

std::string random_shape(std::mt19937_64& random) {
  std::string text = random_stage(random, true);
  for (std::uint64_t more = random() % 4; more > 0; --more) text += ", " + random_stage(random, false);
  return text;
}

// The integral of the rate to t, by a fine sum over rate_at(): another way than the closed forms.
TEST(Property, CountsAreTheIntegralOfTheRate) {
  for (const char* text :
       {"10..500/s over 1m", "50/s for 10s, 50..200/s over 30s, hold 1m", "sine mean 100/s amp 100/s period 7s start trough for 30s",
        "sine mean 30/s amp 12/s period 3s start falling for 10s, 0..1000/m over 20s", "500..0/s over 13s"}) {
    const Shape shape = shape_of(text);
    const double length = static_cast<double>(shape.length()->count());
    double sum = 0;
    constexpr int kSteps = 200'000;
    for (int i = 0; i < kSteps; ++i) {
      sum += shape.rate_at(Nanos(static_cast<std::int64_t>(length * (i + 0.5) / kSteps))) * length / kSteps / 1e9;
      if (i % 20'000 != 19'999) continue;
      const Nanos t(static_cast<std::int64_t>(length * (i + 1) / kSteps));
      EXPECT_NEAR(static_cast<double>(shape.hits_before(t)), sum, 1.001) << text << " at " << t.count();
    }
  }
}

TEST(Property, DueTimesInvertCountsAndNeverGoBack) {
  std::mt19937_64 random(41);
  for (int i = 0; i < 500; ++i) {
    const std::string text = random_shape(random);
    const Shape shape = shape_of(text);
    const std::uint64_t total = shape.hits_before(*shape.length());
    ASSERT_GT(total, 0u) << text;
    EXPECT_EQ(shape.due(total), Nanos::max()) << text;
    EXPECT_LT(shape.due(total - 1), *shape.length()) << text;
    for (int k = 0; k < 200; ++k) {
      const std::uint64_t n = random() % total;
      const Nanos due = shape.due(n);
      ASSERT_LE(shape.hits_before(due), n) << text << " hit " << n;
      ASSERT_GT(shape.hits_before(due + Nanos(1)), n) << text << " hit " << n;
      ASSERT_LE(due, n + 1 < total ? shape.due(n + 1) : *shape.length()) << text << " hit " << n;
    }
  }
}

TEST(Property, IsWithinAMicrosecondOfTheExactInverseAfterTenToTheNineHits) {
  // A ramp's inverse has a closed form; here from the exact integers: t = L (sqrt(r0² + (r1² - r0²) n / N) - r0) / (r1 - r0).
  const Shape ramp = shape_of("1000..99000/s over 100000s");
  const long double r0 = 1000, r1 = 99000, length = 1e14L, hits = (r0 + r1) / 2 * 1e5L;
  for (const std::uint64_t n : {1'000'000'000ull, 2'345'678'901ull, 4'999'999'999ull}) {
    const long double exact = length * (std::sqrt(r0 * r0 + (r1 * r1 - r0 * r0) * static_cast<long double>(n) / hits) - r0) / (r1 - r0);
    EXPECT_NEAR(static_cast<double>(static_cast<long double>(ramp.due(n).count()) - exact), 0, 1000);
  }
  // A wave is where it was a thousand whole periods ago.
  const Shape wave = shape_of("sine mean 100000/s amp 40000/s period 10s start peak");
  for (const std::uint64_t n : {0ull, 1ull, 123'456ull, 999'999ull})
    EXPECT_NEAR(static_cast<double>((wave.due(n + 1'000'000'000) - wave.due(n)).count()), 1e13, 2);
}

TEST(Property, ShardsShareASchedule) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 60; ++i) {
    const bool is_poisson = i % 3 == 0;
    std::string text = random_shape(random);
    if (is_poisson && text.find("every") != std::string::npos) continue;
    text = "poisson " + text;
    if (!is_poisson) text.erase(0, 8);
    const Shape shape = shape_of(text);
    const Nanos end = std::min(*shape.length(), shape.due_when(2000));
    std::vector<Nanos> together, alone;
    for (std::uint32_t k = 0; k < 3; ++k) {
      load::Pacer pacer(shape, {}, kUnlimited, {k, 3}, end, 99);
      while (const auto due = pacer.take(end)) together.push_back(due->at);
      EXPECT_TRUE(pacer.is_over());
    }
    load::Pacer one(shape, {}, kUnlimited, {}, end, 99);
    while (const auto due = one.take(end)) alone.push_back(due->at);
    std::ranges::sort(together);
    EXPECT_EQ(together, alone) << text;
    if (!is_poisson) {
      EXPECT_EQ(alone.size(), shape.hits_before(end)) << text;
    }
  }
}

TEST(Property, WhatIsAbandonedIsCountedToTheEnd) {
  for (const char* text : {"100/s for 10s", "poisson 100/s for 10s", "0..100/s over 20s"}) {
    const Shape shape = shape_of(text);
    load::Pacer all(shape, {}, kUnlimited, {}, 10s, 3), some(shape, {}, kUnlimited, {}, 10s, 3);
    std::uint64_t taken = 0;
    while (all.take(10s)) ++taken;
    while (some.take(4s)) {
    }
    some.abandon();
    EXPECT_EQ(some.taken() + some.missed(), taken) << text;
  }
}

TEST(Poisson, GapsAreExponentialAndRepeatWithTheSeed) {
  const Shape shape = shape_of("poisson 200/s");
  constexpr std::size_t kGaps = 20'000;
  for (const std::uint64_t seed : {0ull, 1ull, 0xDEADBEEFull}) {
    load::Arrivals arrivals(shape, seed), again(shape, seed), other(shape, seed + 1);
    std::vector<double> gaps;
    Nanos last{0};
    bool differs = false;
    for (std::uint64_t n = 0; n < kGaps; ++n) {
      const Nanos due = arrivals.due(n);
      gaps.push_back(static_cast<double>((due - last).count()) / 1e9);
      last = due;
      ASSERT_EQ(again.due(n), due);
      differs = differs || other.due(n) != due;
    }
    EXPECT_TRUE(differs);
    // Kolmogorov and Smirnov's distance to 1 - exp(-200 x); 1.63 / sqrt(n) is passed by one in a hundred that are right.
    std::ranges::sort(gaps);
    double distance = 0;
    for (std::size_t i = 0; i < kGaps; ++i) {
      const double expected = 1 - std::exp(-200 * gaps[i]);
      distance = std::max(
          {distance, std::abs(expected - static_cast<double>(i) / kGaps), std::abs(expected - static_cast<double>(i + 1) / kGaps)});
    }
    EXPECT_LT(distance, 1.63 / std::sqrt(static_cast<double>(kGaps))) << "seed " << seed;
  }
}

TEST(Poisson, FollowsARamp) {
  const Shape shape = shape_of("poisson 0..1000/s over 100s");
  load::Arrivals arrivals(shape, 12);
  std::uint64_t n = 0, in_first_half = 0;
  for (Nanos due = arrivals.due(0); due != Nanos::max(); due = arrivals.due(++n)) in_first_half += due < Nanos(50s) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(n), 50'000, 5 * std::sqrt(50'000));
  EXPECT_NEAR(static_cast<double>(in_first_half), 12'500, 5 * std::sqrt(12'500));
}

}  // namespace
}  // namespace thrum
