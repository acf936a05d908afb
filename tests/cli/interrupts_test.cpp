#include "cli/interrupts.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace thrum::cli {
namespace {

struct Counter final : Interruptible {
  int stops = 0, cuts = 0;
  void stop() noexcept override { ++stops; }
  void cut() noexcept override { ++cuts; }
};

void (*disposition(int signal))(int) {
  struct sigaction now{};
  sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

TEST(Interrupts, StopTheFirstTimeAndCutFromTheSecondOn) {
  Counter target;
  const Interrupts interrupts(target);
  EXPECT_EQ(Interrupts::count(), 0);
  raise(SIGINT);
  EXPECT_EQ(target.stops, 1);
  EXPECT_EQ(target.cuts, 0);
  raise(SIGTERM);
  raise(SIGHUP);
  EXPECT_EQ(target.stops, 1);
  EXPECT_EQ(target.cuts, 2);
  EXPECT_EQ(Interrupts::count(), 3);
}

TEST(Interrupts, GiveTheSignalsBack) {
  const auto before = disposition(SIGINT);
  Counter target;
  {
    const Interrupts interrupts(target);
    EXPECT_NE(disposition(SIGINT), before);
  }
  EXPECT_EQ(disposition(SIGINT), before);
  const Interrupts again(target);
  EXPECT_EQ(Interrupts::count(), 0);
}

TEST(Interrupts, RespectNohupButNotABackgroundJobsIgnoredSigint) {
  const auto hup = std::signal(SIGHUP, SIG_IGN), interrupt = std::signal(SIGINT, SIG_IGN);
  Counter target;
  {
    const Interrupts interrupts(target);
    raise(SIGHUP);
    EXPECT_EQ(target.stops, 0);
    raise(SIGINT);
    EXPECT_EQ(target.stops, 1);
  }
  std::signal(SIGHUP, hup);
  std::signal(SIGINT, interrupt);
}

}  // namespace
}  // namespace thrum::cli
