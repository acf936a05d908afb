#include "host/counters.hpp"

#include "host/kernel_text.hpp"
#include "tree.hpp"

namespace thrum::host {
namespace {

using CountersTest = TreeTest;

constexpr const char* kNetstat =
    "TcpExt: SyncookiesSent ListenOverflows ListenDrops\n"
    "TcpExt: 1 20 30\n"
    "IpExt: InNoRoutes ListenOverflows\n"
    "IpExt: 4 5\n";

TEST(KernelText, CountersStandInPairsOfLines) {
  EXPECT_EQ(counter_of(kNetstat, "TcpExt", "ListenOverflows"), 20u);
  EXPECT_EQ(counter_of(kNetstat, "IpExt", "ListenOverflows"), 5u);
  EXPECT_EQ(counter_of(kNetstat, "TcpExt", "InNoRoutes"), std::nullopt);
  EXPECT_EQ(counter_of(kNetstat, "UdpExt", "ListenDrops"), std::nullopt);
  EXPECT_EQ(counter_of("A: b c\nA: 1\n", "A", "c"), std::nullopt);
  EXPECT_EQ(counter_of("A: b\nA: x\n", "A", "b"), std::nullopt);
  EXPECT_EQ(counter_of("A: b\n", "A", "b"), std::nullopt);
}

TEST(KernelText, ValuesStandBehindTheirNames) {
  EXPECT_EQ(value_of("MemFree: 5 kB\nMemTotal:\t 12 kB\n", "MemTotal"), 12u);
  EXPECT_EQ(value_of("MemTotalX 5\nMemTotal\n", "MemTotal"), std::nullopt);
}

TEST(CoreTimes, GuestsAreNotCountedTwice) {
  const auto t = core_times_from("intr 5\ncpu  10 20 30 40 50 60 70 80 1000 1000\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->all, 360u);
  EXPECT_EQ(t->stolen, 80u);
  for (const char* nonsense : {"", "cpu 1 2 3\n", "cpu 1 2 3 4 5 6 7 x 0 0\n", "cpu0 1 2 3 4 5 6 7 8\n"})
    EXPECT_FALSE(core_times_from(nonsense)) << nonsense;
}

TEST_F(CountersTest, FromOneLookToTheNext) {
  const Counters nothing = counters(root);
  const Difference none = difference(nothing, nothing);
  EXPECT_EQ(none.quota, 0);
  EXPECT_EQ(none.stolen, 0);
  EXPECT_EQ(none.listen_overflows, 0u);

  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  write("/sys/fs/cgroup/cpu.stat", "nr_periods 10\nnr_throttled 1\nthrottled_usec 1000\n");
  write("/proc/stat", "cpu 10 0 0 80 0 0 0 10 0 0\n");
  write("/proc/net/netstat", kNetstat);
  const Counters before = counters(root);
  write("/sys/fs/cgroup/cpu.stat", "nr_periods 30\nnr_throttled 6\nthrottled_usec 3000\n");
  write("/proc/stat", "cpu 10 0 0 155 0 0 0 35 0 0\n");
  write("/proc/net/netstat", "TcpExt: ListenOverflows\nTcpExt: 27\n");
  const Difference d = difference(before, counters(root));
  EXPECT_EQ(d.quota, 0.5);
  EXPECT_EQ(d.periods, 20u);
  EXPECT_EQ(d.throttled, 5u);
  EXPECT_EQ(d.throttled_time, Nanos(2'000'000));
  EXPECT_EQ(d.stolen, 0.25);
  EXPECT_EQ(d.listen_overflows, 7u);
  const Difference back = difference(counters(root), before);
  EXPECT_EQ(back.throttled, 0u);
  EXPECT_EQ(back.throttled_time, Nanos(0));
  EXPECT_EQ(back.stolen, 0);
}

}  // namespace
}  // namespace thrum::host
