// Attacks against a scripted server: what becomes of connections, kept, closed, stale, refused, or wanting.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>

#include "attack_run.hpp"
#include "support/sanitizers.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::answering_after;
using support::response;
using support::Script;
using support::ScriptedServer;
using testing::HasSubstr;

// How often the server saw each hit number.
std::map<std::string, int> times_seen(const ScriptedServer& server) {
  std::map<std::string, int> times;
  for (const auto& seen : server.seen()) ++times[seen.header("X-Thrum-Seq")];
  return times;
}

TEST(KeptConnections, AreUsedAgain) {
  ScriptedServer server(answering());
  const Ran r = attack(closed_attack(1, 50), server.url());
  EXPECT_EQ(r.books().ok, 50u);
  EXPECT_EQ(server.accepted(), 1u);
  EXPECT_EQ(r.summary->connections.opened, 1u);
  EXPECT_EQ(r.summary->connections.reused, 49u);
  EXPECT_EQ(r.summary->connections.peak, 1u);
  EXPECT_EQ(r.summary->connections.failed, 0u);
  // Only the hit that opened it went through the phases of opening.
  EXPECT_NE(r.results[0].connect, Result::kNone);
  EXPECT_EQ(r.results[0].dns, Result::kNone) << "an address is no name";
  for (std::size_t i = 1; i < 50; ++i) EXPECT_EQ(r.results[i].connect, Result::kNone);
}

// Not left to time out, nor to whoever keeps the attacker.
TEST(KeptConnections, AreClosedWhenTheAttackIsOver) {
  ScriptedServer server(answering());
  const auto attacker = make_attacker(closed_attack(5, 50), get({server.url()}));
  run(*attacker);
  EXPECT_TRUE(server.await([&] { return server.open() == 0; }));
}

TEST(KeptConnections, AreNotKeptWhenNobodyWantsThem) {
  AttackOptions without_keep_alive = closed_attack(2, 20), none_idle = closed_attack(1, 20);
  without_keep_alive.keep_alive = false;
  none_idle.connections = 0;
  for (const AttackOptions& o : {without_keep_alive, none_idle}) {
    ScriptedServer server(answering());
    const Ran r = attack(o, server.url());
    EXPECT_EQ(r.books().ok, 20u);
    EXPECT_EQ(server.accepted(), 20u);
    EXPECT_LE(server.open_peak(), 2u);
    EXPECT_EQ(r.summary->connections.opened, 20u);
    EXPECT_EQ(r.summary->connections.reused, 0u);
    for (const auto& seen : server.seen()) EXPECT_EQ(seen.header("Connection"), o.keep_alive ? "" : "close");
  }
}

TEST(KeptConnections, EndWithARequestThatSaysSo) {
  ScriptedServer server(answering());
  std::vector<Target> targets = get({server.url()});
  targets[0].headers = {{"connection", "Close"}};
  EXPECT_EQ(attack(closed_attack(1, 5), targets).books().ok, 5u);
  EXPECT_EQ(server.accepted(), 5u);
  EXPECT_EQ(server.seen()[0].count_header("Connection"), 1u);
}

struct LastResponse {
  const char* name;
  std::string bytes;
  bool server_closes;
};

class LastResponses : public testing::TestWithParam<LastResponse> {};

// Responses after which a connection can't carry another request: every hit has its own, and nothing is retried.
TEST_P(LastResponses, EndTheirConnection) {
  const LastResponse& c = GetParam();
  Script script = Script().request().bytes(c.bytes);
  if (c.server_closes) script.close();
  ScriptedServer server(script);
  const Ran r = attack(closed_attack(1, 5), server.url());
  EXPECT_EQ(r.books().ok, 5u);
  EXPECT_EQ(server.accepted(), 5u);
  EXPECT_EQ(r.summary->connections.stale_retries, 0u);
}

