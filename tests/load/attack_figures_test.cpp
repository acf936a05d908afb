// Figures only: each sending thread has a sink of its own, and nothing of a hit leaves it.
#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "attack_run.hpp"
#include "support/io.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::ScriptedServer;

class Counting final : public ShardSinks {
 public:
  struct Shard final : ResultSink {
    Expected<void> take(std::span<const Result> results) override {
      thread = std::this_thread::get_id();
      for (const Result& r : results) (r.is_warmup ? warm : counted) += 1, failed += r.code != 200;
      return fails ? failure("no more of it") : Expected<void>{};
    }
    Expected<void> tick() override {
      ++ticks;
      return {};
    }
    std::thread::id thread;
    std::uint64_t counted = 0, warm = 0, failed = 0;
    std::atomic<std::uint64_t> ticks{0};
    bool fails = false;
  };

  ResultSink& sink_of(std::uint32_t shard, std::uint32_t count) override {
    EXPECT_EQ(shard, shards.size());
    EXPECT_GT(count, shard);
    shards.emplace_back().fails = fails;
    return shards.back();
  }
  Expected<void> tick() override {
    std::uint64_t least = UINT64_MAX;
    for (const Shard& s : shards) least = std::min(least, s.ticks.load());
    if (seen_ticks > 1) starved += least == last_least;
    last_least = least;
    ++seen_ticks;
    return ticks_fail && seen_ticks > 1 ? failure("enough seen") : Expected<void>{};
  }

  std::deque<Shard> shards;
  bool fails = false, ticks_fail = false;
  std::uint64_t seen_ticks = 0, last_least = 0, starved = 0;
};

std::unique_ptr<Attacker> attacker_of(AttackOptions o, const std::string& url) {
  o.io = support::io_of_tests();
  return make_attacker(std::move(o), get({url}));
}

TEST(Figures, OfEachThreadStayOnIt) {
  ScriptedServer server(answering());
  AttackOptions o = closed_attack(4, 2000);
  o.shards = 2;
  o.warmup = 50ms;
  auto attacker = attacker_of(o, server.url());
  Counting sinks;
  const auto summary = attacker->run(sinks);
  ASSERT_TRUE(summary) << summary.error().text;
  ASSERT_EQ(sinks.shards.size(), 2u);
  EXPECT_EQ(sinks.shards[0].counted + sinks.shards[1].counted, 2000u);
  EXPECT_EQ(sinks.shards[0].warm + sinks.shards[1].warm, summary->warmup.sent);
  EXPECT_NE(sinks.shards[0].thread, sinks.shards[1].thread);
  EXPECT_NE(sinks.shards[0].thread, std::this_thread::get_id());
  EXPECT_EQ(summary->books.ok, 2000u);
}

TEST(Figures, AThreadWithNothingToDoHasItsTurns) {
  ScriptedServer server(answering());
  AttackOptions o = open_hits("2/s", 2);
  o.shards = 2;
  auto attacker = attacker_of(o, server.url());
  Counting sinks;
  ASSERT_TRUE(attacker->run(sinks));
  EXPECT_GE(sinks.seen_ticks, 3u);
  EXPECT_LE(sinks.starved, 1u) << "of " << sinks.seen_ticks;
}

TEST(Figures, ASinkThatFailsEndsTheAttack) {
  ScriptedServer server(answering());
  for (const bool by_tick : {false, true}) {
    auto attacker = attacker_of(open_attack("500/s", 60s), server.url());
    Counting sinks;
    (by_tick ? sinks.ticks_fail : sinks.fails) = true;
    const auto summary = attacker->run(sinks);
    ASSERT_FALSE(summary);
    EXPECT_EQ(summary.error().text, by_tick ? "enough seen" : "no more of it");
  }
}

}  // namespace
}  // namespace thrum::load
