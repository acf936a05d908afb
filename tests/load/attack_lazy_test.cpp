// Attacks whose targets are read while they run.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <thread>

#include "attack_run.hpp"
#include "scripted_source.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::answering_after;
using support::Script;
using support::ScriptedServer;

using Targets = Expected<std::optional<Target>>;

std::unique_ptr<ScriptedSource> paths(const ScriptedServer& server, std::uint64_t n, std::uint64_t waits_at = UINT64_MAX) {
  return std::make_unique<ScriptedSource>(
      [base = server.url("/"), n](std::uint64_t i) -> Targets {
        return i < n ? std::optional(target_of(base + std::to_string(i))) : std::nullopt;
      },
      waits_at);
}

std::map<std::string, int> times_by_path(const ScriptedServer& server) {
  std::map<std::string, int> times;
  for (const auto& seen : server.seen()) ++times[seen.target()];
  return times;
}

void expect_each_once(const ScriptedServer& server, std::uint64_t n) {
  const auto times = times_by_path(server);
  EXPECT_EQ(times.size(), n);
  for (const auto& [path, count] : times) EXPECT_EQ(count, 1) << path;
}

// The end of the targets ends the attack: no failures, no waiting.
TEST(LazyTargets, EndTheAttackWithThem) {
  ScriptedServer server(answering());
  const Ran r = attack(open_attack("100/s", 0s), paths(server, 3));
  EXPECT_EQ(r.books().scheduled, 3u);
  EXPECT_EQ(r.books().ok, 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(r.results[i].url, server.url("/" + std::to_string(i)));
  EXPECT_LT(r.summary->elapsed, 5s);
}

// Also when the next hit would be due much later.
TEST(LazyTargets, EndTheAttackAtOnceAtALowRate) {
  ScriptedServer server(answering());
  const Ran r = attack(open_attack("1/m", 0s), paths(server, 1));
  EXPECT_EQ(r.books().scheduled, 1u);
  EXPECT_EQ(r.books().ok, 1u);
  EXPECT_LT(r.summary->elapsed, 10s);
}

struct Mode {
  bool is_closed;
  std::uint32_t shards;
};

class LazyModes : public testing::TestWithParam<Mode> {
 protected:
  AttackOptions options() const {
    AttackOptions o = GetParam().is_closed ? closed_attack(8, kUnlimited) : open_attack("5000/s", 0s);
    o.shards = GetParam().shards;
    return o;
  }
};

TEST_P(LazyModes, SendEachTargetOnce) {
  for (const std::uint64_t n : {1u, 2u, 3u, 5u, 16u, 17u, 64u, 501u}) {
    ScriptedServer server(answering_after(1ms));
    const Ran r = attack(options(), paths(server, n));
    EXPECT_EQ(r.books().sent, n);
    EXPECT_EQ(r.books().ok, n);
    EXPECT_EQ(r.books().missed, 0u);
    expect_each_once(server, n);
    for (std::size_t i = 0; i < r.results.size(); ++i) EXPECT_EQ(r.results[i].seq, i);
  }
}

TEST_P(LazyModes, StopAtAnExactCount) {
  for (const std::uint64_t hits : {1u, 20u, 100u}) {
    for (const std::uint64_t targets : {hits, hits + 1, std::uint64_t{1'000'000}}) {
      ScriptedServer server(answering_after(1ms));
      AttackOptions o = options();
      o.hits = hits;
      const Ran r = attack(o, paths(server, targets));
      EXPECT_EQ(r.books().ok, hits) << "of " << targets;
      expect_each_once(server, hits);
    }
  }
}

TEST_P(LazyModes, RunForADurationOnAnEndlessStream) {
  ScriptedServer server(answering());
  AttackOptions o = options();
  o.duration = 60ms;
  const Ran r = attack(o, paths(server, UINT64_MAX));
  EXPECT_EQ(r.books().ok, server.requests());
  EXPECT_GT(r.books().ok, 0u);
}

TEST_P(LazyModes, EndByAnErrorOfTheSource) {
  ScriptedServer server(answering());
  auto source = std::make_unique<ScriptedSource>([&](std::uint64_t i) -> Targets {
    if (i == 10) return failure("targets.txt:11: no such thing");
    return target_of(server.url("/" + std::to_string(i)));
  });
  auto made = Attacker::create(options(), std::move(source));
  ASSERT_TRUE(made);
  KeepingSink sink;
  const Ran r = run(**made, sink);
  ASSERT_FALSE(r.summary);
  EXPECT_EQ(r.summary.error().text, "targets.txt:11: no such thing");
  EXPECT_EQ(r.results.size(), 10u) << "what was read before is sent and told";
}

TEST_P(LazyModes, AreStoppedWhileTheSourceWaits) {
  for (const std::uint64_t waits_at : {0u, 1u, 7u}) {
    ScriptedServer server(answering());
    auto source = paths(server, UINT64_MAX, waits_at);
    ScriptedSource& waiting = *source;
    const AttackOptions o = options();
    auto made = Attacker::create(o, std::move(source));
    ASSERT_TRUE(made);
    std::thread other([&] {
      waiting.await_waiting();
      EXPECT_TRUE(server.await([&] { return server.requests() >= waits_at; }));
      (*made)->stop();
    });
    const Ran r = run(**made);
    other.join();
    ASSERT_TRUE(r.summary) << r.summary.error().text;
    expect_sound(r, o);
    EXPECT_EQ(r.books().ok, waits_at);
    EXPECT_TRUE(r.summary->stopped);
  }
}

TEST_P(LazyModes, GoOnWhenASlowSourceComesBack) {
  ScriptedServer server(answering());
  auto source = paths(server, 12, 4);
  ScriptedSource& slow = *source;
  auto made = Attacker::create(options(), std::move(source));
  ASSERT_TRUE(made);
  std::thread other([&] {
    EXPECT_TRUE(server.await([&] { return server.requests() >= 4; }));
    slow.await_waiting();
    slow.let_go_until(UINT64_MAX);
  });
  const Ran r = run(**made);
  other.join();
  EXPECT_EQ(r.books().ok, 12u);
  expect_each_once(server, 12);
}

// The source runs dry while hits are held back at a cap: they still leave.
TEST_P(LazyModes, SendWhatIsHeldBackWhenTheSourceIsDry) {
  ScriptedServer server(answering_after(3ms));
  AttackOptions o = options();
  o.max_connections = 2;
  const Ran r = attack(o, paths(server, 40));
  EXPECT_EQ(r.books().ok, 40u);
  EXPECT_LE(server.open_peak(), 2u);
  expect_each_once(server, 40);
}

INSTANTIATE_TEST_SUITE_P(Modes, LazyModes,
                         testing::Values(Mode{false, 1}, Mode{false, 2}, Mode{false, 3}, Mode{true, 1}, Mode{true, 2}, Mode{true, 4}),
                         [](const auto& i) { return (i.param.is_closed ? "closed" : "open") + std::to_string(i.param.shards); });

TEST(LazyTargets, ThatComeTooSlowlyAreNamedAsTheLimit) {
  ScriptedServer server(answering());
  auto source = paths(server, UINT64_MAX, 5);
  AttackOptions o = open_attack("500/s", 200ms);
  const Ran r = attack(o, std::move(source));
  EXPECT_EQ(r.books().scheduled, 100u);
  EXPECT_LE(r.books().sent, 5u);
  EXPECT_EQ(r.summary->limit, Limit::targets);
}

TEST(LazyTargets, MustBeThere) {
  ScriptedServer server(answering());
  auto made = Attacker::create(open_attack("100/s", 0s), paths(server, 0));
  ASSERT_TRUE(made);
  const Ran r = run(**made);
  ASSERT_FALSE(r.summary);
  EXPECT_EQ(r.summary.error().text, "no targets to attack");
}

TEST(LazyTargets, MayHaveDefaults) {
  ScriptedServer server(answering());
  AttackOptions o = open_attack("1000/s", 0s);
  o.headers = {{"X-A", "1"}};
  o.body = std::make_shared<const std::string>("shared");
  o.name = "lazy";
  EXPECT_EQ(attack(o, paths(server, 4)).books().ok, 4u);
  for (const auto& seen : server.seen()) {
    EXPECT_EQ(seen.header("X-A"), "1");
    EXPECT_EQ(seen.header("X-Thrum-Attack"), "lazy");
    EXPECT_EQ(seen.body(), "shared");
  }
}

TEST(LazyTargets, HoldConnectionCapsOfEachRoute) {
  ScriptedServer a(answering_after(2ms)), b(answering_after(2ms));
  for (const bool is_closed : {false, true}) {
    AttackOptions o = is_closed ? closed_attack(12, 200) : open_attack("2000/s", 0s);
    o.hits = 200;
    o.max_connections = 3;
    o.shards = 2;
    auto source = std::make_unique<ScriptedSource>([&](std::uint64_t i) -> Targets { return target_of((i % 2 == 0 ? a : b).url()); });
    EXPECT_EQ(attack(o, std::move(source)).books().ok, 200u);
    EXPECT_LE(a.open_peak(), 3u);
    EXPECT_LE(b.open_peak(), 3u);
  }
}

// More hosts than words are remembered for, each with an error of its own: every result has the right ones.
TEST(LazyTargets, MayNameThousandsOfHosts) {
  constexpr std::uint64_t kHosts = 10'500;
  support::RefusingPort port;
  auto source = std::make_unique<ScriptedSource>([&](std::uint64_t i) -> Targets {
    if (i == kHosts) return std::nullopt;
    // Nobody listens on 127.x.y.z; each is a host of its own.
    return target_of("http://127." + std::to_string(1 + i / 250 / 250) + "." + std::to_string(i / 250 % 250) + "." +
                     std::to_string(1 + i % 250) + ":" + std::to_string(port.port()) + "/");
  });
  const Ran r = attack(closed_attack(4, kUnlimited), std::move(source));
  EXPECT_EQ(r.books().failed, kHosts);
  for (const Kept& k : r.results) EXPECT_EQ(k.error, "connect: connection refused");
}

}  // namespace
}  // namespace thrum::load