INSTANTIATE_TEST_SUITE_P(Table, LastResponses,
                         testing::Values(LastResponse{"says_close", response(200, "ok", "Connection: close\r\n"), false},
                                         LastResponse{"says_close_and_does", response(200, "ok", "Connection: close\r\n"), true},
                                         LastResponse{"http_1_0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", false},
                                         LastResponse{"http_1_0_closed", "HTTP/1.0 200 OK\r\n\r\nok", true},
                                         LastResponse{"until_close", "HTTP/1.1 200 OK\r\n\r\nok", true},
                                         LastResponse{"more_than_its_length",
                                                      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n", false}),
                         [](const auto& i) { return i.param.name; });

TEST(KeptConnections, OfHttp10AreKeptWhenTheServerSaysSo) {
  ScriptedServer server(Script().request().bytes("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok").again());
  EXPECT_EQ(attack(closed_attack(1, 5), server.url()).books().ok, 5u);
  EXPECT_EQ(server.accepted(), 1u);
}

// What comes on an idle connection answers no request: the next hit is not given it.
TEST(IdleConnections, ThatSpeakUnaskedAreNotUsedAgain) {
  ScriptedServer server(Script().answer(200, "mine").pause(5ms).bytes(response(408, "too late")).again());
  AttackOptions o = open_hits("4/s", 3);
  o.max_body = -1;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 3u);
  EXPECT_EQ(server.accepted(), 3u);
  for (const Kept& k : r.results) EXPECT_EQ(k.body, "mine");
}

TEST(IdleConnections, MayBeClosedByTheServer) {
  for (const auto idle : {10ms, 49ms, 50ms, 51ms}) {
    ScriptedServer server(Script().answer(200).from_here().request_or_close(idle).bytes(response(200)).again());
    const Ran r = attack(open_hits("20/s", 8), server.url());
    EXPECT_EQ(r.books().ok, 8u) << idle.count();
    EXPECT_EQ(r.books().failed, 0u);
  }
}

// A server that takes a second request on each connection and then hangs up: stale, as far as a client can tell.
Script once_then(bool hard) {
  Script s = Script().answer(200).request();
  return hard ? s.reset() : s.close();
}

TEST(StaleConnections, CostAGetARetryAndNoFailure) {
  for (const bool hard : {false, true}) {
    ScriptedServer server(once_then(hard));
    const Ran r = attack(closed_attack(1, 10), server.url());
    EXPECT_EQ(r.books().ok, 10u);
    EXPECT_EQ(r.summary->connections.stale_retries, 9u);
    EXPECT_EQ(r.results[0].retries, 0);
    for (std::size_t i = 1; i < 10; ++i) EXPECT_EQ(r.results[i].retries, 1);
    EXPECT_EQ(server.requests(), 19u);
    EXPECT_EQ(server.accepted(), 10u);
  }
}

TEST(StaleConnections, CostAPostItsHit) {
  for (const bool hard : {false, true}) {
    ScriptedServer server(once_then(hard));
    const Ran r = attack(closed_attack(1, 10), std::vector{post(server.url(), "once only")});
    EXPECT_EQ(r.books().ok, 5u);
    EXPECT_EQ(r.books().failed, 5u);
    EXPECT_EQ(r.summary->connections.stale_retries, 0u);
    for (const auto& [hit, times] : times_seen(server)) EXPECT_EQ(times, 1) << hit;
    EXPECT_EQ(r.results[1].outcome, Outcome::truncated);
    EXPECT_THAT(r.results[1].error, HasSubstr(hard ? "connection reset by peer" : "connection closed before the response"));
  }
}

TEST(StaleConnections, CostARepeatablePostARetry) {
  ScriptedServer server(once_then(false));
  std::vector targets = {post(server.url(), "as often as you like")};
  targets[0].headers = {{"Idempotency-Key", "1"}};
  const Ran r = attack(closed_attack(1, 10), targets);
  EXPECT_EQ(r.books().ok, 10u);
  EXPECT_EQ(r.summary->connections.stale_retries, 9u);
  for (const auto& seen : server.seen()) EXPECT_EQ(seen.body(), "as often as you like");
}

// A server that resets each connection right after its answer: whether the next request had left by then is a race, but none
// that may have left goes twice.
TEST(StaleConnections, NeverMakeAPostGoTwice) {
  ScriptedServer server(Script().answer(200).reset());
  const Ran r = attack(closed_attack(2, 200), std::vector{post(server.url(), "once only")});
  EXPECT_EQ(r.books().ok + r.books().failed, 200u);
  EXPECT_GE(r.books().ok, 2u);
  for (const auto& [hit, times] : times_seen(server)) EXPECT_EQ(times, 1) << hit;
}

TEST(FreshConnections, ThatAreClosedUnansweredAreNotRetried) {
  for (const bool hard : {false, true}) {
    const Script script = hard ? Script().request().reset() : Script().request().close();
    ScriptedServer server(script);
    const Ran r = attack(closed_attack(1, 5), server.url());
    EXPECT_EQ(r.books().failed, 5u);
    EXPECT_EQ(server.requests(), 5u);
    EXPECT_EQ(r.summary->connections.stale_retries, 0u);
    for (const Kept& k : r.results) EXPECT_EQ(k.outcome, Outcome::truncated);
  }
}

TEST(StaleConnections, AreRetriedOnceWhenTheFreshOneFailsToo) {
  ScriptedServer server(
      [](std::size_t connection) { return connection == 0 ? Script().answer(200).request().close() : Script().request().close(); });
  const Ran r = attack(closed_attack(1, 2), server.url());
  EXPECT_EQ(r.results[0].outcome, Outcome::ok);
  EXPECT_EQ(r.results[1].outcome, Outcome::truncated);
  EXPECT_EQ(r.results[1].retries, 1);
  EXPECT_EQ(server.requests(), 3u);
}

TEST(StaleConnections, MayAllGoAtOnce) {
  ScriptedServer server(answering_after(10ms));
  const AttackOptions o = closed_attack(20, 400);
  const auto attacker = make_attacker(o, get({server.url()}));
  std::thread operating([&] {
    EXPECT_TRUE(server.await([&] { return server.requests() >= 100; }));
    server.reset_all();
  });
  const Ran r = run(*attacker);
  operating.join();
  expect_sound(r, o);
  EXPECT_EQ(r.books().ok, 400u);
  EXPECT_GE(server.accepted(), 40u);
  EXPECT_GE(r.summary->connections.stale_retries, 1u);
}

// The hits that were on stale connections don't push a cap aside.
TEST(StaleConnections, StayWithinTheCapWhenRetried) {
  ScriptedServer server(once_then(false));
  AttackOptions o = closed_attack(20, 200);
  o.max_connections = 5;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 200u);
  EXPECT_LE(server.open_peak(), 5u);
  for (const Kept& k : r.results) EXPECT_LE(k.retries, 1);  // a retry gets a fresh connection
}

