// How attacks end: stopped, cut, at the end of their grace, by their sink; at any moment, from any thread.
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <thread>

#include "attack_run.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::answering_after;
using support::response;
using support::Script;
using support::ScriptedServer;

AttackOptions endless(const char* rate, std::uint32_t shards = 1) {
  AttackOptions o = open_attack(rate, 0s);
  o.shards = shards;
  return o;
}

// Runs the attack and does something to it once the server has seen `requests`.
Ran disturbed(const AttackOptions& o, ScriptedServer& server, std::size_t requests, const std::function<void(Attacker&)>& action) {
  const auto attacker = make_attacker(o, get({server.url()}));
  std::thread other([&] {
    EXPECT_TRUE(server.await([&] { return server.requests() >= requests; }));
    action(*attacker);
  });
  const Ran r = run(*attacker);
  other.join();
  expect_sound(r, o);
  return r;
}

TEST(Stop, WaitsForWhatIsInFlight) {
  for (const std::uint32_t shards : {1u, 3u}) {
    ScriptedServer server(answering_after(100ms));
    const Ran r = disturbed(endless("300/s", shards), server, 20, [](Attacker& a) { a.stop(); });
    EXPECT_EQ(r.books().ok, r.books().sent);
    EXPECT_EQ(server.requests(), r.books().sent);
    EXPECT_GE(r.books().sent, 20u);
    EXPECT_LT(r.books().sent, 3000u);
    EXPECT_TRUE(r.summary->stopped);
    EXPECT_FALSE(r.summary->was_cut);
  }
}

TEST(Stop, EndsClosedAttacks) {
  ScriptedServer server(answering_after(5ms));
  AttackOptions o = closed_attack(6, kUnlimited);
  o.shards = 2;
  const Ran r = disturbed(o, server, 50, [](Attacker& a) { a.stop(); });
  EXPECT_EQ(r.books().ok, server.requests());
}

TEST(Stop, EndsAnAttackWhoseHitsAreAllHeldBack) {
  ScriptedServer server(answering_after(60ms));
  AttackOptions o = endless("1000/s");
  o.max_connections = 1;
  const Ran r = disturbed(o, server, 2, [](Attacker& a) { a.stop(); });
  EXPECT_EQ(r.books().ok, server.requests());
  EXPECT_GT(r.books().missed, 0u);
}

TEST(Cut, EndsWhatIsInFlight) {
  for (const std::uint32_t shards : {1u, 3u}) {
    ScriptedServer silent(Script().request());
    const Ran r = disturbed(endless("500/s", shards), silent, 30, [](Attacker& a) { a.cut(); });
    EXPECT_EQ(r.books().cut, r.books().sent);
    EXPECT_GE(r.books().cut, 30u);
    EXPECT_TRUE(r.summary->was_cut);
    EXPECT_TRUE(r.summary->stopped);
    EXPECT_LT(r.summary->elapsed - r.summary->sending, 5s);
    for (const Kept& k : r.results) EXPECT_THAT(k.error, testing::StartsWith("cut: "));
  }
}

TEST(Cut, AfterAStopEndsTheWaiting) {
  ScriptedServer silent(Script().request());
  const Ran r = disturbed(endless("500/s"), silent, 10, [](Attacker& a) {
    a.stop();
    a.stop();
    a.cut();
    a.cut();
  });
  EXPECT_EQ(r.books().cut, r.books().sent);
}

TEST(Cut, KeepsWhatWasSeen) {
  ScriptedServer server(Script().request().bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal"));
  AttackOptions o = endless("200/s");
  o.max_body = -1;
  const Ran r = disturbed(o, server, 20, [](Attacker& a) { a.cut(); });
  EXPECT_EQ(r.results[0].seen_status, 200);
  EXPECT_EQ(r.results[0].body, "hal");
  EXPECT_EQ(r.results[0].code, 0);
}

TEST(Grace, CutsWhatIsInFlightWhenItIsOver) {
  for (const Nanos grace : {Nanos(0), Nanos(80ms)}) {
    ScriptedServer silent(Script().request());
    AttackOptions o = open_hits("100/s", 10);
    o.grace = grace;
    const Ran r = attack(o, silent.url());
    EXPECT_EQ(r.books().sent, 10u);
    EXPECT_EQ(r.books().cut, 10u);
    EXPECT_TRUE(r.summary->was_cut);
    EXPECT_FALSE(r.summary->stopped);
    EXPECT_GE(r.summary->elapsed, r.summary->sending + grace);
    EXPECT_LT(r.summary->elapsed, 5s);
  }
}

TEST(Grace, DoesNotCutWhatComesInTime) {
  ScriptedServer server(answering_after(50ms));
  AttackOptions o = open_hits("100/s", 10);
  o.grace = 10s;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 10u);
  EXPECT_FALSE(r.summary->was_cut);
  EXPECT_LT(r.summary->elapsed, 5s);
}

