// What is sent before the run counts for nothing, and leaves its connections behind.
#include <gmock/gmock.h>

#include <algorithm>

#include "attack_run.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::ScriptedServer;

std::size_t warm(const Ran& r) {
  return static_cast<std::size_t>(std::ranges::count_if(r.warmup, [](const Kept& k) { return k.is_warmup; }));
}

TEST(Warmup, IsMarkedAndInNoBook) {
  ScriptedServer server(answering());
  AttackOptions o = open_hits("200/s", 40);
  o.warmup = 300ms;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().scheduled, 40u);
  EXPECT_EQ(r.books().ok, 40u);
  EXPECT_EQ(r.results.size(), 40u);
  EXPECT_EQ(r.summary->warmup.length, 300ms);
  EXPECT_GE(r.summary->warmup.sent, 40u) << "a busy machine sends fewer than the 60 that are due";
  EXPECT_LE(r.summary->warmup.sent, 60u);
  EXPECT_EQ(r.summary->warmup.failed, 0u);
  EXPECT_EQ(warm(r), r.summary->warmup.sent);
  EXPECT_EQ(server.requests(), 40u + r.summary->warmup.sent);
  for (const Kept& k : r.warmup) EXPECT_LT(k.timestamp.since(r.summary->started) - k.lag, 0ms);
  for (const Kept& k : r.results) EXPECT_GE(k.timestamp.since(r.summary->started), 5ms * static_cast<std::int64_t>(k.seq));
}

TEST(Warmup, LeavesItsConnections) {
  ScriptedServer server(answering());
  AttackOptions o = open_hits("100/s", 10);
  o.warmup = 200ms;
  const Ran r = attack(o, server.url());
  for (const Kept& k : r.results) EXPECT_EQ(k.connect, Result::kNone) << k.seq;
  EXPECT_EQ(r.summary->connections.preconnected, r.summary->connections.opened);
}

TEST(Warmup, GoesAtARateOfItsOwn) {
  ScriptedServer server(answering());
  AttackOptions o = open_hits("10/s", 1);
  o.warmup_shape = *parse_shape("0..400/s over 200ms");
  o.warmup = *o.warmup_shape->length();
  const Ran r = attack(o, server.url());
  EXPECT_LE(r.summary->warmup.sent, 40u);
  EXPECT_GE(r.summary->warmup.sent, 20u);
}

TEST(Warmup, OfAClosedLoopEndsByTime) {
  ScriptedServer server(answering());
  AttackOptions o = closed_attack(4, 50);
  o.warmup = 100ms;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 50u);
  EXPECT_GT(r.summary->warmup.sent, 0u);
  EXPECT_EQ(warm(r), r.summary->warmup.sent);
  std::vector<std::uint64_t> numbers;
  for (const Kept& k : r.results) numbers.push_back(k.seq);
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
}

TEST(Warmup, WhatItCouldNotSendIsDropped) {
  ScriptedServer server(support::Script().request().pause(250ms).bytes(support::response(200)).again());
  AttackOptions o = open_hits("200/s", 2);
  o.max_workers = 1;
  o.warmup = 300ms;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().scheduled, 2u);
  EXPECT_EQ(r.books().ok, 2u);
  EXPECT_LE(r.summary->warmup.sent, 3u);
}

TEST(Warmup, CanBeStopped) {
  ScriptedServer server(answering());
  AttackOptions o = open_attack("100/s", 0ms);
  o.warmup = 100s;
  const auto attacker = make_attacker(o, get({server.url()}));
  KeepingSink sink;
  sink.on_tick = [&]() -> Expected<void> {
    EXPECT_GT(attacker->progress().warmup_left, 0ms);
    attacker->stop();
    return {};
  };
  const Ran r = run(*attacker, sink);
  EXPECT_EQ(r.books().scheduled, 0u);
  EXPECT_TRUE(r.results.empty());
}

TEST(Warmup, NeedsARateAndTargetsThatStay) {
  AttackOptions o = open_attack("0..10/s over 1s", 0ms);
  o.warmup = 1s;
  const auto from_zero = Attacker::create(o, get({"http://127.0.0.1:1/"}));
  ASSERT_FALSE(from_zero);
  EXPECT_THAT(from_zero.error().text, testing::HasSubstr("-warmup='50/s for 10s'"));
}

// Changes while it goes on.

TEST(Steering, ChangesTheRate) {
  ScriptedServer server(answering());
  AttackOptions o = open_attack("10/s", 600ms);
  o.is_steerable = true;
  const auto attacker = make_attacker(o, get({server.url()}));
  KeepingSink sink;
  Nanos changed(0);
  sink.on_tick = [&]() -> Expected<void> {
    if (changed > 0ms) return {};
    const auto at = attacker->change_rate(*parse_shape("500/s"));
    EXPECT_TRUE(at) << at.error().text;
    changed = at.value_or(0ms);
    return {};
  };
  const Ran r = run(*attacker, sink);
  ASSERT_GT(changed, 0ms);
  if (changed < 500ms) {
    EXPECT_GT(r.books().scheduled, 40u);
  }
  EXPECT_EQ(r.books().scheduled, r.results.size() + r.books().missed);
  for (std::size_t i = 0; i < r.results.size(); ++i) EXPECT_EQ(r.results[i].seq, i);
}

