// How a shard waits: the width of its spin and what it may cost, in simulated time.
#include "load/sleeper.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

namespace thrum::load {
namespace {

using namespace std::chrono_literals;

struct Wait {
  Nanos due, left, spun;
};

// Waits for hits at a constant slot on a machine whose sleeps end late by what `overshoot` says.
std::vector<Wait> wait_for(Sleeper& sleeper, Nanos slot, Nanos until, const std::function<Nanos()>& overshoot) {
  std::vector<Wait> waits;
  Nanos t(0);
  for (Nanos due = slot; due < until; due += slot) {
    Nanos spun(0);
    if (due > t) {
      const Nanos wake_at = due - sleeper.width(t, due - t);
      if (wake_at > t) {
        t = wake_at + overshoot();
        sleeper.slept(wake_at, t);
      }
      if (t < due) {
        spun = due - t;
        sleeper.spun(spun);
        t = due;
      }
    }
    waits.push_back({due, t, spun});
  }
  return waits;
}

// The share of any stretch of two seconds or more that was spun away, at worst.
double worst_share(const std::vector<Wait>& waits) {
  double worst = 0;
  Nanos sum(0);
  std::size_t from = 0;
  for (const Wait& w : waits) {
    sum += w.spun;
    while (w.due - waits[from].due > 2s) sum -= waits[from++].spun;
    if (from > 0) worst = std::max(worst, static_cast<double>(sum.count()) / 2e9);
  }
  return worst;
}

TEST(Sleeper, StaysWithinItsBudgetAtAnyRate) {
  for (const Nanos slot : {Nanos(10ms), Nanos(1ms), Nanos(100us), Nanos(50us), Nanos(20us), Nanos(10us)}) {
    for (const Nanos late : {Nanos(1us), Nanos(20us), Nanos(60us), Nanos(200us), Nanos(450us)}) {
      std::mt19937 random(5);
      Sleeper sleeper(std::nullopt);
      const auto waits = wait_for(sleeper, slot, 6s, [&] { return Nanos(static_cast<std::int64_t>(random() % (2 * late.count()))); });
      EXPECT_LE(worst_share(waits), 0.103) << slot.count() << " ns a slot, " << late.count() << " ns late";
      Nanos sum(0);
      for (const Wait& w : waits) sum += w.spun;
      EXPECT_EQ(sum, sleeper.total_spun());
      EXPECT_LE(sum, 600ms + 6ms);
    }
  }
}

// Bursts: seldom enough that a sleep may end milliseconds late.
TEST(Sleeper, SpinsLongerAfterALongSleep) {
  std::mt19937 random(5);
  Sleeper sleeper(std::nullopt);
  const auto waits = wait_for(sleeper, 200ms, 60s, [&] { return random() % 10 == 0 ? Nanos(3ms) : Nanos(30us); });
  for (const Wait& w : waits) EXPECT_EQ(w.left, w.due);
  EXPECT_LT(sleeper.total_spun(), 1500ms);
}

TEST(Sleeper, MakesHitsLeaveOnTimeWhereTheBudgetAllows) {
  std::mt19937 random(5);
  Sleeper sleeper(std::nullopt);
  const auto waits = wait_for(sleeper, 1ms, 5s, [&] { return Nanos(20'000 + static_cast<std::int64_t>(random() % 20'000)); });
  std::size_t on_time = 0;
  for (std::size_t i = waits.size() / 2; i < waits.size(); ++i) on_time += waits[i].left == waits[i].due ? 1 : 0;
  EXPECT_GT(on_time, waits.size() / 2 * 99 / 100);
}

// Where spinning for the latest sleeps costs more than the budget gives, it is narrower rather than there for some hits only.
TEST(Sleeper, IsNarrowerWhereTheBudgetIsTight) {
  std::mt19937 random(5);
  Sleeper sleeper(std::nullopt);
  const auto waits = wait_for(sleeper, 250us, 5s, [&] { return random() % 40 == 0 ? Nanos(120us) : Nanos(10us); });
  std::size_t on_time = 0;
  for (std::size_t i = waits.size() / 2; i < waits.size(); ++i) on_time += waits[i].left == waits[i].due ? 1 : 0;
  EXPECT_GT(on_time, waits.size() / 2 * 95 / 100);
}

TEST(Sleeper, WidthFollowsWhatSleepsOvershootBy) {
  Sleeper calm(std::nullopt), rough(std::nullopt);
  wait_for(calm, 10ms, 20s, [] { return 2us; });
  wait_for(rough, 10ms, 20s, [] { return 200us; });
  EXPECT_LT(calm.width(20s), 20us);
  EXPECT_GT(rough.width(20s), 200us);
  EXPECT_LT(rough.width(20s), 260us);
}

TEST(Sleeper, DoesNotSpinOnAMachineThatOversleepsByMore) {
  Sleeper sleeper(std::nullopt);
  wait_for(sleeper, 10ms, 60s, [] { return 3ms; });
  EXPECT_EQ(sleeper.width(60s), 0ns);
  // It finds its way back when the machine calms down.
  for (Nanos t = 60s; t < 200s; t += 10ms) sleeper.slept(t, t + 5us);
  EXPECT_GT(sleeper.width(200s), 0ns);
}

TEST(Sleeper, FadesOutAtHighRates) {
  Sleeper sleeper(std::nullopt);
  const auto waits = wait_for(sleeper, 10us, 3s, [] { return 8us; });
  std::size_t spins = 0;
  for (const Wait& w : waits) spins += w.spun > 0ns ? 1 : 0;
  EXPECT_LT(spins, waits.size() / 2);
}

TEST(Sleeper, DoesAsItIsToldWhenTheSpinIsFixed) {
  Sleeper never(Nanos(0)), always(Nanos(70us));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(never.width(Nanos(i * 1000)), 0ns);
    EXPECT_EQ(always.width(Nanos(i * 1000)), 70us);
    always.spun(70us);
  }
}

}  // namespace
}  // namespace thrum::load