TEST(Grace, OfNoneGivenIsTheTimeout) {
  ScriptedServer silent(Script().request());
  AttackOptions o = open_hits("100/s", 5);
  o.timeout = 150ms;
  const Ran r = attack(o, silent.url());
  EXPECT_EQ(r.count(Outcome::timeout), 5u);
  EXPECT_LT(r.summary->elapsed, 5s);
}

TEST(Stop, BeforeTheRunLeavesNothingToDo) {
  for (const bool hard : {false, true}) {
    for (const std::uint32_t shards : {1u, 2u}) {
      ScriptedServer server(answering());
      const AttackOptions options[] = {endless("1000/s", shards), closed_attack(4, kUnlimited)};
      for (const AttackOptions& o : options) {
        const auto attacker = make_attacker(o, get({server.url()}));
        hard ? attacker->cut() : attacker->stop();
        const Ran r = run(*attacker);
        expect_sound(r, o);
        EXPECT_EQ(r.books().scheduled, 0u);
        EXPECT_TRUE(r.summary->stopped);
        EXPECT_FALSE(r.summary->was_cut) << "there was nothing to cut";
      }
      EXPECT_EQ(server.requests(), 0u);
    }
  }
}

TEST(Stop, AfterTheRunIsHarmless) {
  ScriptedServer server(answering());
  const auto attacker = make_attacker(open_hits("1000/s", 10), get({server.url()}));
  const Ran r = run(*attacker);
  EXPECT_FALSE(r.summary->stopped);
  attacker->stop();
  attacker->cut();
  EXPECT_EQ(attacker->progress().sent, 10u);
}

