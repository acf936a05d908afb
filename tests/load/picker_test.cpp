#include "load/picker.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

namespace thrum::load {
namespace {

using testing::HasSubstr;
using Weights = std::vector<std::uint32_t>;

Picker picker(Order order, const Weights& weights, std::uint64_t seed = 1) {
  auto made = Picker::make(order, weights, seed);
  EXPECT_TRUE(made) << made.error().text;
  return std::move(*made);
}

std::vector<std::size_t> first(const Picker& p, std::size_t count) {
  std::vector<std::size_t> out;
  for (std::uint64_t hit = 0; hit < count; ++hit) out.push_back(p.target_of(hit));
  return out;
}

// How far counts lie from being even, in units that chi-square tables know.
double chi_square(const std::vector<std::uint64_t>& counts) {
  const double mean =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})) / static_cast<double>(counts.size());
  double sum = 0;
  for (const std::uint64_t c : counts) sum += (static_cast<double>(c) - mean) * (static_cast<double>(c) - mean) / mean;
  return sum;
}

TEST(Order, HasNames) {
  for (const Order order : {Order::sequence, Order::shuffle, Order::random, Order::weighted}) EXPECT_EQ(parse_order(name_of(order)), order);
  EXPECT_THAT(parse_order("sorted").error().text, HasSubstr("not one of sequence, shuffle, random, weighted"));
}

TEST(Order, IsByWeightWhereThereIsOneAndNothingElseIsSaid) {
  AttackOptions o;
  std::vector<Target> targets(3);
  EXPECT_EQ(order_of(o, targets), Order::sequence);
  targets[1].weight = 1;
  EXPECT_EQ(order_of(o, targets), Order::weighted);
  o.order = Order::random;
  EXPECT_EQ(order_of(o, targets), Order::random);
}

