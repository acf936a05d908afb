#include "host/control_groups.hpp"

#include "tree.hpp"

namespace thrum::host {
namespace {

using ControlGroups = TreeTest;

TEST_F(ControlGroups, TheGroupWithTheTightestQuotaIsCounted) {
  EXPECT_FALSE(throttling(cpu_quota(root)));
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n");
  write("/sys/fs/cgroup/a/b/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_usec 1\n");
  EXPECT_FALSE(throttling(cpu_quota(root)));  // of another group
  write("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 40\nnr_throttled 7\nthrottled_usec 350\nnr_bursts 0\n");
  const auto quota = cpu_quota(root);
  ASSERT_TRUE(quota);
  EXPECT_EQ(quota->cores, 0.5);
  const auto t = throttling(quota);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->periods, 40u);
  EXPECT_EQ(t->throttled, 7u);
  EXPECT_EQ(t->time, Nanos(350'000));
}

TEST_F(ControlGroups, Version1CountsNanoseconds) {
  write("/proc/self/cgroup", "4:cpu,cpuacct:/docker/1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "10000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 1234\n");
  EXPECT_EQ(throttling(cpu_quota(root))->time, Nanos(1234));
}

TEST(Throttling, NonsenseIsNothing) {
  for (const char* nonsense : {"", "nr_throttled", "nr_throttled x\nthrottled_usec -1", "throttled_usec 99999999999999999999999\n"}) {
    const Throttling t = throttling_from(nonsense);
    EXPECT_EQ(t.throttled, 0u) << nonsense;
    EXPECT_EQ(t.time, Nanos(0)) << nonsense;
  }
  EXPECT_GT(throttling_from("throttled_usec 18446744073709551615\n").time, Nanos(0));
}

TEST_F(ControlGroups, MemoryIsTheTightestOfAll) {
  EXPECT_FALSE(memory_limit(root));
  write("/proc/self/cgroup", "7:memory:/m/x\n0::/a\n");
  write("/sys/fs/cgroup/memory/m/x/memory.limit_in_bytes", "9223372036854771712\n");
  write("/sys/fs/cgroup/memory/m/x/memory.usage_in_bytes", "5\n");
  EXPECT_FALSE(memory_limit(root));
  write("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "1000000\n");
  write("/sys/fs/cgroup/memory/m/memory.usage_in_bytes", "400\n");
  EXPECT_EQ(memory_limit(root)->used, 400u);
  write("/sys/fs/cgroup/unified/a/memory.max", "max\n");
  EXPECT_EQ(memory_limit(root)->bytes, 1'000'000u);
  write("/sys/fs/cgroup/unified/a/memory.max", "500000\n");
  EXPECT_EQ(memory_limit(root)->bytes, 500'000u);
  EXPECT_EQ(memory_limit(root)->used, 0u);
}

}  // namespace
}  // namespace thrum::host
