// What the machine allows, read from made-up trees, and from the real one where that can be checked.
#include "host/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include "tree.hpp"

namespace thrum::host {
namespace {

using LimitsTest = TreeTest;

TEST_F(LimitsTest, PortsComeFromTheKernelOrAreItsDefaults) {
  EXPECT_EQ(local_ports(root), (PortRange{32768, 60999}));
  write("/proc/sys/net/ipv4/ip_local_port_range", "1024\t65535\n");
  EXPECT_EQ(local_ports(root), (PortRange{1024, 65535}));
  EXPECT_EQ(local_ports(root).count(), 64512u);
  for (const char* nonsense : {"", "1024\n", "60000 100\n", "a b\n", "1 99999\n"}) {
    write("/proc/sys/net/ipv4/ip_local_port_range", nonsense);
    EXPECT_EQ(local_ports(root), (PortRange{32768, 60999})) << nonsense;
  }
}

TEST_F(LimitsTest, NoGroupsNoQuota) { EXPECT_EQ(cores(root).quota, std::nullopt); }

TEST_F(LimitsTest, TheTightestGroupOfVersion2Counts) {
  write("/proc/self/cgroup", "0::/a/b/c\n");
  write("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  EXPECT_EQ(cores(root).quota, std::nullopt);
  write("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  write("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  EXPECT_EQ(cores(root).quota, 1.5);
  write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cores(root).quota, 0.5);
}

TEST_F(LimitsTest, AContainerSeesItsOwnRootUnderTheHostsPath) {
  write("/proc/self/cgroup", "0::/kubepods/pod1/x\n");
  write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cores(root).quota, 2.0);
}

TEST_F(LimitsTest, Version1) {
  write("/proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/docker/1\n");
  write("/sys/fs/cgroup/memory/m/cpu.cfs_quota_us", "1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores(root).quota, std::nullopt);
  write("/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(cores(root).quota, 3.0);
}

TEST_F(LimitsTest, NonsenseIsNoQuota) {
  for (const char* nonsense : {"", "max", "0 100000", "100 0", "-5 100000", "1e5", "a b c"}) {
    write("/proc/self/cgroup", "0::/\n::\nx\n");
    write("/sys/fs/cgroup/cpu.max", nonsense);
    EXPECT_EQ(cores(root).quota, std::nullopt) << nonsense;
  }
}

TEST(Cores, UsableIsWholeAndNeverNone) {
  EXPECT_EQ((Cores{8, std::nullopt}).usable(), 8u);
  EXPECT_EQ((Cores{8, 0.2}).usable(), 1u);
  EXPECT_EQ((Cores{8, 2.9}).usable(), 2u);
  EXPECT_EQ((Cores{8, 3.0}).usable(), 3u);
  EXPECT_EQ((Cores{2, 1e300}).usable(), 2u);
}

TEST(Cores, AffinityIsWhatTheThreadMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(cores().allowed, static_cast<unsigned>(CPU_COUNT(&before)));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cores().allowed, 1u);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(Descriptors, TheSoftLimitRisesToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(descriptor_limits().soft, 64u);
  const auto raised = raise_descriptor_limit();
  ASSERT_TRUE(raised) << raised.error().text;
  EXPECT_EQ(raised->soft, raised->hard);
  EXPECT_EQ(descriptor_limits().soft, raised->hard);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace thrum::host