TEST(RefusedConnections, FailTheirHits) {
  support::RefusingPort port;
  const Ran r = attack(open_hits("500/s", 50), port.url());
  EXPECT_EQ(r.books().sent, 50u);
  EXPECT_EQ(r.books().failed, 50u);
  EXPECT_EQ(r.summary->connections.opened, 0u);
  EXPECT_EQ(r.summary->connections.failed, 50u);
  EXPECT_LT(r.summary->elapsed, 5s);
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.outcome, Outcome::connect);
    EXPECT_EQ(k.error, "connect: connection refused");
  }
}

TEST(RefusedConnections, AreCountedBesideThoseThatTheServerTook) {
  ScriptedServer server(answering_after(20ms), {.ipv6 = false, .accepts = 10});
  const Ran r = attack(closed_attack(100, 400), server.url());
  EXPECT_EQ(server.accepted(), 10u);
  EXPECT_GE(r.summary->connections.opened, 10u);
  EXPECT_GE(r.summary->connections.failed, 1u);
  EXPECT_EQ(r.books().ok, server.requests());
  EXPECT_GT(r.books().ok, 9u);
}

// The server goes away in the middle and comes back: the attack goes on through all of it.
TEST(RefusedConnections, AreForgottenWhenTheServerIsBack) {
  ScriptedServer server(answering());
  AttackOptions o = open_attack("400/s", 0s);
  const auto attacker = make_attacker(o, get({server.url()}));
  KeepingSink sink;
  std::atomic<std::size_t> refused{0};
  sink.on_take = [&]() -> Expected<void> {
    refused = static_cast<std::size_t>(std::ranges::count(sink.results, Outcome::connect, &Kept::outcome));
    return {};
  };
  std::thread operating([&] {
    EXPECT_TRUE(server.await([&] { return server.requests() >= 40; }));
    server.stop_listening();
    server.reset_all();
    EXPECT_TRUE(server.await([&] { return refused >= 10; }));
    const std::size_t before = server.requests();
    server.listen_again();
    EXPECT_TRUE(server.await([&] { return server.requests() >= before + 40; }));
    attacker->stop();
  });
  const Ran r = run(*attacker, sink);
  operating.join();
  expect_sound(r, o);
  EXPECT_GE(r.books().ok, 78u);
  EXPECT_EQ(r.results.front().outcome, Outcome::ok);
  EXPECT_EQ(r.results.back().outcome, Outcome::ok);
  EXPECT_TRUE(r.summary->stopped);
}

