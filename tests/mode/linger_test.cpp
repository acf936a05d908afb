#include "mode/linger.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace thrum::mode {
namespace {

using namespace std::chrono_literals;

// Each would take an hour if it were not ended.
TEST(Linger, EndsWhenTold) {
  Linger before;
  before.end();
  before.end();
  before.wait(1h);
  before.wait(1h);
  Linger during;
  std::thread ender([&] { during.end(); });
  during.wait(1h);
  ender.join();
}

TEST(Linger, EndsByItself) {
  Linger linger;
  linger.wait(Nanos(1));
  linger.wait(Nanos(0));
  linger.wait(Nanos(-5));
}

}  // namespace
}  // namespace thrum::mode
