// Lazy targets on their way to the shards: order, bounds, endings. The source is scripted; the test's thread plays the shards.
#include "load/feeder.hpp"

#include <gmock/gmock.h>

#include <chrono>

#include "scripted_source.hpp"

namespace thrum::load {
namespace {

using testing::HasSubstr;

Target numbered(std::uint64_t i) { return target_of("http://127.0.0.1:" + std::to_string(1 + i % 3) + "/" + std::to_string(i)); }

ScriptedSource::Make endless() {
  return [](std::uint64_t i) -> Expected<std::optional<Target>> { return numbered(i); };
}

ScriptedSource::Make first(std::uint64_t n) {
  return [n](std::uint64_t i) -> Expected<std::optional<Target>> { return i < n ? std::optional(numbered(i)) : std::nullopt; };
}

// A feeder with its source, and shards that sleep until they are woken.
class Fed {
 public:
  Fed(ScriptedSource::Make make, std::uint32_t shards, std::uint64_t waits_at = UINT64_MAX) {
    auto owned = std::make_unique<ScriptedSource>(std::move(make), waits_at);
    source = owned.get();
    feeder.emplace(plan, std::move(owned), http::RequestDefaults{}, shards);
    wakes_.resize(shards);
  }
  Expected<bool> prime() {
    start();
    return feeder->await_first(Nanos::max());
  }
  void start() {
    if (std::exchange(has_started_, true)) return;
    const auto started = feeder->start([this](std::uint32_t k) {
      const std::lock_guard lock(mutex_);
      ++wakes_[k];
      woken_.notify_all();
    });
    EXPECT_TRUE(started);
  }
  // The next target of shard k; null when there will be none. Fails the test after a long time.
  std::unique_ptr<const Request> take(std::uint32_t k) {
    for (;;) {
      std::size_t before = 0;
      {
        const std::lock_guard lock(mutex_);
        before = wakes_[k];
      }
      if (const Request* request = feeder->take(k)) return std::unique_ptr<const Request>(request);
      if (feeder->is_dry(k)) return nullptr;
      std::unique_lock lock(mutex_);
      const bool woken = woken_.wait_for(lock, std::chrono::seconds(20), [&] { return wakes_[k] != before; });
      EXPECT_TRUE(woken) << "shard " << k << " was left asleep";
      if (!woken) return nullptr;
    }
  }

  Plan plan{AttackOptions{}};
  ScriptedSource* source;

 private:
  bool has_started_ = false;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::vector<std::size_t> wakes_;

 public:
  std::optional<Feeder> feeder;  // last: its thread wakes shards until it is gone
};

TEST(Feeder, DealsInTurnAndInOrder) {
  constexpr std::uint32_t kShards = 3;
  Fed fed(first(5000), kShards);
  ASSERT_TRUE(*fed.prime());
  fed.start();
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const auto request = fed.take(static_cast<std::uint32_t>(i % kShards));
    ASSERT_TRUE(request);
    EXPECT_EQ(request->prepared.url_text, numbered(i).url);
    EXPECT_TRUE(request->is_owned);
    EXPECT_EQ(request->route->endpoint.port, 1 + i % 3);
  }
  for (std::uint32_t k = 0; k < kShards; ++k) {
    EXPECT_FALSE(fed.take(k));
    EXPECT_TRUE(fed.feeder->is_dry(k));
  }
  EXPECT_FALSE(fed.feeder->error());
  EXPECT_EQ(fed.plan.routes.size(), 3u);
}

TEST(Feeder, IsDryAtOnceWhenThereIsNothing) {
  Fed fed(first(0), 2);
  const auto primed = fed.prime();
  ASSERT_TRUE(primed);
  EXPECT_FALSE(*primed);
  fed.start();
  EXPECT_FALSE(fed.take(0));
  EXPECT_FALSE(fed.take(1));
}

TEST(Feeder, TellsOfABadFirstTargetBeforeAnythingIsSent) {
  Fed fed([](std::uint64_t) -> Expected<std::optional<Target>> { return failure("targets.txt:1: not a target"); }, 1);
  const auto primed = fed.prime();
  ASSERT_FALSE(primed);
  EXPECT_EQ(primed.error().text, "targets.txt:1: not a target");
  Fed other([](std::uint64_t) -> Expected<std::optional<Target>> { return target_of("gopher://x/"); }, 1);
  EXPECT_FALSE(other.prime());
}

TEST(Feeder, WaitsForTheFirstTargetNoLongerThanItIsTold) {
  Fed fed(first(1), 1, 0);
  fed.start();
  const auto none = fed.feeder->await_first(Nanos(1'000'000));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "no target came within 1ms, the attack's whole duration");
  EXPECT_FALSE(fed.take(0));
}

