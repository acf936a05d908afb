// When a connection may be opened for a hit that is due, in simulated time.
#include "load/opening_pace.hpp"

#include <gtest/gtest.h>

namespace thrum::load {
namespace {

using namespace std::chrono_literals;

TEST(OpeningPace, LooksBeforeItOpens) {
  OpeningPace pace;
  EXPECT_FALSE(pace.take(0ns, 0ns));
  EXPECT_FALSE(pace.is_braking());
  pace.looked(3);  // connections may have become free: those first
  EXPECT_FALSE(pace.take(0ns, 0ns));
  pace.looked(0);
  EXPECT_TRUE(pace.take(0ns, 0ns));
}

TEST(OpeningPace, OpensAFewPerLook) {
  OpeningPace pace;
  for (int look = 0; look < 50; ++look) {
    pace.looked(0);
    int opened = 0;
    while (opened < 1000 && pace.take(Nanos(look), 0ns)) ++opened;
    EXPECT_GE(opened, 1);
    EXPECT_LE(opened, 16);
  }
}

// A target that does not answer gets a connection for every hit, late or not: that is what an open model is for.
TEST(OpeningPace, HasNoBrakeForASilentTarget) {
  OpeningPace pace;
  int opened = 0;
  for (int i = 0; i < 10'000; ++i) {
    pace.looked(0);
    opened += pace.take(Nanos(i * 1000), 50ms) ? 1 : 0;
  }
  EXPECT_EQ(opened, 10'000);
}

// Hits are late although answers keep coming: new connections come at a bounded pace, after a burst, however often it looks.
TEST(OpeningPace, BrakesWhenLateAndAnswered) {
  OpeningPace pace;
  int opened = 0;
  constexpr int kMillis = 5000;
  for (Nanos t = 0ms; t < Nanos(kMillis * 1ms); t += 10us) {
    pace.answered(t);
    pace.looked(static_cast<int>(t.count() / 10'000 % 3));
    opened += pace.take(t, 5ms) ? 1 : 0;
  }
  EXPECT_GE(opened, kMillis);        // it goes on all the time, even when there always is something to read
  EXPECT_LE(opened, kMillis + 130);  // a thousand a second after a burst
  EXPECT_TRUE(pace.is_braking());
}

// A target that answers less often than hits are due would hold them back for ever: the pace is for stalls of a moment.
TEST(OpeningPace, HasNoBrakeOnceHitsAreLaterThanAStallMakesThem) {
  OpeningPace pace;
  int opened = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Nanos t(i * 1000);
    pace.answered(t);
    pace.looked(0);
    opened += pace.take(t, 100ms) ? 1 : 0;
    EXPECT_FALSE(pace.is_braking());
  }
  EXPECT_EQ(opened, 10'000);
  // And until they are on time again, or they would stay that late.
  pace.answered(11ms);
  pace.looked(0);
  EXPECT_TRUE(pace.take(11ms, 50ms));
  pace.looked(0);
  EXPECT_TRUE(pace.take(11ms, 0ms));
  while (pace.take(11ms, 50ms)) {
  }
  EXPECT_TRUE(pace.is_braking());
}

TEST(OpeningPace, LetsGoOfTheBrakeWhenOnTimeAgainOrAnswersCease) {
  OpeningPace pace;
  pace.answered(1s);
  int opened = 0;
  while (opened < 1000 && pace.take(1s, 5ms)) ++opened;
  EXPECT_EQ(opened, 128);
  EXPECT_FALSE(pace.take(1s, 5ms));
  EXPECT_TRUE(pace.is_braking());
  const Nanos again = pace.again_at(1s);
  EXPECT_GT(again, 1s);
  EXPECT_LE(again, 1s + 2ms);
  EXPECT_TRUE(pace.take(again, 5ms));  // and not in vain
  // On time: only a look is needed.
  EXPECT_FALSE(pace.take(again, 0ns));
  EXPECT_FALSE(pace.is_braking());
  pace.looked(0);
  EXPECT_TRUE(pace.take(again, 0ns));
  // No answer for a while: the target is the one that holds things up.
  pace.looked(0);
  EXPECT_TRUE(pace.take(again + 30ms, 5ms));
  EXPECT_EQ(pace.again_at(again + 30ms), again + 30ms);
}

}  // namespace
}  // namespace thrum::load
