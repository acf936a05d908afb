// What somebody changes while an attack goes on loses no hit, adds none, and keeps them in order: in simulated time.
#include "load/schedule.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "load/pacer.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;

Shape shape_of(const char* text) { return parse_shape(text).value(); }
Change rate_at(Nanos at, const char* text) { return {Change::Kind::rate, at, shape_of(text)}; }
Change pause_at(Nanos at) { return {Change::Kind::pause, at, {}}; }
Change resume_at(Nanos at) { return {Change::Kind::resume, at, {}}; }

std::vector<Nanos> dues(const Schedule& s, Nanos until) {
  std::vector<Nanos> out;
  for (std::uint64_t n = 0; s.due(n) < until; ++n) out.push_back(s.due(n));
  return out;
}

TEST(Schedule, IsItsShapeWhileNothingIsChanged) {
  const Shape shape = shape_of("10..500/s over 1m");
  const Schedule s(shape, 10s);
  EXPECT_EQ(s.end(), 10s);
  for (std::uint64_t n = 0; n < 300; ++n) EXPECT_EQ(s.due(n), shape.due(n));
  EXPECT_EQ(s.hits_before(10s), shape.hits_before(10s));
}

TEST(Schedule, MayBeginEarlier) {
  const Schedule s(shape_of("2/s"), 0s, -3s);
  EXPECT_EQ(s.due(0), -3s);
  EXPECT_EQ(s.due(5), -500ms);
  EXPECT_EQ(s.hits_before(0s), 6u);
}

TEST(Schedule, ANewRateGoesOnWhereTheOldOneWas) {
  Schedule s(shape_of("10/s"), 10s);
  s.apply(rate_at(1050ms, "100/s"));  // ten and a half hits are over: the next is due when eleven would be
  EXPECT_EQ(s.due(10), 1000ms);
  EXPECT_EQ(s.due(11), 1055ms);
  EXPECT_EQ(s.due(12), 1065ms);
  EXPECT_EQ(s.end(), 10s);
  EXPECT_EQ(s.rate_at(1s), 10);
  EXPECT_EQ(s.rate_at(2s), 100);
  EXPECT_EQ(s.peak(), 100);
}

// However often it is changed: the fraction of a hit that was due is not due again.
TEST(Schedule, ChangingToTheSameRateChangesNothing) {
  Schedule s(shape_of("0.5/s"));
  for (int i = 1; i < 100; ++i) s.apply(rate_at(std::chrono::seconds(i), "0.5/s"));
  for (std::uint64_t n = 0; n < 60; ++n) EXPECT_LE(std::abs((s.due(n) - std::chrono::seconds(2 * n)).count()), 100) << n;
}

TEST(Schedule, AShapeThatEndsBeforeEndsTheAttack) {
  Schedule s(shape_of("10/s"), 60s);
  s.apply(rate_at(10s, "10..50/s over 20s"));
  EXPECT_EQ(s.end(), 30s);
  EXPECT_EQ(s.hits_before(100s), 100u + 600u);
  EXPECT_EQ(s.due(700), Nanos::max());
  s.apply(rate_at(20s, "10/s"));
  EXPECT_EQ(s.end(), 60s) << "as it was planned";
}

TEST(Schedule, APauseMovesTheRest) {
  Schedule s(shape_of("10/s for 2s, 100/s for 1s"), 3s);
  s.apply(pause_at(1s));
  EXPECT_TRUE(s.is_paused());
  EXPECT_EQ(s.end(), Nanos::max());
  EXPECT_EQ(s.due(9), 900ms);
  EXPECT_EQ(s.due(10), Nanos::max());
  EXPECT_EQ(s.hits_before(100s), 10u);
  EXPECT_EQ(s.rate_at(2s), 0);
  s.apply(pause_at(2s));  // already
  s.apply(resume_at(6s));
  s.apply(resume_at(7s));
  EXPECT_EQ(s.end(), 8s);
  EXPECT_EQ(s.due(10), 6s);
  EXPECT_EQ(s.due(20), 7s);
  EXPECT_EQ(s.due(119), 7990ms);
  EXPECT_EQ(s.due(120), Nanos::max());
}

