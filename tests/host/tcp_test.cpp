#include "host/tcp.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/fd.hpp"
#include "tree.hpp"

namespace thrum::host {
namespace {

using TcpTest = TreeTest;

TEST_F(TcpTest, SettingsThatAreNotThereAreNotKnown) {
  const TcpSettings none = tcp_settings(root);
  EXPECT_FALSE(none.time_wait_reuse);
  EXPECT_FALSE(none.timestamps);
  EXPECT_FALSE(none.most_waiting);
  EXPECT_EQ(none.congestion_control, "");
  EXPECT_FALSE(time_waits(root));
  EXPECT_FALSE(listener_on(80, root));
  write("/proc/sys/net/ipv4/tcp_tw_reuse", "2\n");
  write("/proc/sys/net/ipv4/tcp_timestamps", "x\n");
  write("/proc/sys/net/core/somaxconn", "4096\n");
  write("/proc/sys/net/ipv4/tcp_congestion_control", "cubic\n");
  const TcpSettings some = tcp_settings(root);
  EXPECT_EQ(some.time_wait_reuse, 2u);
  EXPECT_FALSE(some.timestamps);
  EXPECT_EQ(some.most_waiting, 4096u);
  EXPECT_EQ(some.congestion_control, "cubic");
}

TEST_F(TcpTest, PortsThatRest) {
  write("/proc/net/sockstat", "sockets: used 12\nTCP: inuse 1 orphan 0 tw 17 alloc 1 mem 0\nUDP: inuse 0 mem 0\n");
  EXPECT_EQ(time_waits(root), 17u);
  write("/proc/net/sockstat", "TCP: inuse 1 orphan 0 tw\n");
  EXPECT_FALSE(time_waits(root));
}

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0\n"
    "   1: 0100007F:1F91 0100007F:1F90 01 00000000:00000009 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0\n"
    "   2: 00000000:1F90 00000000:0000 0A 00000000:00000005 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0\n";

TEST(Listeners, TheFullestOfThoseOnAPort) {
  const auto found = listener_in(kTable, 8080);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->waiting, 5u);
  EXPECT_FALSE(found->room);
  EXPECT_FALSE(listener_in(kTable, 8081));  // connected, not listening
  for (const char* nonsense : {"", "0: x y 0A z", "0: 0100007F:1F90 0:0 0A 0", "0: 1F90 0:0 0A 0:0", "0: a:1F90 0:0 0A 0:g"})
    EXPECT_FALSE(listener_in(nonsense, 8080)) << nonsense;
}

TEST_F(TcpTest, BothFamiliesAreLookedThrough) {
  write("/proc/net/tcp", "\n");
  write("/proc/net/tcp6", "  0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000001 00:0\n");
  ASSERT_TRUE(listener_on(80, root));
  EXPECT_EQ(listener_on(80, root)->waiting, 1u);
}

TEST(Listeners, TheKernelKnowsHowManyMayWait) {
  const Fd listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), caller(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  ASSERT_EQ(bind(listening.get(), address, size), 0);
  ASSERT_EQ(listen(listening.get(), 7), 0);
  ASSERT_EQ(getsockname(listening.get(), address, &size), 0);
  ASSERT_EQ(connect(caller.get(), address, size), 0);
  const auto found = listener_on(ntohs(at.sin_port));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->waiting, 1u);
  if (!found->room) GTEST_SKIP() << "this kernel answers no questions about sockets";
  EXPECT_EQ(found->room, 7u);
}

}  // namespace
}  // namespace thrum::host
