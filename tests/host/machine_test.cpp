#include "host/machine.hpp"

#include <gmock/gmock.h>

#include "host/timer_error.hpp"
#include "tree.hpp"

namespace thrum::host {
namespace {

using testing::ElementsAre;
using testing::Pair;
using MachineTest = TreeTest;

TEST_F(MachineTest, WhatIsNotThereIsNotKnown) {
  EXPECT_EQ(clock_source(root), "");
  EXPECT_TRUE(governors(root).empty());
  EXPECT_FALSE(memory(root));
  EXPECT_FALSE(is_virtual(root));
  EXPECT_FALSE(io_uring(root));
}

TEST_F(MachineTest, WhatIsThere) {
  write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  write("/sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "powersave\n");
  write("/sys/devices/system/cpu/cpu11/online", "0\n");
  write("/sys/devices/system/cpu/cpufreq/cpufreq/scaling_governor", "x\n");
  write("/proc/meminfo", "MemTotal:  100 kB\nMemFree: 1 kB\nMemAvailable:  40 kB\n");
  write("/proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor sse\n");
  write("/proc/sys/kernel/io_uring_disabled", "2\n");
  EXPECT_EQ(clock_source(root), "tsc");
  EXPECT_THAT(governors(root), ElementsAre(Pair("performance", 1), Pair("powersave", 2)));
  EXPECT_EQ(memory(root)->bytes, 102'400u);
  EXPECT_EQ(memory(root)->available, 40'960u);
  EXPECT_EQ(is_virtual(root), true);
  EXPECT_EQ(io_uring(root), IoUring::disabled);
  write("/proc/cpuinfo", "flags : fpu sse\n");
  EXPECT_EQ(is_virtual(root), false);
}

TEST(TimerError, IsThatOfSleepsThatEndedLate) {
  Instant t{};
  int sleeps = 0;
  const auto sleep = [&](Instant due) {
    ++sleeps;
    t = sleeps == 5 ? due - Nanos(1)
                    : due + (sleeps == 50 ? std::chrono::milliseconds(9) : std::chrono::microseconds(60));  // woken early once
  };
  const auto error = timer_error({.sleeps = 100}, sleep, [&] { return t; });
  ASSERT_TRUE(error);
  EXPECT_EQ(sleeps, 101);
  EXPECT_EQ(error->p50, std::chrono::microseconds(60));
  EXPECT_EQ(error->p99, std::chrono::milliseconds(9));
  EXPECT_EQ(error->max, std::chrono::milliseconds(9));
}

TEST(TimerError, EndsInTime) {
  Instant t{};
  int sleeps = 0;
  EXPECT_TRUE(timer_error(
      {.sleeps = 100, .each = std::chrono::milliseconds(1), .most = std::chrono::milliseconds(10)},
      [&](Instant due) { t = due + std::chrono::milliseconds(3), ++sleeps; }, [&] { return t; }));
  EXPECT_EQ(sleeps, 3);
}

TEST(TimerError, SleepsThatAllEndEarlyTellNothing) {
  Instant t{};
  EXPECT_FALSE(timer_error({.sleeps = 3}, [&](Instant due) { t = due - Nanos(1); }, [&] { return t; }));
}

TEST(TimerError, OfThisMachine) {
  const auto error = timer_error({.sleeps = 5, .each = Nanos(100'000)});
  ASSERT_TRUE(error);
  EXPECT_LE(error->p50, error->p99);
  EXPECT_LE(error->p99, error->max);
}

}  // namespace
}  // namespace thrum::host