// At any moment, in any phase of it, from several threads at once, and against a server that does anything.
TEST(Stop, AtAnyMomentLeavesTheBooksInOrder) {
  std::mt19937 random(99);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const auto below = [&](std::uint32_t n) { return random() % n; };
    const std::uint32_t seed = random();
    ScriptedServer server([seed](std::size_t connection) {
      switch ((seed + connection * 7) % 9) {
        case 0:
          return Script().request().reset();
        case 1:
          return Script().answer(200).request().close();
        case 2:
          return Script().request();
        case 3:
          return Script().request().bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal");
        case 4:
          return answering_after(2ms);
        default:
          return answering();
      }
    });
    AttackOptions o = below(2) == 0 ? endless("4000/s") : closed_attack(1 + below(8), kUnlimited);
    o.shards = 1 + below(3);
    o.max_workers = std::min<std::uint64_t>(o.max_workers, 20);
    if (below(3) == 0) o.max_connections = 1 + below(4);
    if (below(3) == 0) o.keep_alive = false;
    if (below(2) == 0) o.timeout = 4ms;
    if (below(4) == 0) o.grace = 3ms;
    if (below(4) == 0) o.catch_up.mode = CatchUp::Mode::none;
    if (below(3) == 0) o.max_body = -1;
    const auto attacker = make_attacker(o, get({server.url("/a"), server.url("/b")}));
    const auto wait = std::chrono::microseconds(below(15'000));
    const bool is_cut = below(2) == 0 || o.timeout > 1s;
    std::thread one([&] {
      std::this_thread::sleep_for(wait);
      attacker->stop();
      if (is_cut) attacker->cut();
    });
    std::thread two([&] {
      std::this_thread::sleep_for(wait);
      attacker->stop();
    });
    const Ran r = run(*attacker);
    one.join();
    two.join();
    expect_sound(r, o);
    EXPECT_TRUE(r.summary->stopped);
  }
}

// The same, but destroyed without a run, or with results that nobody took any more.
TEST(Attacker, MayBeDestroyedWithoutARun) {
  ScriptedServer server(answering());
  make_attacker(endless("100/s", 3), get({server.url()}));
  const auto stopped = make_attacker(endless("100/s"), get({server.url()}));
  stopped->stop();
  EXPECT_EQ(stopped->progress().sent, 0u);
}

TEST(Progress, IsReadWhileTheAttackRuns) {
  ScriptedServer server(answering_after(10ms));
  const AttackOptions o = open_hits("500/s", 150);
  const auto attacker = make_attacker(o, get({server.url()}));
  EXPECT_EQ(attacker->progress().due, 0u);
  EXPECT_EQ(attacker->progress().elapsed, 0s);
  std::atomic<bool> is_over{false};
  std::size_t in_flight = 0;
  std::thread reader([&] {
    Progress last;
    while (!is_over) {
      const Progress p = attacker->progress();
      EXPECT_GE(p.elapsed, last.elapsed);
      EXPECT_GE(p.due, last.due);
      EXPECT_GE(p.sent, last.sent);
      EXPECT_GE(p.answered, last.answered);
      EXPECT_LE(p.due, 150u);
      EXPECT_LE(p.sent, 150u);
      EXPECT_LE(p.ok, 150u);
      in_flight = std::max<std::size_t>(in_flight, p.in_flight);
      last = p;
      std::this_thread::sleep_for(1ms);
    }
  });
  run(*attacker);
  is_over = true;
  reader.join();
  EXPECT_GT(in_flight, 0u);
  const Progress p = attacker->progress();
  EXPECT_EQ(p.due, 150u);
  EXPECT_EQ(p.sent, 150u);
  EXPECT_EQ(p.answered, 150u);
  EXPECT_EQ(p.ok, 150u);
  EXPECT_EQ(p.in_flight, 0u);
}

TEST(Sink, IsToldOfTheTimeWhateverComes) {
  ScriptedServer silent(Script().request());
  AttackOptions o = open_attack("10/s", 500ms);
  o.grace = 0s;
  KeepingSink sink;
  const auto attacker = make_attacker(o, get({silent.url()}));
  const Ran r = run(*attacker, sink);
  EXPECT_GE(r.ticks, 2u);
}

TEST(Sink, EndsTheAttackByAnError) {
  for (const std::uint32_t shards : {1u, 3u}) {
    ScriptedServer server(answering());
    const auto attacker = make_attacker(endless("2000/s", shards), get({server.url()}));
    KeepingSink sink;
    sink.on_take = [&]() -> Expected<void> {
      if (sink.takes == 3) return std::unexpected(Error{ErrorKind::broken_pipe, "the reader went away"});
      EXPECT_LT(sink.takes, 3u) << "asked again after its error";
      return {};
    };
    const Ran r = run(*attacker, sink);
    ASSERT_FALSE(r.summary);
    EXPECT_EQ(r.summary.error().kind, ErrorKind::broken_pipe);
    EXPECT_EQ(r.summary.error().text, "the reader went away");
  }
}

TEST(Sink, EndsTheAttackByAnErrorAtATick) {
  ScriptedServer silent(Script().request());
  const auto attacker = make_attacker(endless("100/s"), get({silent.url()}));
  KeepingSink sink;
  sink.on_tick = []() -> Expected<void> { return failure("disk full"); };
  const Ran r = run(*attacker, sink);
  ASSERT_FALSE(r.summary);
  EXPECT_EQ(r.summary.error().text, "disk full");
  EXPECT_EQ(sink.takes, 0u) << "nothing more is handed to a sink that failed";
}

TEST(Sink, MayFailAtTheLastMoment) {
  ScriptedServer server(answering_after(20ms));
  AttackOptions o = closed_attack(5, 5);
  const auto attacker = make_attacker(o, get({server.url()}));
  KeepingSink sink;
  sink.on_take = []() -> Expected<void> { return failure("disk full"); };
  const Ran r = run(*attacker, sink);
  ASSERT_FALSE(r.summary);
  EXPECT_EQ(r.summary.error().text, "disk full");
}

// A sink that is slower than the attack holds it up, in the end, but loses nothing.
TEST(Sink, MayBeSlow) {
  ScriptedServer server(answering());
  for (const std::uint32_t shards : {1u, 2u}) {
    AttackOptions o = closed_attack(16, 6000);
    o.shards = shards;
    const auto attacker = make_attacker(o, get({server.url()}));
    KeepingSink sink;
    sink.on_take = []() -> Expected<void> {
      std::this_thread::sleep_for(5ms);
      return {};
    };
    const Ran r = run(*attacker, sink);
    expect_sound(r, o);
    EXPECT_EQ(r.books().ok, 6000u);
  }
}

}  // namespace
}  // namespace thrum::load
