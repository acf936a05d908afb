// Bytes over connections, and what TCP says of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "attack_run.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using support::answering;
using support::response;
using support::Script;
using support::ScriptedServer;

Script always(const std::string& answer) { return Script().request().bytes(answer).again(); }

TEST(AttackTraffic, EveryByteIsCountedOnceBothWays) {
  for (const std::size_t size : {std::size_t{2}, std::size_t{1} << 20}) {  // a large body is dropped by the kernel
    const std::string answer = response(200, std::string(size, 'x'));
    const ScriptedServer server(always(answer));
    const Ran r = attack(closed_attack(2, 20), {post(server.url(), std::string(size, 'y'))});
    ASSERT_EQ(r.count_code(200), 20u);
    const Traffic& t = r.summary->traffic;
    EXPECT_EQ(t.bytes_in, 20 * answer.size());
    EXPECT_EQ(t.bytes_out, server.received());
    EXPECT_EQ(t.connections, r.summary->connections.opened);
    EXPECT_GE(t.segments_out, 21u);
    EXPECT_GE(t.segments_in, 20u);
    EXPECT_LE(t.retransmitted, t.segments_out);
    EXPECT_GT(t.rtt, Nanos(0));
    EXPECT_GT(t.least_rtt, Nanos(0));
    EXPECT_LE(t.least_rtt, t.rtt);
  }
}

TEST(AttackTraffic, ConnectionsThatEndWithTheirHitAreAskedAboutToo) {
  const ScriptedServer server(answering());
  AttackOptions o = closed_attack(2, 20);
  o.keep_alive = false;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.summary->connections.opened, 20u);
  EXPECT_EQ(r.summary->traffic.connections, 20u);
}

TEST(AttackTraffic, TheWarmupIsLeftOut) {
  const ScriptedServer server(answering());
  AttackOptions o = open_hits("50/s", 5);
  o.warmup = std::chrono::milliseconds(300);
  const Ran r = attack(o, server.url());
  ASSERT_EQ(r.count_code(200), 5u);
  if (r.summary->warmup.sent < 10) GTEST_SKIP() << "this machine was busy with other things";
  EXPECT_LT(r.summary->traffic.bytes_out, server.received());
}

TEST(AttackTraffic, AUnixSocketHasBytesAndNoSegments) {
  const std::string path = (std::filesystem::temp_directory_path() / ("thrum-traffic-" + std::to_string(getpid()))).string();
  const ScriptedServer server(answering(), {.unix_path = path});
  AttackOptions o = closed_attack(1, 5);
  o.unix_socket = path;
  const Ran r = attack(o, "http://shop.test/");
  ASSERT_EQ(r.count_code(200), 5u);
  EXPECT_EQ(r.summary->traffic.bytes_out, server.received());
  EXPECT_EQ(r.summary->traffic.connections, 0u);
  EXPECT_EQ(r.summary->traffic.segments_out, 0u);
  EXPECT_EQ(r.summary->traffic.rtt, Result::kNone);
}

}  // namespace
}  // namespace thrum::load
