#include "net/tcp_tally.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/fd.hpp"
#include "net/socket.hpp"

namespace thrum::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TcpTally, SynsAreSentAgainAfterOneSecondAndThenTwiceAsLong) {
  EXPECT_EQ(syns_again(Nanos(-5)), 0u);
  EXPECT_EQ(syns_again(milliseconds(999)), 0u);
  EXPECT_EQ(syns_again(milliseconds(1001)), 1u);
  EXPECT_EQ(syns_again(milliseconds(2999)), 1u);
  EXPECT_EQ(syns_again(milliseconds(3001)), 2u);
  EXPECT_EQ(syns_again(seconds(7)), 3u);
  EXPECT_EQ(syns_again(Nanos::max()), 33u);
}

TEST(TcpTally, WhatWasSentAgainToConnectIsToldFromTheRest) {
  TcpTally tally;
  tally.add({.data_segments_out = 100, .data_segments_in = 90, .retransmitted = 5, .out_of_order = 2}, milliseconds(1200));
  EXPECT_EQ(tally.totals().segments_out, 102u);  // with the SYNs
  EXPECT_EQ(tally.totals().retransmitted, 5u);
  EXPECT_EQ(tally.totals().retransmitted_opening, 1u);
  tally.add({.retransmitted = 3}, std::nullopt);
  EXPECT_EQ(tally.totals().retransmitted_opening, 4u);
  EXPECT_EQ(tally.totals().segments_out, 106u);
  EXPECT_EQ(tally.totals().segments_in, 90u);
  EXPECT_EQ(tally.totals().out_of_order, 2u);
  EXPECT_EQ(tally.totals().connections, 2u);
}

TEST(TcpTally, RoundTripsThatWereNotMeasuredDoNotCount) {
  TcpTally tally;
  EXPECT_EQ(tally.totals().mean_rtt(), TcpTally::Totals::kNone);
  tally.add({.rtt = milliseconds(3), .least_rtt = milliseconds(1)}, Nanos(0));
  tally.add({.rtt = Nanos(0)}, Nanos(0));
  tally.add({.rtt = milliseconds(5), .least_rtt = milliseconds(2)}, Nanos(0));
  tally.add({.rtt = seconds(9)}, std::nullopt);  // never came up
  EXPECT_EQ(tally.totals().mean_rtt(), milliseconds(4));
  EXPECT_EQ(tally.totals().least_rtt, milliseconds(1));
  TcpTally::Totals all;
  all.add(tally.totals());
  all.add(tally.totals());
  EXPECT_EQ(all.connections, 8u);
  EXPECT_EQ(all.mean_rtt(), milliseconds(4));
}

struct Pair {
  Pair() {
    auto listening = listen_on(Address::v4(INADDR_LOOPBACK), 0);
    Connecting c = start_connect(Address::v4(INADDR_LOOPBACK), local_port(listening->get()));
    ours = std::move(c.socket);
    do theirs = Fd(accept(listening->get(), nullptr, nullptr));
    while (!theirs.is_open() && (errno == EAGAIN || errno == EINTR));
  }
  Fd ours, theirs;
};

TEST(TcpTally, TheKernelIsAskedAboutTcpAlone) {
  Pair pair;
  ASSERT_EQ(send(pair.ours.get(), "abc", 3, 0), 3);
  const auto info = tcp_info(pair.ours.get());
  ASSERT_TRUE(info);
  EXPECT_EQ(info->data_segments_out, 1u);
  EXPECT_EQ(info->retransmitted, 0u);
  int unix_sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, unix_sockets), 0);
  const Fd a(unix_sockets[0]), b(unix_sockets[1]);
  EXPECT_FALSE(tcp_info(a.get()));
  EXPECT_FALSE(tcp_info(-1));
}

TEST(TcpTally, OfManyThatEndQuicklyAThousandASecondAreAsked) {
  Pair pair;
  TcpTally tally;
  Instant t{};
  const auto ends = [&](int times) {
    for (int i = 0; i < times; ++i) tally.ends(pair.ours.get(), Nanos(0), t);
  };
  ends(1000);
  EXPECT_EQ(tally.totals().connections, 256u);
  t += milliseconds(10);
  ends(1000);
  EXPECT_EQ(tally.totals().connections, 266u);
  t += seconds(10);
  ends(1000);
  EXPECT_EQ(tally.totals().connections, 522u);
  tally.spare_nothing();
  ends(1000);
  EXPECT_EQ(tally.totals().connections, 1522u);
}

}  // namespace
}  // namespace thrum::net
