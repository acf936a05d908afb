// Timers against a sorted model, and the liberties that actions take.
#include "net/timers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace thrum::net {
namespace {

Instant at(std::int64_t ns) { return Instant(Nanos(ns)); }

TEST(Timers, BehaveLikeASortedList) {
  std::mt19937_64 random(7);
  Timers timers;
  std::vector<std::unique_ptr<Timer>> all;
  std::vector<std::pair<Instant, int>> fired;
  std::map<int, Instant> model;  // which are set, and for when
  Instant t = at(0);
  const auto pick = [&](std::size_t below) { return static_cast<int>(random() % below); };
  constexpr int kTimers = 200;
  for (int i = 0; i < kTimers; ++i)
    all.push_back(std::make_unique<Timer>(timers, [&, i] {
      fired.emplace_back(model.at(i), i);
      model.erase(i);
    }));
  for (int step = 0; step < 50'000; ++step) {
    const int i = pick(kTimers);
    switch (pick(8)) {
      case 0:
        all[static_cast<std::size_t>(i)]->cancel();
        model.erase(i);
        break;
      case 1: {
        t += Nanos(pick(200));
        std::vector<std::pair<Instant, int>> due;
        for (const auto& [which, when] : model)
          if (when <= t) due.emplace_back(when, which);
        fired.clear();
        timers.run_due(t);
        ASSERT_TRUE(std::ranges::is_sorted(fired, {}, [](const auto& f) { return f.first; }));
        std::ranges::sort(due);
        std::ranges::sort(fired);
        ASSERT_EQ(fired, due);
        break;
      }
      default: {
        const Instant when = t + Nanos(pick(2'000) - 100);
        all[static_cast<std::size_t>(i)]->set(when);
        model[i] = when;
      }
    }
    Instant first = kNever;
    for (const auto& [which, when] : model) first = std::min(first, when);
    ASSERT_EQ(timers.next(), first);
    ASSERT_EQ(all[static_cast<std::size_t>(i)]->is_set(), model.contains(i));
  }
}

TEST(Timers, AnActionThatSetsItselfAnewDoesNotHoldTheLoop) {
  Timers timers;
  int runs = 0;
  Timer t(timers, [&] {
    ++runs;
    t.set(at(0));
  });
  t.set(at(5));
  timers.run_due(at(10));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(timers.next(), at(11));
  timers.run_due(at(11));
  EXPECT_EQ(runs, 2);
}

TEST(Timers, AnActionMayDestroyAnyTimer) {
  Timers timers;
  int others = 0;
  auto own = std::make_unique<Timer>(timers, [] {});
  auto other = std::make_unique<Timer>(timers, [&] { ++others; });
  own = std::make_unique<Timer>(timers, [&, guard = std::make_unique<int>(3)] {
    other.reset();
    own.reset();
    EXPECT_EQ(*guard, 3);  // what the action holds lives until it returns
  });
  own->set(at(1));
  other->set(at(2));
  timers.run_due(at(5));
  EXPECT_EQ(own, nullptr);
  EXPECT_EQ(others, 0);
  EXPECT_EQ(timers.next(), kNever);
}

TEST(Timers, AnActionMayCancelWhatIsDueWithIt) {
  Timers timers;
  int seconds = 0;
  Timer second(timers, [&] { ++seconds; });
  Timer first(timers, [&] { second.cancel(); });
  first.set(at(1));
  second.set(at(1) + Nanos(1));
  timers.run_due(at(9));
  EXPECT_EQ(seconds, 0);
}

}  // namespace
}  // namespace thrum::net