TEST(Schedule, ARateChangedInAPauseBeginsAfterIt) {
  Schedule s(shape_of("10/s"), 20s);
  s.apply(pause_at(1s));
  s.apply(rate_at(2s, "100/s"));
  EXPECT_TRUE(s.is_paused());
  s.apply(resume_at(3s));
  EXPECT_EQ(s.due(10), 3s);
  EXPECT_EQ(s.due(11), 3010ms);
  EXPECT_EQ(s.end(), 22s);
}

// Changes at random moments, of random kinds: the count is the integral within one, hits stay in order, and each is due where
// the integral reaches its number.
TEST(Property, CountIsTheIntegralWhateverIsChanged) {
  std::mt19937_64 random(11);
  const char* const shapes[] = {
      "7/s", "300/s", "1..200/s over 7s, 200/s", "sine mean 50/s amp 50/s period 3s", "0.3/s", "20..5/s over 4s, 80/s"};
  for (int i = 0; i < 200; ++i) {
    Shape shape = shape_of(shapes[random() % std::size(shapes)]);
    Schedule s(shape);
    long double integral = 0;
    Nanos t(0), into(0);
    bool is_paused = false;
    for (int change = 0; change < 12; ++change) {
      const Nanos step(static_cast<std::int64_t>(random() % 3'000'000'000));
      if (!is_paused) integral += shape.expected(into + step) - shape.expected(into), into += step;
      t += step;
      EXPECT_NEAR(static_cast<double>(s.hits_before(t)), static_cast<double>(integral), 1) << i;
      switch (random() % 3) {
        case 0: {
          const char* const text = shapes[random() % std::size(shapes)];
          s.apply(rate_at(t, text));
          shape = shape_of(text), into = Nanos(0);
          break;
        }
        case 1:
          s.apply(pause_at(t)), is_paused = true;
          break;
        default:
          s.apply(resume_at(t)), is_paused = false;
      }
    }
    const std::vector<Nanos> all = dues(s, t);
    EXPECT_TRUE(std::ranges::is_sorted(all)) << i;
    for (std::size_t n = 0; n < all.size(); ++n) {
      EXPECT_LE(s.hits_before(all[n]), n) << i;
      EXPECT_GT(s.hits_before(all[n] + 1us), n) << i;
    }
  }
}

// Shards that apply a change at different moments of their own still give each number once.
TEST(Property, ShardsThatChangeTogetherShareTheHits) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 100; ++i) {
    std::vector<Change> changes;
    Nanos t(0);
    for (int k = 0; k < 6; ++k) {
      t += Nanos(static_cast<std::int64_t>(random() % 1'000'000'000));
      if (k % 3 == 0)
        changes.push_back(rate_at(t, random() % 2 == 0 ? "50/s" : "5..400/s over 2s, 400/s"));
      else
        changes.push_back(k % 3 == 1 ? pause_at(t) : resume_at(t));
    }
    const Nanos end = t + 1s;
    std::vector<std::uint64_t> hits;
    for (std::uint32_t shard = 0; shard < 3; ++shard) {
      Pacer pacer(shape_of("100/s"), {}, kUnlimited, {shard, 3});
      Nanos last = Nanos::min();
      const auto take_until = [&](Nanos until) {
        while (const auto due = pacer.take(until)) {
          hits.push_back(due->hit);
          EXPECT_GE(due->at, last);
          last = due->at;
        }
      };
      for (const Change& c : changes) {
        take_until(c.at + Nanos(static_cast<std::int64_t>(random() % 3'000'000)));  // seen a little late
        pacer.apply(c);
      }
      take_until(end);
    }
    std::ranges::sort(hits);
    Schedule whole(shape_of("100/s"));
    for (const Change& c : changes) whole.apply(c);
    // The last of each shard may lie just before or behind the end.
    EXPECT_NEAR(static_cast<double>(hits.size()), static_cast<double>(whole.hits_before(end)), 3);
    EXPECT_EQ(std::ranges::adjacent_find(hits), hits.end()) << "a hit that two shards took";
    EXPECT_LT(hits.back(), hits.size() + 3);
  }
}

// Threads that join and leave: whatever the moments at which shards learn of it, each hit is one shard's, and due when it was.
TEST(Property, ShardsThatJoinAndLeaveShareTheHits) {
  std::mt19937 random(11);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 60; ++round) {
    const Shape shape = shape_of(std::array{"1000/s", "10..2000/s over 4s", "poisson 700/s"}[static_cast<std::size_t>(round % 3)]);
    constexpr std::uint32_t kMost = 5;
    const std::uint32_t first = 1 + static_cast<std::uint32_t>(below(kMost));
    const bool is_counted = below(2) == 0;
    const std::uint64_t total = is_counted ? 1500 : kUnlimited;
    const Nanos end = is_counted ? Nanos::max() : Nanos(3s);
    std::vector<Pacer> shards;
    for (std::uint32_t k = 0; k < kMost; ++k) shards.emplace_back(shape, CatchUp{}, total, Slice{k, first}, end, 5);
    std::vector<std::size_t> seen(kMost, 0);
    std::vector<Change> changes;
    Frontier frontier;
    frontier.open(16);
    std::map<std::uint64_t, Nanos> sent;
    for (Nanos t{0}; t < 5s; t += Nanos(100'000 + below(5'000'000))) {
      if (below(10) == 0) {
        changes.push_back({.kind = Change::Kind::shards, .from = frontier.hold(), .shards = 1 + static_cast<std::uint32_t>(below(kMost))});
      }
      // While it is held nobody goes beyond it, wherever they are.
      for (std::uint32_t k = 0; k < kMost; ++k) {
        if (below(3) == 0) continue;  // late
        if (!changes.empty() && changes.size() == seen[k] + 1 && below(2) == 0) {
          // has not looked yet: it may go on only up to where the division begins
          while (const auto due = shards[k].take(t, std::min(changes.back().from, frontier.open_for(shards[k].next_hit()))))
            EXPECT_TRUE(sent.emplace(due->hit, due->at).second) << due->hit;
          continue;
        }
        for (; seen[k] < changes.size(); ++seen[k]) shards[k].apply(changes[seen[k]]);
        while (const auto due = shards[k].take(t, frontier.open_for(shards[k].next_hit())))
          EXPECT_TRUE(sent.emplace(due->hit, due->at).second) << due->hit;
      }
      frontier.release();
    }
    for (std::uint32_t k = 0; k < kMost; ++k) {
      for (; seen[k] < changes.size(); ++seen[k]) shards[k].apply(changes[seen[k]]);
      while (const auto due = shards[k].take(10s)) EXPECT_TRUE(sent.emplace(due->hit, due->at).second) << due->hit;
    }
    Pacer alone(shape, CatchUp{}, total, Slice{}, end, 5);
    std::uint64_t n = 0;
    while (const auto due = alone.take(10s)) {
      ASSERT_TRUE(sent.contains(due->hit)) << due->hit << " in round " << round;
      EXPECT_EQ(sent[due->hit], due->at) << due->hit;
      ++n;
    }
    EXPECT_EQ(sent.size(), n) << round;
  }
}

TEST(Pacer, WaitsInAPauseAndEndsAtItsEnd) {
  Pacer pacer(shape_of("10/s"), {}, kUnlimited, {}, 2s);
  while (pacer.take(1s)) {
  }
  pacer.apply(pause_at(1s));
  EXPECT_EQ(pacer.next_at(), Nanos::max());
  EXPECT_FALSE(pacer.is_over());
  pacer.apply(resume_at(5s));
  EXPECT_EQ(pacer.end(), 6s);
  std::uint64_t after = 0;
  while (pacer.take(10s)) ++after;
  EXPECT_EQ(pacer.taken(), 20u);
  EXPECT_TRUE(pacer.is_over());
  EXPECT_EQ(after, 9u) << "the eleventh was due at 1 s, and had been taken";
}

TEST(Pacer, HasAllOnlyWithItsLastHit) {
  Pacer pacer(shape_of("10/s"), {}, 15, {}, 1s);
  while (pacer.take(1s)) {
  }
  EXPECT_TRUE(pacer.is_over());
  EXPECT_FALSE(pacer.has_all()) << "a new rate could bring the other five";
  pacer.apply(rate_at(900ms, "1000/s"));
  while (pacer.take(1s)) {
  }
  EXPECT_EQ(pacer.taken(), 15u);
  EXPECT_TRUE(pacer.has_all());
}

}  // namespace
}  // namespace thrum::load