TEST(Names, NeedNoNetworkForLocalhost) {
  for (const bool ipv6 : {false, true}) {
    ScriptedServer server(answering(), {.ipv6 = ipv6, .accepts = SIZE_MAX});
    const std::string authority = "localhost:" + std::to_string(server.port());
    const Ran r = attack(closed_attack(1, 5), "http://" + authority + "/");
    EXPECT_EQ(r.books().ok, 5u);
    EXPECT_EQ(server.accepted(), 1u);
    EXPECT_EQ(server.seen()[0].header("Host"), authority);
    EXPECT_EQ(r.summary->connections.failed, 0u) << "that the other family refused is no failed connection";
  }
}

TEST(Names, ThatCanBeNoneFailTheirHits) {
  const Ran r = attack(closed_attack(2, 10), "http://" + std::string(300, 'a') + ".test/");
  EXPECT_EQ(r.books().failed, 10u);
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.outcome, Outcome::dns);
    EXPECT_THAT(k.error, testing::StartsWith("dns: not a host name"));
  }
}

TEST(Ipv6, LiteralsAreConnectedToAndNamedInBrackets) {
  ScriptedServer server(answering(), {.ipv6 = true, .accepts = SIZE_MAX});
  const Ran r = attack(closed_attack(1, 3), server.url("/x"));
  EXPECT_EQ(r.books().ok, 3u);
  EXPECT_EQ(server.seen()[0].header("Host"), "[::1]:" + std::to_string(server.port()));
  EXPECT_EQ(r.results[0].url, server.url("/x"));
}

TEST(Ipv6, ZonesAreConnectedToButNotNamed) {
  ScriptedServer server(answering(), {.ipv6 = true, .accepts = SIZE_MAX});
  const std::string port = std::to_string(server.port());
  const Ran r = attack(closed_attack(1, 3), "http://[::1%25lo]:" + port + "/");
  EXPECT_EQ(r.books().ok, 3u);
  EXPECT_EQ(server.seen()[0].header("Host"), "[::1]:" + port);
}

