#include "load/opening_window.hpp"

#include <gtest/gtest.h>

namespace thrum::load {
namespace {

using namespace std::chrono_literals;

int begin_all(OpeningWindow& window, Nanos t) {
  int begun = 0;
  for (; begun < 1'000'000 && !window.is_full(t); ++begun) window.began();
  return begun;
}

TEST(OpeningWindow, EachThatComesUpLetsTwoBegin) {
  OpeningWindow window;
  EXPECT_EQ(begin_all(window, 0ms), 16);
  window.came_up();
  EXPECT_EQ(begin_all(window, 1ms), 2);
  for (int i = 0; i < 17; ++i) window.came_up();
  EXPECT_EQ(begin_all(window, 2ms), 34);
}

TEST(OpeningWindow, OneThatFailsMakesRoomForOne) {
  OpeningWindow window;
  begin_all(window, 0ms);
  window.failed();
  EXPECT_EQ(begin_all(window, 1ms), 1);
}

TEST(OpeningWindow, DoublesWithTimeWhateverHappens) {
  OpeningWindow window;
  EXPECT_EQ(begin_all(window, 0ms), 16);
  EXPECT_EQ(begin_all(window, 49ms), 0);
  EXPECT_EQ(window.grows_at(), 50ms);
  EXPECT_EQ(begin_all(window, 50ms), 16);
  EXPECT_EQ(begin_all(window, 300ms), 32 * 32 - 32);
}

}  // namespace
}  // namespace thrum::load
