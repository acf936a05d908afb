// One shard's walk through the schedule, in simulated time: nothing here waits for a clock.
#include "load/pacer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace thrum::load {
namespace {

using namespace std::chrono_literals;

constexpr CatchUp kAll{CatchUp::Mode::all, 100};
constexpr CatchUp kNone{CatchUp::Mode::none, 100};
constexpr CatchUp percent(std::uint32_t p) { return {CatchUp::Mode::percent, p}; }

Shape rate(const char* text) { return *parse_shape(text); }

struct Left {
  std::uint64_t hit;
  Nanos due, at;
};

// Lets everything leave that may, at the moments when it may first; `blocked` says when nothing can (a cap was reached).
std::vector<Left> walk(Pacer& pacer, Nanos until, const std::function<Nanos(Nanos)>& unblocked_at = nullptr) {
  std::vector<Left> left;
  Nanos t(0);
  while (pacer.next_at() < until) {
    t = std::max(t, pacer.next_at());
    if (unblocked_at) t = std::max(t, unblocked_at(t));
    if (t >= until) break;
    while (const auto due = pacer.take(t)) left.push_back({due->hit, due->at, t});
  }
  return left;
}

// The most hits that leave in any stretch of `length`, its first moment counted, its last not.
std::size_t most_within(const std::vector<Left>& left, Nanos length) {
  std::size_t most = 0;
  for (std::size_t from = 0, to = 0; from < left.size(); ++from) {
    while (to < left.size() && left[to].at - left[from].at < length) ++to;
    most = std::max(most, to - from);
  }
  return most;
}

std::function<Nanos(Nanos)> stalled(Nanos from, Nanos to) {
  return [=](Nanos t) { return t >= from && t < to ? to : t; };
}

TEST(Pacer, KeepsAConstantRateToTheNanosecond) {
  Pacer pacer(rate("3/s"), kAll, kUnlimited, {});
  const auto left = walk(pacer, 10s);
  ASSERT_EQ(left.size(), 30u);
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].hit, i);
    EXPECT_EQ(left[i].at, Nanos(static_cast<std::int64_t>(i * 1'000'000'000 / 3)));
    EXPECT_EQ(left[i].at, left[i].due);
  }
}

TEST(Pacer, GivesNothingBeforeItIsDue) {
  Pacer pacer(rate("10/s"), kAll, kUnlimited, {});
  EXPECT_TRUE(pacer.take(0ns));
  EXPECT_FALSE(pacer.take(100ms - 1ns));
  EXPECT_EQ(pacer.next_at(), 100ms);
  EXPECT_TRUE(pacer.take(100ms));
  EXPECT_FALSE(pacer.take(100ms));
}

TEST(Pacer, EndsWithItsTotal) {
  Pacer pacer(rate("100/s"), kAll, 3, {});
  EXPECT_EQ(walk(pacer, 10s).size(), 3u);
  EXPECT_TRUE(pacer.is_over());
  EXPECT_EQ(pacer.next_at(), Nanos::max());
  EXPECT_FALSE(pacer.take(10s));
  Pacer empty(rate("100/s"), kAll, 0, {});
  EXPECT_TRUE(empty.is_over());
  EXPECT_FALSE(empty.take(1s));
}

TEST(Pacer, SlicesInterleaveAndAreTheWholeTogether) {
  for (const std::uint32_t shards : {1u, 2u, 3u, 7u, 64u}) {
    for (const std::uint64_t total : {0ul, 1ul, 2ul, 63ul, 64ul, 65ul, 1000ul}) {
      std::vector<Left> all;
      for (std::uint32_t k = 0; k < shards; ++k) {
        Pacer pacer(rate("700/s"), kAll, total, {k, shards});
        for (const Left& l : walk(pacer, Nanos::max())) {
          EXPECT_EQ(l.hit % shards, k);
          all.push_back(l);
        }
        EXPECT_EQ(pacer.taken(), pacer.scheduled_before(Nanos::max()));
      }
      std::ranges::sort(all, {}, &Left::hit);
      ASSERT_EQ(all.size(), total);
      for (std::uint64_t n = 0; n < total; ++n) {
        EXPECT_EQ(all[n].hit, n);
        EXPECT_EQ(all[n].at, rate("700/s").due(n));
      }
    }
  }
}

TEST(CatchUp, AllSendsWhatIsLateAtOnce) {
  Pacer pacer(rate("100/s"), kAll, kUnlimited, {});
  const auto left = walk(pacer, 5s, stalled(1s, 2s));
  EXPECT_EQ(left.size(), 500u);
  EXPECT_EQ(std::ranges::count(left, Nanos(2s), &Left::at), 101);  // the second's 100, and the one due at its end
  EXPECT_EQ(pacer.missed(), 0u);
}

TEST(CatchUp, NoneMissesWhatIsMoreThanASlotLate) {
  Pacer pacer(rate("100/s"), kNone, kUnlimited, {});
  const auto left = walk(pacer, 5s, stalled(1s, 2s));
  for (const Left& l : left) EXPECT_LE(l.at - l.due, 10ms);
  EXPECT_EQ(left.size() + pacer.missed(), 500u);
  EXPECT_EQ(pacer.missed(), 99u);
  EXPECT_EQ(pacer.taken() + pacer.missed(), pacer.scheduled_before(5s));
}

TEST(CatchUp, NoneForgivesATimersErrorAtHighRates) {
  Pacer pacer(rate("100000/s"), kNone, kUnlimited, {});
  EXPECT_EQ(pacer.take(1ms)->hit, 0u);  // a hundred slots late, but no more than a sleep may be
  Pacer late(rate("100000/s"), kNone, kUnlimited, {});
  EXPECT_EQ(late.take(1ms + 1ns)->hit, 1u);
  EXPECT_EQ(late.missed(), 1u);
}

// After a second in which nothing could leave, no second sees more than the share asked for: the server that just came back
// isn't knocked over. (What is late by less than a timer's error counts as even.)
TEST(CatchUp, ByPercentNeverExceedsItsShareInAnySecond) {
  for (const std::uint32_t p : {110u, 150u, 200u, 333u}) {
    Pacer pacer(rate("100/s"), percent(p), kUnlimited, {});
    const auto left = walk(pacer, 60s, stalled(1s, 2s));
    EXPECT_LE(most_within(left, 1s - Pacer::kTolerance), p);
    EXPECT_EQ(left.size(), 6000u) << p;
    EXPECT_EQ(pacer.missed(), 0u);
    // Even again after the backlog of a second is worked off, and not long before that.
    const auto even = std::ranges::find_if(left, [](const Left& l) { return l.at > 2s && l.at - l.due <= Pacer::kTolerance; });
    ASSERT_NE(even, left.end());
    const double expected = 2 + 100.0 / (p - 100);
    EXPECT_NEAR(static_cast<double>(even->at.count()) / 1e9, expected, 0.05 * expected);
    for (auto l = even; l != left.end(); ++l) EXPECT_LE(l->at - l->due, Pacer::kTolerance);
    EXPECT_EQ(left.back().at, left.back().due);
  }
}

TEST(CatchUp, ByPercentHoldsForSlicesTogether) {
  std::vector<Left> all;
  constexpr std::uint32_t kShards = 4;
  for (std::uint32_t k = 0; k < kShards; ++k) {
    Pacer pacer(rate("1000/s"), percent(150), kUnlimited, {k, kShards});
    const auto left = walk(pacer, 10s, stalled(1s, 2s));
    all.insert(all.end(), left.begin(), left.end());
  }
  std::ranges::sort(all, {}, &Left::at);
  EXPECT_EQ(all.size(), 10'000u);
  EXPECT_LE(most_within(all, 1s), 1500u + kShards);
}

// A late wake in the middle of catching up is made good within the share, not by a burst.
TEST(CatchUp, ByPercentSurvivesLateWakes) {
  std::mt19937_64 random(3);
  Pacer pacer(rate("100/s"), percent(150), kUnlimited, {});
  std::vector<Left> left;
  for (Nanos t(0); t < 30s; t = std::max(t + Nanos(1), pacer.next_at()) + Nanos(static_cast<std::int64_t>(random() % 400'000))) {
    if (t >= 1s && t < 2s) t = 2s;
    while (const auto due = pacer.take(t)) left.push_back({due->hit, due->at, t});
  }
  EXPECT_LE(most_within(left, 1s), 151u);  // one more: a hit late by 0.4 ms stands at a stretch's edge
  EXPECT_EQ(left.size(), 3000u);
}

// Hits that were given out and then put off (no connection was free) share the one pace of catching up with those to come.
TEST(CatchUp, ByPercentHoldsForHitsThatWerePutOff) {
  Pacer pacer(rate("100/s"), percent(150), kUnlimited, {});
  std::vector<Due> put_off;
  for (Nanos t = 0s; t < 1s; t = pacer.next_at()) {
    put_off.push_back(*pacer.take(t));
    pacer.put_off();
  }
  std::vector<Left> left;
  Nanos t = 1s;
  for (std::size_t next = 0; t < 4s; t = next < put_off.size() ? pacer.catching_up_from() : pacer.next_at()) {
    if (next < put_off.size()) {
      ASSERT_EQ(pacer.leave_late(put_off[next], t), Pacer::Late::leaves);
      left.push_back({put_off[next].hit, put_off[next].at, t});
      ++next;
      EXPECT_TRUE(next == put_off.size() || pacer.leave_late(put_off[next], t) == Pacer::Late::waits);
    } else if (const auto due = pacer.take(t)) {
      left.push_back({due->hit, due->at, t});
    }
  }
  EXPECT_LE(most_within(left, 1s - Pacer::kTolerance), 150u);
  EXPECT_EQ(left.size(), 400u);
  EXPECT_EQ(pacer.taken(), 400u);
}

TEST(CatchUp, NoneHasOneRuleForHitsThatWerePutOff) {
  Pacer pacer(rate("10/s"), kNone, kUnlimited, {});
  const Due due = *pacer.take(0s);
  pacer.put_off();
  EXPECT_EQ(pacer.leave_late(due, 100ms), Pacer::Late::leaves);
  EXPECT_EQ(pacer.leave_late(due, 100ms + 1ns), Pacer::Late::missed);
}

TEST(CatchUp, TakesTheSlowestRates) {
  for (const CatchUp mode : {kAll, kNone, percent(1)}) {
    Pacer pacer(Shape::constant({1, Nanos::max()}), mode, kUnlimited, {1, 256});
    EXPECT_FALSE(pacer.take(kForEver));
    Pacer first(Shape::constant({1, Nanos::max()}), mode, kUnlimited, {});
    EXPECT_TRUE(first.take(1s));
    EXPECT_FALSE(first.take(kForEver));
  }
}

TEST(Pacer, EndsEarlierWhenToldAndCountsWhatWasDue) {
  Pacer pacer(rate("10/s"), kAll, kUnlimited, {});
  EXPECT_EQ(walk(pacer, 500ms).size(), 5u);
  pacer.end_at(1s);
  EXPECT_EQ(pacer.scheduled_before(Nanos::max()), 10u);
  pacer.end_at(5s);  // never later again
  EXPECT_EQ(pacer.scheduled_before(Nanos::max()), 10u);
  pacer.abandon();
  EXPECT_EQ(pacer.missed(), 5u);
  EXPECT_TRUE(pacer.is_over());
  pacer.abandon();
  EXPECT_EQ(pacer.missed(), 5u);
}

TEST(Pacer, AbandonsMillionsAtOnce) {
  Pacer pacer(rate("100000000"), kAll, 1'000'000'000'000'000, {1, 3});
  pacer.abandon();
  EXPECT_EQ(pacer.missed(), 333'333'333'333'333u);
  EXPECT_EQ(pacer.missed(), pacer.scheduled_before(Nanos::max()));
}

// Whatever happens between: what was taken and what was missed make up what was scheduled, no hit is given twice, none before
// it is due, none out of turn.
TEST(Pacer, KeepsItsBooksUnderRandomTakeTimes) {
  std::mt19937_64 random(23);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 400; ++round) {
    const Shape shape = Shape::constant({1 + below(20'000'000'000'000), Nanos(1 + below(2'000'000'000))});
    const CatchUp modes[] = {kAll, kNone, percent(static_cast<std::uint32_t>(1 + below(400)))};
    const CatchUp mode = modes[round % 3];
    const auto shards = static_cast<std::uint32_t>(1 + below(4));
    const std::uint64_t total = below(2) == 0 ? kUnlimited : static_cast<std::uint64_t>(below(5000));
    const Nanos slot = std::max(Nanos(1), shape.due(1));
    Nanos end(0);
    std::set<std::uint64_t> hits;
    std::uint64_t taken = 0, missed = 0;
    std::vector<Pacer> pacers;
    for (std::uint32_t k = 0; k < shards; ++k) pacers.emplace_back(shape, mode, total, Slice{k, shards});
    for (Pacer& pacer : pacers) {
      Nanos t(0);
      for (int step = 0; step < 200 && !pacer.is_over(); ++step) {
        t += Nanos(below(static_cast<std::uint64_t>(slot.count()) * 10 + 1));
        for (std::int64_t most = below(20); most > 0; --most) {
          const auto due = pacer.take(t);
          if (!due) break;
          EXPECT_LE(due->at, t);
          EXPECT_EQ(due->at, shape.due(due->hit));
          EXPECT_EQ(due->hit % shards, static_cast<std::uint64_t>(&pacer - pacers.data()));
          EXPECT_TRUE(hits.insert(due->hit).second);
        }
      }
      end = std::max(end, t + Nanos(1));
    }
    for (Pacer& pacer : pacers) {
      pacer.end_at(end);
      if (below(2) == 0) pacer.take(end);
      pacer.abandon();
      EXPECT_EQ(pacer.taken() + pacer.missed(), pacer.scheduled_before(Nanos::max()));
      taken += pacer.taken();
      missed += pacer.missed();
    }
    EXPECT_EQ(taken + missed, std::min(total, shape.hits_before(end)));
  }
}

TEST(Pacer, KnowsWhetherItIsBehind) {
  Pacer pacer(rate("10/s"), kAll, 1, {});
  EXPECT_FALSE(pacer.is_behind(Pacer::kTolerance));
  EXPECT_TRUE(pacer.is_behind(Pacer::kTolerance + 1ns));
  pacer.take(1s);
  EXPECT_FALSE(pacer.is_behind(10s));
}

}  // namespace
}  // namespace thrum::load
