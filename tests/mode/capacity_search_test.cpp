// The search for the highest rate that holds, against targets in simulation.
#include "mode/capacity_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>

namespace thrum::mode {
namespace {

using namespace std::chrono_literals;
using Outcome = CapacitySearch::Outcome;
using Trial = CapacitySearch::Trial;

struct Found {
  double rate;
  std::optional<double> failed;
  Nanos time{0};
  int trials = 0;
  bool met_own_limit = false;
};

Found search(SearchOptions options, const std::function<Outcome(const Trial&)>& target) {
  CapacitySearch search(options);
  Found found{};
  while (const auto trial = search.next()) {
    found.time += trial->length;
    if (++found.trials > 200) ADD_FAILURE() << "goes on for ever";
    if (found.trials > 200) break;
    search.tell(target(*trial));
  }
  found.rate = search.found();
  found.failed = search.failed();
  found.met_own_limit = search.met_own_limit();
  return found;
}

std::function<Outcome(const Trial&)> holds_up_to(double capacity) {
  return [=](const Trial& t) { return t.rate <= capacity ? Outcome::held : Outcome::failed; };
}

TEST(CapacitySearch, FindsWhatATargetHolds) {
  for (const double capacity : {0.7, 3.0, 49.0, 50.0, 51.0, 160.0, 800.0, 12'345.0, 99'000.0}) {
    const Found f = search({}, holds_up_to(capacity));
    EXPECT_LE(f.rate, capacity);
    EXPECT_GE(f.rate, capacity * 0.97) << capacity;
    ASSERT_TRUE(f.failed);
    EXPECT_GT(*f.failed, capacity);
    EXPECT_LE(f.time, 130s) << capacity;
  }
}

TEST(CapacitySearch, ComesDownWhenALongerTimeFails) {
  // For a moment it takes 10 % more.
  const Found f = search({}, [](const Trial& t) { return t.rate <= (t.is_confirmation ? 160 : 176) ? Outcome::held : Outcome::failed; });
  EXPECT_LE(f.rate, 160);
  EXPECT_GE(f.rate, 153);
  EXPECT_LE(*f.failed, 168);
  EXPECT_FALSE(f.met_own_limit);
}

TEST(CapacitySearch, StopsAtWhatItMaySend) {
  const Found f = search({.most = 300}, holds_up_to(1000));
  EXPECT_EQ(f.rate, 300);
  EXPECT_FALSE(f.failed);
  EXPECT_FALSE(f.met_own_limit);
}

TEST(CapacitySearch, SaysSoWhereItCouldNotSendMore) {
  const Found f = search({}, [](const Trial& t) { return t.rate <= 5000 ? Outcome::held : Outcome::own_limit; });
  EXPECT_EQ(f.rate, 3200);
  EXPECT_FALSE(f.failed);
  EXPECT_TRUE(f.met_own_limit);
  const Found low = search({.from = 10'000}, [](const Trial& t) { return t.rate <= 5000 ? Outcome::held : Outcome::own_limit; });
  EXPECT_EQ(low.rate, 5000);
}

// This machine stands still in every fifth trial.
TEST(CapacitySearch, TriesAgainWhatItCouldNotSend) {
  for (const int first : {0, 1, 2, 3, 4}) {
    int trial = first;
    const Found f = search({}, [&](const Trial& t) { return trial++ % 5 == 0 ? Outcome::own_limit : holds_up_to(160)(t); });
    EXPECT_LE(f.rate, 160);
    EXPECT_GE(f.rate, 160 * 0.97);
    EXPECT_FALSE(f.met_own_limit);
  }
}

TEST(CapacitySearch, GivesUpOnWhatHoldsNothing) {
  const Found f = search({}, [](const Trial&) { return Outcome::failed; });
  EXPECT_EQ(f.rate, 0);
  EXPECT_LE(f.trials, 12);
}

// A target whose answers are random, too: it always ends, at a rate that it held twice.
TEST(Property, EndsWhateverComes) {
  std::mt19937_64 random(21);
  for (int i = 0; i < 300; ++i) {
    std::set<double> held;
    const Found f = search({}, [&](const Trial& t) {
      const auto r = random() % 10;
      const Outcome outcome = r < 5 ? Outcome::held : r < 9 ? Outcome::failed : Outcome::own_limit;
      if (outcome == Outcome::held) held.insert(t.rate);
      return outcome;
    });
    EXPECT_TRUE(f.rate == 0 || held.contains(f.rate));
    if (f.failed) {
      EXPECT_LT(f.rate, *f.failed);
    }
  }
}

}  // namespace
}  // namespace thrum::mode