// Runs one disabled test of this file in a process of its own, which `prepare` has made what the test needs. Its exit status;
// none: `prepare` could not.
std::optional<int> run_elsewhere(const char* test, const std::function<bool()>& prepare) {
  const std::string filter = std::string("--gtest_filter=") + test;
  const pid_t child = fork();
  if (child == 0) {
    for (int fd = 3; fd < 256; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (!prepare()) _exit(77);
    execl("/proc/self/exe", "attack_test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 128;
  if (WEXITSTATUS(status) == 77) return std::nullopt;
  return WEXITSTATUS(status);
}

// Run by the test below, where the limit is too low for the connections that the rate needs.
TEST(DescriptorLimit, DISABLED_Child) {
  const char* url = std::getenv("THRUM_TEST_URL");
  ASSERT_NE(url, nullptr);
  for (const std::uint32_t shards : {1u, 2u}) {
    AttackOptions o = open_hits("500/s", 200);
    o.shards = shards;
    const Ran r = attack(o, url);
    EXPECT_EQ(r.books().ok, 200u);
    EXPECT_GT(r.results.back().lag, 50ms);
    EXPECT_EQ(r.summary->limit, Limit::descriptors);
    EXPECT_GT(r.summary->limit_needed, r.summary->limit_value);
    EXPECT_LE(r.summary->connections.peak, 41u);
  }
  AttackOptions closed = closed_attack(100, 300);
  const Ran r = attack(closed, url);
  EXPECT_EQ(r.books().ok, 300u);
}

TEST(DescriptorLimit, HoldsHitsBackAndFailsNone) {
#if defined(THRUM_ADDRESS_SANITIZER)
  GTEST_SKIP() << "UBSan's check of virtual calls opens a pipe, and takes the want of descriptors for a broken object";
#endif
  ScriptedServer server(answering_after(100ms));
  const std::string url = server.url();
  const auto status = run_elsewhere("DescriptorLimit.DISABLED_Child", [&] {
    const rlimit limit{40, 40};
    return setenv("THRUM_TEST_URL", url.c_str(), 1) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0;
  });
  EXPECT_EQ(status, 0);
}

// Run by the test below, where there are 32 local ports, and each stays taken for a while after its connection.
TEST(LocalPorts, DISABLED_Child) {
  ScriptedServer server(answering());
  AttackOptions o = closed_attack(4, 100);
  o.keep_alive = false;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().sent, 100u);
  EXPECT_GT(r.books().ok, 0u);
  EXPECT_EQ(r.count(Outcome::client_limit), r.books().failed);
  EXPECT_GT(r.books().failed, 50u);
  for (const Kept& k : r.results) EXPECT_TRUE(k.outcome == Outcome::ok || k.error.starts_with("client: no local port left")) << k.error;
  EXPECT_EQ(r.summary->limit, Limit::local_ports);
}

// Run by the test below, where there is no room for so many threads.
TEST(ThreadLimit, DISABLED_Child) {
  ScriptedServer server(answering());
  AttackOptions o = closed_attack(200, 100'000);
  o.shards = 200;
  const auto attacker = make_attacker(o, get({server.url()}));
  const Ran r = run(*attacker);
  ASSERT_FALSE(r.summary);
  EXPECT_THAT(r.summary.error().text, testing::StartsWith("can't start thread "));
  EXPECT_EQ(server.requests(), 0u);
}

TEST(ThreadLimit, IsAnErrorNotACrash) {
#if defined(THRUM_ADDRESS_SANITIZER) || defined(THRUM_THREAD_SANITIZER)
  GTEST_SKIP() << "the sanitizers want more address space than this";
#endif
  const auto status = run_elsewhere("ThreadLimit.DISABLED_Child", [] {
    const rlimit limit{1400 << 20, 1400 << 20};  // the rings of 200 shards fit, their stacks do not
    return setrlimit(RLIMIT_AS, &limit) == 0;
  });
  EXPECT_EQ(status, 0);
}

// A network of its own, with few ports to connect from.
bool enter_small_network() {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &loopback) != 0) return false;
  std::ofstream range("/proc/sys/net/ipv4/ip_local_port_range");
  range << "40000 40031" << std::flush;
  return range.good();
}

TEST(LocalPorts, ThatRunOutAreOurFailureNotTheTargets) {
  const auto status = run_elsewhere("LocalPorts.DISABLED_Child", enter_small_network);
  if (!status) GTEST_SKIP() << "this machine lets nobody make a network of his own";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace thrum::load
