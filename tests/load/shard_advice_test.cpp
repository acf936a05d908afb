// When a thread is added, and when it is taken back: in time that is handed in.
#include "load/shard_advice.hpp"

#include <gtest/gtest.h>

namespace thrum::load {
namespace {

using namespace std::chrono_literals;

// A machine and a target: `rate(shards)` is what so many send per second, `busy(shards)` how busy each is then.
struct World {
  double (*rate)(std::uint32_t) = nullptr;
  double (*busy)(std::uint32_t) = nullptr;
  double idle = 3;
  double sent = 0;
  Nanos t{0};
  std::uint32_t shards = 1;
  std::uint32_t changes = 0;

  void run(ShardAdvice& advice, Nanos length) {
    for (const Nanos end = t + length; t < end; t += 90ms) {
      const std::uint32_t wanted = advice.look(t, {busy(shards), static_cast<std::uint64_t>(sent), idle});
      changes += wanted != shards;
      shards = wanted;
      sent += rate(shards) * 0.09;
    }
  }
};

TEST(ShardAdvice, LeavesAloneWhatIsNotAtItsLimit) {
  ShardAdvice advice(1, 8);
  World w{.rate = [](std::uint32_t) { return 50'000.0; }, .busy = [](std::uint32_t) { return 0.9; }};
  w.run(advice, 60s);
  EXPECT_EQ(w.changes, 0u);
}

TEST(ShardAdvice, AddsWhileEachBringsMore) {
  ShardAdvice advice(1, 8);
  World w{.rate = [](std::uint32_t n) { return 100'000.0 * std::min(n, 3u); }, .busy = [](std::uint32_t n) { return n <= 3 ? 1.0 : 0.7; }};
  w.run(advice, 30s);
  EXPECT_EQ(w.shards, 4u);  // the fourth is not at its limit
}

TEST(ShardAdvice, TakesBackWhatBringsNothing) {
  ShardAdvice advice(1, 8);
  World w{.rate = [](std::uint32_t) { return 100'000.0; }, .busy = [](std::uint32_t) { return 1.0; }};
  w.run(advice, 25s);
  EXPECT_EQ(w.shards, 1u);
  EXPECT_EQ(w.changes, 2u);  // once up and down; not again for a while
  w.run(advice, 300s);
  EXPECT_EQ(w.shards, 1u);
  EXPECT_LE(w.changes, 8u);  // ever more seldom
}

TEST(ShardAdvice, APauseSaysNothingOfAThread) {
  ShardAdvice advice(1, 8);
  World w{.rate = [](std::uint32_t n) { return 100'000.0 * n; }, .busy = [](std::uint32_t n) { return n < 2 ? 1.0 : 0.5; }};
  w.run(advice, 1200ms);
  EXPECT_EQ(w.shards, 2u);
  advice.pause();
  World still{.rate = [](std::uint32_t) { return 0.0; },
              .busy = [](std::uint32_t) { return 1.0; },
              .idle = 0,
              .sent = w.sent,
              .t = w.t,
              .shards = 2};
  still.run(advice, 5s);
  EXPECT_EQ(still.shards, 2u);
}

TEST(ShardAdvice, NeedsACoreThatIsIdle) {
  ShardAdvice advice(1, 8);
  World w{.rate = [](std::uint32_t n) { return 100'000.0 * n; }, .busy = [](std::uint32_t) { return 1.0; }, .idle = 0.3};
  w.run(advice, 60s);
  EXPECT_EQ(w.changes, 0u);
}

TEST(ShardAdvice, GoesNoFurtherThanItMay) {
  ShardAdvice advice(1, 2);
  World w{.rate = [](std::uint32_t n) { return 100'000.0 * n; }, .busy = [](std::uint32_t) { return 1.0; }};
  w.run(advice, 60s);
  EXPECT_EQ(w.shards, 2u);
  EXPECT_EQ(w.changes, 1u);
}

TEST(ShardAdvice, AMomentAtTheLimitIsNone) {
  ShardAdvice advice(1, 8);
  World busy{.rate = [](std::uint32_t) { return 1e5; }, .busy = [](std::uint32_t) { return 1.0; }};
  World calm{.rate = [](std::uint32_t) { return 1e5; }, .busy = [](std::uint32_t) { return 0.5; }};
  for (int i = 0; i < 30; ++i) {
    busy.run(advice, 700ms);
    calm.t = busy.t;
    calm.run(advice, 300ms);
    busy.t = calm.t;
  }
  EXPECT_EQ(busy.changes + calm.changes, 0u);
}

}  // namespace
}  // namespace thrum::load
