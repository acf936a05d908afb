// Connections that are opened before the first hit.
#include <gmock/gmock.h>

#include <thread>

#include "attack_run.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using support::answering;
using support::Script;
using support::ScriptedServer;
using testing::HasSubstr;

std::string refusal(const AttackOptions& options) {
  const auto made = Attacker::create(options, get({"http://127.0.0.1:1/"}));
  return made ? "" : made.error().text;
}

TEST(Preconnect, OpensThemAllBeforeTheFirstHitAndKeepsToThem) {
  for (const std::uint32_t shards : {1u, 3u}) {
    const ScriptedServer one(answering()), two(answering(), {.ipv6 = true});
    AttackOptions o = closed_attack(30, 300);
    o.shards = shards;
    o.preconnect = 7;
    const Ran r = attack(o, get({one.url("/a"), two.url(), one.url("/b")}));
    EXPECT_EQ(r.books().ok, 300u);
    EXPECT_EQ(one.accepted(), 7u);
    EXPECT_EQ(two.accepted(), 7u);
    EXPECT_EQ(r.summary->connections.opened, 14u);
    EXPECT_EQ(r.summary->connections.preconnected, 14u);
    EXPECT_EQ(r.summary->connections.reused, 300u);
    for (const Kept& k : r.results) EXPECT_EQ(k.connect, Result::kNone) << "no hit had to connect";
  }
}

TEST(Preconnect, OpensAtTheRateAskedFor) {
  const ScriptedServer server(answering());
  AttackOptions o = closed_attack(1, 1);
  o.preconnect = 5;
  o.connect_rate = *parse_shape("100/s");
  const auto attacker = make_attacker(o, get({server.url()}));
  const auto from = std::chrono::steady_clock::now();
  EXPECT_EQ(run(*attacker).books().ok, 1u);
  EXPECT_GE(std::chrono::steady_clock::now() - from, std::chrono::milliseconds(40)) << "the fifth is due after 40 ms";
  EXPECT_EQ(server.accepted(), 5u);
}

TEST(Preconnect, ThatFailsSaysHowFarItCameAndWhy) {
  ScriptedServer server(answering(), {.accepts = 2});
  AttackOptions o = closed_attack(1, 1);
  o.preconnect = 3;
  o.shards = 1;
  o.connect_rate = *parse_shape("50/s");
  const Ran r = run(*make_attacker(o, get({server.url()})));
  ASSERT_FALSE(r.summary);
  EXPECT_EQ(r.summary.error().text, "-preconnect: 2 of 3 connections were opened: connect: connection refused");
  EXPECT_TRUE(r.results.empty());
  EXPECT_EQ(server.requests(), 0u);
}

TEST(Preconnect, WaitsNoLongerThanTheTimeout) {
  const support::FullBacklog full;
  AttackOptions o = closed_attack(1, 1);
  o.preconnect = 2;
  o.timeout = Nanos(50'000'000);
  const Ran r = run(*make_attacker(o, get({full.url()})));
  ASSERT_FALSE(r.summary);
  EXPECT_EQ(r.summary.error().text, "-preconnect: 0 of 2 connections were opened: timeout: not connected within 50ms");
}

TEST(Preconnect, CanBeStopped) {
  const support::FullBacklog full;
  AttackOptions o = closed_attack(1, 1);
  o.preconnect = 2;
  const auto attacker = make_attacker(o, get({full.url()}));
  std::thread stopper([&] { attacker->stop(); });
  const Ran r = run(*attacker);
  stopper.join();
  ASSERT_TRUE(r.summary) << r.summary.error().text;
  EXPECT_EQ(r.books().sent, 0u);
}

TEST(Preconnect, WhatContradictsItIsRefused) {
  AttackOptions o = closed_attack(1, 1);
  o.preconnect = 10;
  EXPECT_EQ(refusal(o), "");
  AttackOptions close = o, idle = o, most = o, pace = o;
  close.keep_alive = false;
  idle.connections = 9;
  most.max_connections = 11;
  pace.preconnect = 0, pace.connect_rate = *parse_shape("1/s");
  EXPECT_THAT(refusal(close), HasSubstr("-keepalive=false"));
  EXPECT_THAT(refusal(idle), HasSubstr("-connections=9"));
  EXPECT_THAT(refusal(most), HasSubstr("-max-connections says 11"));
  EXPECT_THAT(refusal(pace), HasSubstr("-connect-rate"));
}

}  // namespace
}  // namespace thrum::load
