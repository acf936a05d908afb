// Who sends which hit.
#include "load/division.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace thrum::load {
namespace {

std::vector<std::uint64_t> hits_of(const Share& share, std::uint64_t until) {
  std::vector<std::uint64_t> hits;
  for (std::uint64_t n = share.next(0); n < until; n = share.following(n)) hits.push_back(n);
  return hits;
}

TEST(Share, IsDealtInTurnAndAnewFromADivisionOn) {
  Share first({0, 2}), second({1, 2}), joined({2, 2});
  for (Share* s : {&first, &second, &joined}) {
    s->divide(5, 3);
    s->divide(11, 1);
  }
  EXPECT_EQ(hits_of(first, 14), (std::vector<std::uint64_t>{0, 2, 4, 5, 8, 11, 12, 13}));
  EXPECT_EQ(hits_of(second, 14), (std::vector<std::uint64_t>{1, 3, 6, 9}));
  EXPECT_EQ(hits_of(joined, 14), (std::vector<std::uint64_t>{7, 10}));
  EXPECT_EQ(second.next(10), Share::kNone);
  EXPECT_EQ(first.before(9), 5u);
  EXPECT_EQ(joined.before(1000), 2u);
}

TEST(Share, PartsAreTheWhole) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    constexpr std::uint32_t kMost = 6;
    const auto shards = [&] { return 1 + static_cast<std::uint32_t>(random() % kMost); };
    std::vector<Share> all;
    for (std::uint32_t k = 0, first = shards(); k < kMost; ++k) all.emplace_back(Slice{k, first});
    std::uint64_t from = 0;
    for (int i = 0; i < 5; ++i) {
      from += random() % 40;
      const std::uint32_t n = shards();
      for (Share& s : all) s.divide(from, n);
    }
    std::vector<int> owners(300, 0);
    std::vector<std::uint64_t> before(kMost, 0);
    for (std::uint32_t k = 0; k < kMost; ++k)
      for (const std::uint64_t n : hits_of(all[k], owners.size())) {
        EXPECT_EQ(all[k].before(n), before[k]++);
        EXPECT_EQ(all[k].next(n), n);
        ++owners[n];
      }
    for (const int count : owners) EXPECT_EQ(count, 1);
  }
}

TEST(Share, HoldsAtTheEndOfNumbers) {
  Share share({1, 3});
  EXPECT_EQ(share.following(UINT64_MAX - 2), Share::kNone);
  EXPECT_EQ(share.next(UINT64_MAX - 1), Share::kNone);
  EXPECT_GT(share.before(UINT64_MAX), UINT64_MAX / 3 - 2);
}

TEST(Frontier, IsNoneUnlessOpened) {
  Frontier frontier;
  EXPECT_GT(frontier.open_for(1'000'000'000'000), std::uint64_t{1} << 62);
}

TEST(Frontier, NobodyIsBeyondItWhileItIsHeld) {
  Frontier frontier;
  frontier.open(10);
  EXPECT_EQ(frontier.open_for(5), 10u);
  EXPECT_EQ(frontier.open_for(10), 20u);
  EXPECT_EQ(frontier.hold(), 20u);
  EXPECT_EQ(frontier.open_for(19), 20u);
  EXPECT_EQ(frontier.open_for(20), 20u);
  EXPECT_FALSE(frontier.admits_all(21));
  frontier.release();
  EXPECT_TRUE(frontier.admits_all(21));
  EXPECT_TRUE(frontier.is_beyond(21));
  EXPECT_TRUE(frontier.admits_all(0));
}

// Many walk on while one divides: what is taken is never beyond what was held before it.
TEST(Frontier, HoldsAgainstManyThreads) {
  Frontier frontier;
  frontier.open(4);
  std::atomic<std::uint64_t> taken{0}, held{UINT64_MAX};
  std::atomic<bool> over{false}, broken{false};
  std::vector<std::thread> walkers;
  for (int i = 0; i < 3; ++i)
    walkers.emplace_back([&] {
      for (std::uint64_t n = 0; !over.load();) {
        const std::uint64_t limit = held.load();
        if (frontier.open_for(n) <= n) continue;
        // `held` was set before and is so still: the frontier can't have been moved beyond it.
        if (limit != UINT64_MAX && held.load() == limit && n >= limit) broken.store(true);
        ++n;
        taken.fetch_add(1, std::memory_order_relaxed);
      }
    });
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t at = frontier.hold();
    held.store(at);
    std::this_thread::yield();
    held.store(UINT64_MAX);
    frontier.release();
    std::this_thread::yield();
  }
  over.store(true);
  for (std::thread& t : walkers) t.join();
  EXPECT_FALSE(broken.load());
}

}  // namespace
}  // namespace thrum::load
