// Threads that join an attack, and leave it: each hit is sent once all the same, and the books balance.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "attack_run.hpp"
#include "host/limits.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::ScriptedServer;

struct Ended {
  Summary summary;
  KeepingSink sink;
  std::uint32_t changed = 0;
};

// Changes the number of threads again and again while it runs.
void run_changing(const AttackOptions& o, const std::string& url, Nanos stop_after, Ended& into) {
  auto attacker = Attacker::create(o, get({url}));
  ASSERT_TRUE(attacker) << attacker.error().text;
  std::atomic<bool> over{false};
  std::thread changing([&] {
    const auto from = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; !over.load(); ++i) {
      into.changed += (*attacker)->change_shards(1 + i % 2).has_value();
      std::this_thread::sleep_for(3ms);
      if (stop_after.count() > 0 && std::chrono::steady_clock::now() - from >= stop_after) (*attacker)->stop();
    }
  });
  auto summary = (*attacker)->run(into.sink);
  over.store(true);
  changing.join();
  ASSERT_TRUE(summary) << summary.error().text;
  into.summary = *summary;
  const Books& b = into.summary.books;
  EXPECT_EQ(b.scheduled, b.sent + b.missed);
  EXPECT_EQ(b.sent, b.ok + b.failed + b.cut);
  std::set<std::uint64_t> numbers;
  for (const Kept& k : into.sink.results) EXPECT_TRUE(numbers.insert(k.seq).second) << k.seq;
  EXPECT_EQ(numbers.size(), b.sent);
}

class AttackShards : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (host::cores().usable() < 2) GTEST_SKIP() << "one core only";
  }
};

TEST_P(AttackShards, EachHitIsSentOnceWhoeverSendsIt) {
  ScriptedServer server(answering());
  AttackOptions o = open_hits(GetParam(), 1200);
  Ended ended;
  run_changing(o, server.url(), Nanos(0), ended);
  EXPECT_EQ(ended.summary.books.sent, 1200u);
  EXPECT_EQ(ended.sink.results.size(), 1200u);
  EXPECT_GT(ended.changed, 1u);
  EXPECT_EQ(ended.summary.shards, 2u);
  EXPECT_EQ(server.requests(), 1200u);
}

TEST_P(AttackShards, AStopLosesNone) {
  ScriptedServer server(answering());
  for (int i = 0; i < 5; ++i) {
    AttackOptions o = open_attack(GetParam(), 10s);
    o.shards = 0;
    Ended ended;
    run_changing(o, server.url(), 100ms, ended);
    EXPECT_LT(ended.summary.books.scheduled, 30'000u);
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, AttackShards, testing::Values("3000/s", "poisson 3000/s", "500..8000/s over 400ms"),
                         [](const auto& i) { return "rate" + std::to_string(i.index); });

TEST(AttackShardsClosed, ClaimsGoToWhoIsThere) {
  if (host::cores().usable() < 2) GTEST_SKIP() << "one core only";
  ScriptedServer server(answering());
  AttackOptions o = closed_attack(6, 20'000);
  o.shards = 0;
  Ended ended;
  run_changing(o, server.url(), Nanos(0), ended);
  EXPECT_EQ(ended.summary.books.sent, 20'000u);
  EXPECT_EQ(ended.sink.results.size(), 20'000u);
}

TEST(AttackShardsRefused, WhereHitsAreDealtForGood) {
  ScriptedServer server(answering());
  AttackOptions o = open_hits("200/s", 40);
  o.max_connections = 3;
  auto attacker = Attacker::create(o, get({server.url()}));
  ASSERT_TRUE(attacker);
  EXPECT_EQ((*attacker)->change_shards(2).error().text, "the attack has not begun");
  KeepingSink sink;
  std::string words;
  sink.on_tick = [&]() -> Expected<void> {
    const auto changed = (*attacker)->change_shards(2);
    words = changed ? "changed" : changed.error().text;
    return {};
  };
  ASSERT_TRUE((*attacker)->run(sink));
  EXPECT_EQ(words, "hits can't be dealt to another number of threads: targets are read lazily, connections are capped, or -cpus is given");
}

}  // namespace
}  // namespace thrum::load