// However long the stream, no more waits than the lanes hold.
TEST(Feeder, HoldsAnEndlessStreamBack) {
  constexpr std::uint32_t kShards = 2;
  constexpr std::uint64_t kMost = 1024 * kShards + 1;  // and the one in the reader's hand
  Fed fed(endless(), kShards);
  ASSERT_TRUE(*fed.prime());
  fed.start();
  fed.source->await_yielded(kMost);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    EXPECT_LE(fed.source->yielded(), i + kMost);
    ASSERT_TRUE(fed.take(i % kShards));
  }
  fed.feeder->stop();
  EXPECT_TRUE(fed.source->is_interrupted());
}

// Nor more bytes: a few megabytes in all, whatever the targets weigh.
TEST(Feeder, HoldsHeavyTargetsBack) {
  const auto heavy = [](std::uint64_t i) -> Expected<std::optional<Target>> {
    Target t = numbered(i);
    t.method = "POST";
    t.body = std::make_shared<const std::string>(std::size_t{1} << 20, 'x');
    return t;
  };
  Fed fed(heavy, 2);
  ASSERT_TRUE(*fed.prime());
  fed.start();
  fed.source->await_yielded(5);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_LE(fed.source->yielded(), i + 8);
    ASSERT_TRUE(fed.take(i % 2));
  }
}

TEST(Feeder, WakesAShardThatWaitsForASlowSource) {
  Fed fed(endless(), 2, 1);
  ASSERT_TRUE(*fed.prime());
  fed.start();
  ASSERT_TRUE(fed.take(0));
  EXPECT_FALSE(fed.feeder->take(1));
  EXPECT_FALSE(fed.feeder->is_dry(1));
  fed.source->await_waiting();
  fed.source->let_go_until(2);
  const auto request = fed.take(1);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->prepared.url_text, numbered(1).url);
}

TEST(Feeder, EndsASourceThatWaits) {
  Fed fed(endless(), 2, 1);
  ASSERT_TRUE(*fed.prime());
  fed.start();
  fed.source->await_waiting();
  fed.feeder->stop();
  fed.feeder->stop();
  EXPECT_TRUE(fed.take(0));
  EXPECT_FALSE(fed.take(0));
  EXPECT_FALSE(fed.take(1));
  EXPECT_FALSE(fed.feeder->error());
}

TEST(Feeder, GivesWhatCameBeforeAnErrorAndKeepsTheError) {
  Fed fed(
      [](std::uint64_t i) -> Expected<std::optional<Target>> {
        if (i == 4) return failure("targets.txt:9: bad header");
        return numbered(i);
      },
      2);
  ASSERT_TRUE(*fed.prime());
  fed.start();
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(fed.take(i % 2));
  EXPECT_FALSE(fed.take(0));
  EXPECT_FALSE(fed.take(1));
  fed.feeder->stop();
  ASSERT_TRUE(fed.feeder->error());
  EXPECT_EQ(fed.feeder->error()->text, "targets.txt:9: bad header");
}

TEST(Feeder, TakesATargetThatCannotBeSentForAnError) {
  Fed fed([](std::uint64_t i) -> Expected<std::optional<Target>> { return target_of(i == 1 ? "http:///" : "http://127.0.0.1/"); }, 1);
  ASSERT_TRUE(*fed.prime());
  fed.start();
  EXPECT_TRUE(fed.take(0));
  EXPECT_FALSE(fed.take(0));
  fed.feeder->stop();
  ASSERT_TRUE(fed.feeder->error());
  EXPECT_THAT(fed.feeder->error()->text, HasSubstr("http:///"));
}

// Destroyed at any moment: before it starts, primed, with targets in its lanes. (The sanitizers watch for what is left behind.)
TEST(Feeder, LeavesNothingBehind) {
  Fed unused(endless(), 2);
  Fed primed(endless(), 2);
  ASSERT_TRUE(*primed.prime());
  Fed full(endless(), 2);
  ASSERT_TRUE(*full.prime());
  full.start();
  full.source->await_yielded(100);
}

}  // namespace
}  // namespace thrum::load
