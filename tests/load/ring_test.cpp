#include "load/ring.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

namespace thrum::load {
namespace {

TEST(Ring, GivesBackWhatCameInThatOrder) {
  Ring<int> ring(4);
  int value = -1;
  EXPECT_FALSE(ring.pop(value));
  for (int turn = 0; turn < 5; ++turn) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.push(i));
    EXPECT_FALSE(ring.push(9));
    EXPECT_EQ(ring.size(), 4u);
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(ring.pop(value));
      EXPECT_EQ(value, i);
    }
    EXPECT_FALSE(ring.pop(value));
    EXPECT_EQ(ring.size(), 0u);
  }
  EXPECT_EQ(ring.capacity(), 4u);
}

TEST(Ring, HasPlaceAgainAfterEachPop) {
  Ring<int> ring(2);
  EXPECT_TRUE(ring.push(1));
  EXPECT_TRUE(ring.push(2));
  for (int i = 3; i < 1000; ++i) {
    EXPECT_FALSE(ring.push(i));
    int value = 0;
    EXPECT_TRUE(ring.pop(value));
    EXPECT_EQ(value, i - 2);
    EXPECT_TRUE(ring.push(i));
  }
}

// Values of several words, so that a torn one would show; a small ring, so that it is full and empty all the time.
TEST(Ring, CarriesValuesWholeBetweenTwoThreads) {
  struct Value {
    std::uint64_t number = 0, twice = 0, inverse = 0;
  };
  Ring<Value> ring(8);
  constexpr std::uint64_t kCount = 200'000;
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < kCount; ++i)
      while (!ring.push({i, i * 2, ~i})) sched_yield();
  });
  std::uint64_t faults = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    Value value;
    while (!ring.pop(value)) sched_yield();
    faults += value.number != i || value.twice != i * 2 || value.inverse != ~i ? 1 : 0;
    faults += ring.size() > ring.capacity() ? 1 : 0;
  }
  producer.join();
  EXPECT_EQ(faults, 0u);
}

TEST(Ring, StartsAgainWhereNothingWaits) {
  const auto resident = [] {
    std::size_t all = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * static_cast<std::size_t>(getpagesize());
  };
  struct Large {
    char bytes[16 * 1024] = {};
  };
  Ring<Large> ring(4096);
  Large value;
  const std::size_t before = resident();
  for (int turn = 0; turn < 4096; ++turn) {
    for (int i = 0; i < 3; ++i) {
      value.bytes[0] = static_cast<char>(turn + i);
      ASSERT_TRUE(ring.push(value));
    }
    EXPECT_EQ(ring.size(), 3u);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(ring.pop(value));
      ASSERT_EQ(value.bytes[0], static_cast<char>(turn + i));
    }
  }
  EXPECT_LT(resident() - before, 512u * sizeof(Large));  // of 4,096
  // What waits stays: as many as there is room for, wherever they start.
  for (int i = 0; i < 4096; ++i) ASSERT_TRUE(ring.push(value));
  EXPECT_FALSE(ring.push(value));
  EXPECT_EQ(ring.size(), 4096u);
}

}  // namespace
}  // namespace thrum::load
