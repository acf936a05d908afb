// Hits that take too long, in each phase: the words say what was waited for, nothing else suffers.
#include <gmock/gmock.h>

#include "attack_run.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::answering_after;
using support::response;
using support::Script;
using support::ScriptedServer;
using testing::StartsWith;

// Long enough that even a busy machine gets as far as the phase that is tested.
constexpr Nanos kTimeout = 250ms;

AttackOptions patient() {
  AttackOptions o = closed_attack(6, 6);
  o.timeout = kTimeout;
  return o;
}

void expect_timeouts(const Ran& r, const std::string& words, int seen_status = 0) {
  EXPECT_EQ(r.count(Outcome::timeout), 6u);
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.error, "timeout: " + words + " within 250ms");
    EXPECT_EQ(k.code, 0);
    EXPECT_EQ(k.seen_status, seen_status);
    EXPECT_GE(k.latency, kTimeout);
  }
  EXPECT_LT(r.summary->elapsed, 10s);
}

TEST(Timeout, WaitingForAConnection) {
  support::FullBacklog full;
  expect_timeouts(attack(patient(), full.url()), "not connected");
}

TEST(Timeout, WaitingForAHandshake) {
  ScriptedServer silent{Script()};
  AttackOptions o = patient();
  o.tls.verify = false;
  expect_timeouts(attack(o, "https://" + silent.authority() + "/"), "TLS handshake not done");
}

// The server takes the connection and reads nothing; the request is larger than what sockets hold.
TEST(Timeout, WaitingForTheRequestToLeave) {
  ScriptedServer server(Script().deaf());
  expect_timeouts(attack(patient(), std::vector{post(server.url(), std::string(16 << 20, 'x'))}), "request not sent");
}

TEST(Timeout, WaitingForHeaders) {
  ScriptedServer silent{Script()};
  expect_timeouts(attack(patient(), silent.url()), "no response headers");
}

TEST(Timeout, WaitingForTheRestOfTheHeaders) {
  ScriptedServer server(Script().request().bytes("HTTP/1.1 200 OK\r\nContent-Le"));
  expect_timeouts(attack(patient(), server.url()), "response headers not complete", 200);
}

TEST(Timeout, WaitingForTheHeadersAfterAnInterimResponse) {
  ScriptedServer server(Script().request().bytes("HTTP/1.1 100 Continue\r\n\r\n"));
  const Ran r = attack(patient(), server.url());
  EXPECT_EQ(r.count(Outcome::timeout), 6u);
  EXPECT_THAT(r.results[0].error, StartsWith("timeout: response headers not complete"));
}

TEST(Timeout, WaitingForABody) {
  ScriptedServer server(Script().request().bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"));
  expect_timeouts(attack(patient(), server.url()), "no response body", 200);
}

TEST(Timeout, WaitingForTheRestOfABody) {
  for (const char* framing : {"Content-Length: 100000\r\n", "Transfer-Encoding: chunked\r\n", ""}) {
    ScriptedServer server(Script().request().bytes("HTTP/1.1 503 No\r\n" + std::string(framing) + "\r\n5\r\nhello\r\n"));
    expect_timeouts(attack(patient(), server.url()), "response body not complete", 503);
  }
}

// A server that dribbles is still too slow: the time is for the whole hit.
TEST(Timeout, IsNotPutOffByProgress) {
  ScriptedServer server(Script().request().slowly(response(200, std::string(500, 'x')), 10, 25ms));
  const Ran r = attack(patient(), server.url());
  EXPECT_EQ(r.count(Outcome::timeout), 6u);
}

// The answer that comes after all belongs to no other hit.
TEST(Timeout, EndsItsConnection) {
  ScriptedServer server([](std::size_t connection) { return connection < 3 ? answering_after(900ms, "late") : answering("mine"); });
  AttackOptions o = closed_attack(3, 30);
  o.timeout = 500ms;
  o.max_body = -1;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.count(Outcome::timeout), 3u);
  EXPECT_EQ(r.books().ok, 27u);
  for (const Kept& k : r.results) EXPECT_TRUE(k.outcome != Outcome::ok || k.body == "mine");
  EXPECT_EQ(server.resets(), 3u) << "given up with a reset, so that their ports are free at once";
}

TEST(Timeout, OfNoneWaitsAsLongAsItTakes) {
  ScriptedServer server(answering_after(150ms));
  AttackOptions o = closed_attack(3, 6);
  o.timeout = 0s;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 6u);
}

// Time spent waiting to be sent is ours, not the target's: it does not count.
TEST(Timeout, BeginsWhenAHitIsSent) {
  ScriptedServer server(answering_after(50ms));
  AttackOptions o = open_attack("100/s", 0s);
  o.hits = 30;
  o.max_connections = 2;
  o.timeout = 10s;
  Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 30u);
  EXPECT_GT(r.results.back().lag, 200ms);
  o.hits = 15;
  o.timeout = 1s;  // the last hit has waited for longer before it is sent
  ScriptedServer other(answering_after(110ms));
  o.max_connections = 1;
  r = attack(o, get({other.url("/1"), other.url("/2")}));
  EXPECT_EQ(r.books().ok, 15u);
  EXPECT_GT(r.results.back().lag, 1s);
}

// Some answer, some don't: those that do are not held up.
TEST(Timeout, LeavesOtherHitsAlone) {
  ScriptedServer silent{Script()}, good(answering());
  AttackOptions o = open_hits("400/s", 120);
  o.timeout = 400ms;
  const Ran r = attack(o, get({silent.url(), good.url(), good.url()}));
  EXPECT_EQ(r.books().sent, 120u);
  EXPECT_EQ(r.count(Outcome::timeout), 40u);
  EXPECT_EQ(r.books().ok, 80u);
  EXPECT_EQ(r.books().missed, 0u);
}

// A host that drops everything gathers neither connections nor hits without end.
TEST(Timeout, KeepsADeadHostFromGatheringConnections) {
  support::FullBacklog full;
  AttackOptions o = open_hits("1000/s", 400);
  o.timeout = 50ms;
  const Ran r = attack(o, full.url());
  EXPECT_EQ(r.books().sent, 400u);
  EXPECT_EQ(r.count(Outcome::timeout), 400u);
  EXPECT_LT(r.summary->connections.peak, 400u);
}

}  // namespace
}  // namespace thrum::load