TEST(Steering, APauseKeepsTheServerQuietAndTheCount) {
  ScriptedServer server(answering());
  AttackOptions o = open_attack("100/s", 500ms);
  o.is_steerable = true;
  const auto attacker = make_attacker(o, get({server.url()}));
  KeepingSink sink;
  Nanos paused(0), resumed(0);
  int ticks = 0;
  sink.on_tick = [&]() -> Expected<void> {
    if (++ticks == 1) paused = attacker->pause().value_or(0ms);
    if (ticks == 2) {
      EXPECT_TRUE(attacker->progress().is_paused);
    }
    if (ticks == 4) resumed = attacker->resume().value_or(0ms);
    return {};
  };
  const Ran r = run(*attacker, sink);
  ASSERT_GT(paused, 0ms);
  ASSERT_GT(resumed, paused);
  EXPECT_EQ(r.books().scheduled, 50u);
  for (const Kept& k : r.results) {
    const Nanos due = k.timestamp.since(r.summary->started) - k.lag;
    EXPECT_TRUE(due < paused + 1ms || due >= resumed) << due.count();
  }
}

TEST(Steering, AClosedLoopPausesAndItsEndMovesBack) {
  ScriptedServer server(answering());
  AttackOptions o = closed_attack(3, kUnlimited);
  o.duration = 400ms;
  o.is_steerable = true;
  o.shards = 2;
  const auto attacker = make_attacker(o, get({server.url()}));
  KeepingSink sink;
  Nanos paused(0), resumed(0);
  int ticks = 0;
  sink.on_tick = [&]() -> Expected<void> {
    if (++ticks == 1) paused = attacker->pause().value_or(0ms);
    if (ticks == 2) {
      EXPECT_TRUE(attacker->progress().is_paused);
    }
    if (ticks == 5) resumed = attacker->resume().value_or(0ms);
    return {};
  };
  const Ran r = run(*attacker, sink);
  ASSERT_GT(paused, 0ms);
  ASSERT_GT(resumed, paused);
  Nanos last(0);
  for (const Kept& k : r.results) {
    const Nanos sent = k.timestamp.since(r.summary->started);
    EXPECT_TRUE(sent < paused + 50ms || sent >= resumed) << sent.count();
    last = std::max(last, sent);
  }
  EXPECT_GT(last, resumed);
  EXPECT_LT(last, 400ms + (resumed - paused));
}

TEST(Steering, WorkersAreAddedAndTakenAway) {
  ScriptedServer server(
      [](std::size_t) { return support::Script().request().pause(support::Millis(20)).bytes(support::response(200, "")).again(); });
  AttackOptions o = closed_attack(2, 150);
  o.is_steerable = true;
  const auto attacker = make_attacker(o, get({server.url()}));
  KeepingSink sink;
  std::uint64_t before = 0, more = 0, fewer = UINT64_MAX;
  int ticks = 0;
  sink.on_tick = [&]() -> Expected<void> {
    ++ticks;
    const std::uint64_t in_flight = attacker->progress().in_flight;
    if (ticks == 2) {
      before = in_flight;
      EXPECT_TRUE(attacker->change_workers(8));
    }
    if (ticks == 4) {
      more = in_flight;
      EXPECT_TRUE(attacker->change_workers(0));
    }
    if (ticks == 6) {
      fewer = in_flight;
      EXPECT_TRUE(attacker->change_workers(5));
    }
    return {};
  };
  const Ran r = run(*attacker, sink);
  EXPECT_LE(before, 2u);
  EXPECT_LE(more, 8u);
  EXPECT_GT(more, 2u);
  EXPECT_LE(fewer, 1u) << "one at least is left";
  EXPECT_EQ(r.results.size(), 150u);
}

TEST(Steering, IsRefusedWhereItCanNotBe) {
  ScriptedServer server(answering());
  const auto plain = make_attacker(open_attack("10/s", 100ms), get({server.url()}));
  EXPECT_FALSE(plain->pause());
  AttackOptions o = open_attack("10/s", 100ms);
  o.is_steerable = true;
  const auto attacker = make_attacker(o, get({server.url()}));
  EXPECT_FALSE(attacker->resume()) << "has not begun";
  EXPECT_FALSE(attacker->change_rate(Shape::closed()));
  EXPECT_FALSE(attacker->change_rate(*parse_shape("poisson 10/s")));
  (void)run(*attacker);
  EXPECT_FALSE(attacker->pause()) << "is over";
  (void)run(*plain);
}

}  // namespace
}  // namespace thrum::load