TEST(Picker, SequenceIsRoundAndRound) {
  EXPECT_THAT(first(picker(Order::sequence, Weights(3, 7)), 7), testing::ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(Picker, OfOneTargetTakesThatOne) {
  for (const Order order : {Order::sequence, Order::shuffle, Order::random, Order::weighted})
    EXPECT_EQ(picker(order, {1'000'000}).target_of(UINT64_MAX), 0u);
  EXPECT_FALSE(Picker::make(Order::sequence, {}, 0));
}

TEST(Picker, ShufflesEachRoundAnew) {
  for (const std::size_t n : {2u, 3u, 4u, 5u, 7u, 9u, 16u, 17u, 100u, 1000u, 4099u}) {
    const Picker p = picker(Order::shuffle, Weights(n, 0));
    std::vector<std::size_t> all(n), before;
    std::iota(all.begin(), all.end(), 0);
    std::size_t repeats = 0;
    for (const std::uint64_t round : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 40}) {
      std::vector<std::size_t> order;
      for (std::uint64_t place = 0; place < n; ++place) order.push_back(p.target_of(round * n + place));
      repeats += order == before;
      before = order;
      std::ranges::sort(order);
      EXPECT_EQ(order, all) << n << " in round " << round;
    }
    EXPECT_LT(repeats, n < 5 ? 4u : 1u) << n;
  }
}

// With a seed that is fixed these can't fail by chance; the bounds are what a fair shuffle exceeds once in a thousand seeds.
TEST(Picker, ShufflesFairly) {
  std::map<std::vector<std::size_t>, std::uint64_t> orders;
  const Picker three = picker(Order::shuffle, Weights(3, 0), 7);
  for (std::uint64_t round = 0; round < 6000; ++round)
    ++orders[{three.target_of(3 * round), three.target_of(3 * round + 1), three.target_of(3 * round + 2)}];
  ASSERT_EQ(orders.size(), 6u);
  std::vector<std::uint64_t> counts;
  for (const auto& [order, count] : orders) counts.push_back(count);
  EXPECT_LT(chi_square(counts), 20.5);  // 5 degrees of freedom

  for (const std::size_t n : {2u, 4u, 5u, 9u, 20u}) {
    const Picker p = picker(Order::shuffle, Weights(n, 0), 7);
    for (std::size_t place = 0; place < n; ++place) {
      std::vector<std::uint64_t> at(n);
      for (std::uint64_t round = 0; round < 2000; ++round) ++at[p.target_of(n * round + place)];
      const double freedom = static_cast<double>(n) - 1;
      EXPECT_LT(chi_square(at), freedom + 4.5 * std::sqrt(2 * freedom) + 6) << n << " at " << place;
    }
  }
}

TEST(Picker, DrawsFairly) {
  const Picker p = picker(Order::random, Weights(10, 5), 3);
  std::vector<std::uint64_t> counts(10), after(10);
  for (std::uint64_t hit = 0; hit < 10'000; ++hit) {
    ++counts[p.target_of(hit)];
    if (p.target_of(hit) == 4) ++after[p.target_of(hit + 1)];
  }
  EXPECT_LT(chi_square(counts), 27.9);  // 9 degrees of freedom
  EXPECT_LT(chi_square(after), 27.9);
}

TEST(Picker, DrawsTheSameFromTheSameSeedOnly) {
  for (const Order order : {Order::shuffle, Order::random, Order::weighted}) {
    const Weights weights(12, 1);
    EXPECT_EQ(first(picker(order, weights, 5), 100), first(picker(order, weights, 5), 100)) << name_of(order);
    EXPECT_NE(first(picker(order, weights, 5), 100), first(picker(order, weights, 6), 100)) << name_of(order);
  }
}

// After any number of hits each target has had its share, less than one hit off; after a whole cycle exactly.
void expect_shares(const Weights& weights, std::uint64_t seed) {
  const Picker p = picker(Order::weighted, weights, seed);
  std::vector<std::uint64_t> count(weights.size());
  std::uint64_t sum = 0;
  for (const std::uint32_t w : weights) sum += std::max<std::uint32_t>(1, w);
  for (std::uint64_t hit = 0; hit < 2 * sum; ++hit) {
    ++count[p.target_of(hit)];
    for (std::size_t i = 0; i < weights.size(); ++i) {
      // |count - (hit + 1) * w / sum| < 1, in whole numbers
      const auto off =
          static_cast<std::int64_t>(count[i] * sum) - static_cast<std::int64_t>((hit + 1) * std::max<std::uint32_t>(1, weights[i]));
      ASSERT_LT(std::abs(off), static_cast<std::int64_t>(sum)) << "target " << i << " after " << hit + 1;
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_EQ(count[i], 2 * std::max<std::uint32_t>(1, weights[i]));
}

TEST(Picker, GivesEachTargetItsShareAtAnyTime) {
  expect_shares({5, 3, 2}, 1);
  expect_shares({0, 0, 3}, 2);
  expect_shares({1, 1}, 3);
  expect_shares({97, 1}, 4);
  expect_shares({1, 1, 1, 1, 1, 1, 1, 50}, 5);
  std::mt19937_64 random(9);
  for (int i = 0; i < 60; ++i) {
    Weights weights(2 + random() % 30);
    for (std::uint32_t& w : weights) w = static_cast<std::uint32_t>(random() % 40);
    expect_shares(weights, random());
  }
}

TEST(Picker, TakesWeightsInLowestTerms) {
  EXPECT_EQ(first(picker(Order::weighted, {1'000'000, 500'000}), 9), first(picker(Order::weighted, {2, 1}), 9));
  const Picker large = picker(Order::weighted, {1'000'000, 999'999, 1});
  std::vector<std::uint64_t> count(3);
  for (std::uint64_t hit = 0; hit < 2'000'000; ++hit) ++count[large.target_of(hit)];
  EXPECT_THAT(count, testing::ElementsAre(1'000'000, 999'999, 1));
  const auto too_long = Picker::make(Order::weighted, Weights{1'000'000, 999'999, 999'998, 999'997, 999'996}, 1);
  ASSERT_FALSE(too_long);
  EXPECT_THAT(too_long.error().text, HasSubstr("add up to 4999990 (in lowest terms), and more than 4194304 is too much"));
}

}  // namespace
}  // namespace thrum::load
