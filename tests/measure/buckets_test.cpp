#include "measure/buckets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/duration.hpp"

namespace thrum {
namespace {

using testing::ElementsAre;

std::vector<std::uint64_t> counted(std::string_view buckets, const std::vector<std::int64_t>& values) {
  const Expected<std::vector<Nanos>> bounds = parse_buckets(buckets);
  if (!bounds) return {};
  BucketCounts counts(*bounds);
  for (const std::int64_t v : values) counts.add(Nanos(v));
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < counts.size(); ++i) out.push_back(counts.count(i));
  return out;
}

TEST(Buckets, AValueBelongsToTheBucketItBegins) {
  EXPECT_THAT(counted("[0,2ns,4ns]", {0, 1, 2, 3, 4, 5, 99}), ElementsAre(2, 2, 3));
  EXPECT_THAT(counted("[1ns]", {0, 1}), ElementsAre(1, 1));  // a bucket from 0 comes in front
  EXPECT_THAT(counted("[0]", {0, 5}), ElementsAre(2));
}

TEST(Buckets, BoundsInAnyOrderAndEqualOnesAsVegetaHasThem) {
  EXPECT_THAT(counted("[10ns,5ns]", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), ElementsAre(9, 0, 1));
  EXPECT_THAT(counted("[2ns,2ns,2ns]", {1, 2, 3, 4, 5}), ElementsAre(1, 0, 0, 4));
  EXPECT_THAT(counted("[0,-1ms]", {1, 2}), ElementsAre(0, 2));
}

TEST(Buckets, WhatIsBelowTheFirstGoesToTheLast) {
  EXPECT_THAT(counted("[-1ms,0,3ms]", {-5, -1'500'000, 0, 2'000'000}), ElementsAre(1, 2, 1));
}

TEST(Buckets, Texts) {
  for (const char* good : {"[0]", "[ 0 , 2ms , 4ms ]", "[1us,1µs,1μs]", "[-1ms,0]", "[+1s]", "[1h0.5m]"})
    EXPECT_TRUE(parse_buckets(good)) << good;
  for (const char* bad :
       {"", "[", "]", "[]", "[,]", "[0,]", "[,0]", "[abc]", "[0,1]", "[0 1ms]", "[0;1ms]", "0,1ms", "[0,1ms]x", "[1ms", "x[0]"})
    EXPECT_FALSE(parse_buckets(bad)) << bad;
  EXPECT_THAT(parse_buckets("[0,12parsecs]").error().text, testing::HasSubstr("12parsecs"));
}

TEST(Buckets, Merge) {
  BucketCounts a(*parse_buckets("[0,5ns]")), b = a;
  a.add(Nanos(1));
  b.add(Nanos(7));
  a.merge(b);
  EXPECT_EQ(a.total(), 2u);
  EXPECT_EQ(a.count(1), 1u);
}

}  // namespace
}  // namespace thrum
