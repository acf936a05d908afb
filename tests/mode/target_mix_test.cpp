#include "mode/target_mix.hpp"

#include <gtest/gtest.h>

namespace thrum::mode {
namespace {

std::vector<Target> targets(std::size_t count) {
  std::vector<Target> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back({.url = "http://a/" + std::to_string(i)});
  return out;
}

TEST(TargetMix, IsToldWhereSomebodySaidSomethingOfIt) {
  AttackOptions plain, shuffled;
  shuffled.order = Order::shuffle;
  EXPECT_EQ(mix_of(plain, targets(3)).order, "");
  EXPECT_EQ(mix_of(shuffled, targets(1)).order, "");
  EXPECT_EQ(mix_of(shuffled, targets(3)).order, "shuffle");
  std::vector<Target> some = targets(3);
  some[1].name = "a";
  EXPECT_EQ(mix_of(plain, some).order, "sequence");
  some = targets(3);
  some[1].weight = 1;
  EXPECT_EQ(mix_of(plain, some).order, "weighted");
}

TEST(TargetMix, HasWeightsWhereTheyCount) {
  AttackOptions options;
  std::vector<Target> some = targets(3);
  some[1].weight = 5;
  EXPECT_EQ(mix_of(options, some).parts[1].weight, 5u);
  EXPECT_EQ(mix_of(options, some).parts[0].weight, 1u);
  options.order = Order::sequence;
  EXPECT_EQ(mix_of(options, some).parts[1].weight, 1u);
}

TEST(TargetMix, TakesWhatCantBeToldApartAsOne) {
  std::vector<Target> some = targets(4);
  some[0].name = some[1].name = "page";
  some[1].weight = 3;
  some[3].url = some[2].url;
  const TargetMix mix = mix_of({}, some);
  ASSERT_EQ(mix.parts.size(), 2u);
  EXPECT_EQ(mix.parts[0].weight, 4u);
  EXPECT_EQ(mix.parts[1].url, "http://a/2");
  EXPECT_EQ(mix.parts[1].weight, 2u);
}

TEST(TargetMix, KeepsTheHeaviest) {
  std::vector<Target> some = targets(500);
  for (std::size_t i = 0; i < 150; ++i) some[3 * i].weight = 2;
  some[499].weight = 7;
  const TargetMix mix = mix_of({}, some);
  ASSERT_EQ(mix.parts.size(), TargetMix::kMostParts);
  EXPECT_EQ(mix.others, 300u);
  EXPECT_EQ(mix.others_weight, 300u);
  EXPECT_EQ(mix.parts.front().weight, 2u);
  EXPECT_EQ(mix.parts[1].url, "http://a/1");
  EXPECT_EQ(mix.parts.back().weight, 7u);
}

}  // namespace
}  // namespace thrum::mode
