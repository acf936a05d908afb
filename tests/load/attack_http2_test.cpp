// Attacks over HTTP/2: with TLS and ALPN, and in clear text with prior knowledge.
#include <gmock/gmock.h>
#include <nghttp2/nghttp2.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "attack_run.hpp"
#include "mapped_body.hpp"
#include "support/http2_server.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::Http2Answer;
using support::Http2Seen;
using support::Http2Server;
using support::Http2ServerOptions;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::Pair;

AttackOptions h2c(AttackOptions o) {
  o.h2c = true;
  return o;
}

std::vector<std::string> errors(const Ran& r) {
  std::vector<std::string> list;
  for (const Kept& k : r.results) list.push_back(k.error);
  return list;
}

Http2ServerOptions answering(std::function<Http2Answer(const Http2Seen&)> answer) {
  Http2ServerOptions o;
  o.answer = std::move(answer);
  return o;
}
Http2ServerOptions answering(const Http2Answer& answer) {
  return answering([answer](const Http2Seen&) { return answer; });
}

std::vector<std::string> numbers(const Http2Server& server) {
  std::vector<std::string> list;
  for (const Http2Seen& s : server.seen()) list.push_back(s.field("x-thrum-seq"));
  std::ranges::sort(list);
  return list;
}

// Each hit was processed exactly once.
void expect_each_once(const Http2Server& server, std::size_t hits) {
  auto list = numbers(server);
  EXPECT_EQ(list.size(), hits);
  list.erase(std::ranges::unique(list).begin(), list.end());
  EXPECT_EQ(list.size(), hits);
}

TEST(Http2, RequestsShareAConnection) {
  Http2Server server;
  const Ran r = attack(h2c(closed_attack(20, 200)), server.url("/path"));
  EXPECT_EQ(r.books().ok, 200u);
  EXPECT_EQ(server.accepted(), 1u);
  EXPECT_EQ(r.summary->connections.opened, 1u);
  EXPECT_EQ(r.summary->protocols.http2, 200u);
  EXPECT_EQ(r.summary->protocols.http1, 0u);
  expect_each_once(server, 200);
  const Http2Seen first = server.seen().front();
  EXPECT_EQ(first.field(":method"), "GET");
  EXPECT_EQ(first.field(":path"), "/path");
  EXPECT_EQ(first.field(":scheme"), "http");
  EXPECT_EQ(first.field(":authority"), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(r.results[0].bytes_in, 2u);
}

TEST(Http2, IsAgreedOnInTheHandshake) {
  const support::Pem identity = support::make_certificate({"127.0.0.1"});
  Http2ServerOptions options;
  options.identity = identity;
  Http2Server server(options);
  AttackOptions o = closed_attack(8, 80);
  o.tls.verify = false;
  o.max_connections = 2;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 80u);
  EXPECT_LE(server.accepted(), 2u);
  EXPECT_EQ(r.summary->protocols.http2, 80u);
  EXPECT_EQ(server.seen().front().field(":scheme"), "https");
  EXPECT_GT(std::ranges::max(r.results, {}, &Kept::tls).tls, 0ns);
}

TEST(Http2, IsNotOfferedWhenItIsTurnedOff) {
  Http2ServerOptions options;
  options.identity = support::make_certificate({"127.0.0.1"});
  Http2Server server(options);  // takes nothing else
  AttackOptions o = closed_attack(1, 1);
  o.tls.verify = false;
  o.http2 = false;
  EXPECT_THAT(errors(attack(o, server.url())), Each(testing::StartsWith("tls: ")));
}

TEST(Http2, AServerThatChoosesHttp1GetsHttp1) {
  const support::Pem identity = support::make_certificate({"127.0.0.1"});
  support::TlsServer server(identity);
  AttackOptions o = closed_attack(2, 10);
  o.tls.verify = false;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 10u);
  EXPECT_EQ(r.summary->protocols.http1, 10u);
  EXPECT_EQ(r.summary->protocols.http2, 0u);
}

TEST(Http2, OptionsThatContradictEachOtherAreRefused) {
  AttackOptions o = h2c(closed_attack(1, 1));
  o.http2 = false;
  const auto made = Attacker::create(o, get({"http://127.0.0.1:1/"}));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().text, AllOf(testing::HasSubstr("-h2c"), testing::HasSubstr("-http2=false")));
}

// As many in flight on a connection as was asked for, never more.
class Streams : public testing::TestWithParam<std::uint32_t> {};
TEST_P(Streams, AreCappedExactly) {
  Http2ServerOptions options;
  options.is_gated = true;
  Http2Server server(options);
  AttackOptions o = h2c(closed_attack(10, 60));
  o.streams = GetParam();
  o.max_connections = 1;
  const auto attacker = make_attacker(o, get({server.url()}));
  std::thread opener([&] {
    server.await([&] { return server.most_in_flight() >= std::min<std::uint32_t>(10, GetParam()); });
    server.open_gate();
  });
  const Ran r = run(*attacker);
  opener.join();
  EXPECT_EQ(r.count(Outcome::ok), 60u);
  EXPECT_EQ(server.accepted(), 1u);
  EXPECT_EQ(server.most_in_flight(), std::min<std::uint32_t>(10, GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Asked, Streams, testing::Values(1, 2, 10, 250));

TEST(Http2, TheServersOwnLimitIsKept) {
  Http2ServerOptions options;
  options.most_streams = 3;
  Http2Server server(options);
  AttackOptions o = h2c(closed_attack(30, 300));
  o.max_connections = 2;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 300u);
  EXPECT_LE(server.accepted(), 2u);
  EXPECT_LE(server.most_in_flight(), 3u);
  expect_each_once(server, 300);
}

TEST(Http2, MoreConnectionsAreOpenedOnlyWhenStreamsRunOut) {
  Http2ServerOptions options;
  options.is_gated = true;
  Http2Server server(options);
  AttackOptions o = h2c(closed_attack(25, 25));
  o.streams = 10;
  const auto attacker = make_attacker(o, get({server.url()}));
  std::thread opener([&] {
    server.await([&] { return server.accepted() >= 3 && server.most_in_flight() == 10; });
    server.open_gate();
  });
  const Ran r = run(*attacker);
  opener.join();
  EXPECT_EQ(r.count(Outcome::ok), 25u);
  EXPECT_EQ(server.accepted(), 3u);
}

// Twice as many at once as the only connection has streams: the others wait for a stream, not for a connection.
TEST(Http2, OneConnectionIsEnoughForAll) {
  for (const bool is_secure : {false, true}) {
    Http2ServerOptions options;
    if (is_secure) options.identity = support::make_certificate({"127.0.0.1"});
    Http2Server server(options);
    AttackOptions o = h2c(closed_attack(200, 2'000));
    o.tls.verify = false;
    o.max_connections = 1;
    EXPECT_EQ(attack(o, server.url()).books().ok, 2'000u);
    EXPECT_EQ(server.accepted(), 1u);
    expect_each_once(server, 2'000);
  }
}

TEST(Http2, WithoutKeepAliveEachRequestHasItsConnection) {
  Http2Server server;
  AttackOptions o = h2c(closed_attack(4, 12));
  o.keep_alive = false;
  EXPECT_EQ(attack(o, server.url()).books().ok, 12u);
  EXPECT_EQ(server.accepted(), 12u);
  EXPECT_EQ(server.most_in_flight(), 1u);
}

TEST(Http2, ShardsAndTargetsReadLazily) {
  Http2Server server;
  AttackOptions o = h2c(closed_attack(12, 120));
  o.shards = 3;
  EXPECT_EQ(attack(o, server.url()).books().ok, 120u);
  EXPECT_EQ(server.accepted(), 3u);
  expect_each_once(server, 120);
}

TEST(Http2, BodiesGoBothWays) {
  const std::string sent(300'000, 's'), received(500'000, 'r');
  Http2Server server(answering([&](const Http2Seen& s) { return Http2Answer{.body = s.body == sent ? received : "wrong"}; }));
  AttackOptions o = h2c(closed_attack(5, 20));
  o.max_body = -1;
  const Ran r = attack(o, {post(server.url(), sent)});
  EXPECT_EQ(r.books().ok, 20u);
  for (const Kept& k : r.results) {
    EXPECT_TRUE(k.body == received);
    EXPECT_EQ(k.bytes_in, received.size());
    EXPECT_EQ(k.bytes_out, sent.size());
  }
  EXPECT_EQ(server.seen().front().field("content-length"), "300000");
}

TEST(Http2, AWindowOfAFewBytesIsEnough) {
  Http2ServerOptions options;
  options.window = 7;
  Http2Server server(options);
  EXPECT_EQ(attack(h2c(closed_attack(2, 4)), {post(server.url(), std::string(200, 'x'))}).books().ok, 4u);
  for (const Http2Seen& s : server.seen()) EXPECT_EQ(s.body.size(), 200u);
}

TEST(Http2, HeadersAreCaptured) {
  Http2Server server(
      answering({.fields = {{"x-a", "1"}, {"set-cookie", "b"}, {"set-cookie", "c"}}, .trailers = {{"x-sum", "9"}}, .interims = 2}));
  AttackOptions o = h2c(closed_attack(1, 1));
  o.capture_headers = true;
  const Ran r = attack(o, server.url());
  EXPECT_THAT(r.results[0].headers, testing::ElementsAre(Pair("x-a", "1"), Pair("set-cookie", "b"), Pair("set-cookie", "c")));
}

struct Whole {
  const char* name;
  const char* method;
  Http2Answer answer;
  int code;
  std::uint64_t bytes;
};
class WholeHttp2 : public testing::TestWithParam<Whole> {};
TEST_P(WholeHttp2, IsRead) {
  Http2Server server(answering(GetParam().answer));
  const Ran r = attack(h2c(closed_attack(3, 9)), {{GetParam().method, server.url(), {}, nullptr}});
  EXPECT_EQ(r.count_code(GetParam().code), 9u);
  for (const Kept& k : r.results) EXPECT_EQ(k.bytes_in, GetParam().bytes);
  EXPECT_EQ(server.accepted(), 1u);
}
INSTANTIATE_TEST_SUITE_P(Table, WholeHttp2,
                         testing::Values(Whole{"plain", "GET", {}, 200, 2}, Whole{"empty", "GET", {.body = ""}, 200, 0},
                                         Whole{"not_found", "GET", {.status = 404, .body = "no"}, 404, 2},
                                         Whole{"no_content", "GET", {.status = 204, .body = ""}, 204, 0},
                                         Whole{"length", "GET", {.body = "12345", .fields = {{"content-length", "5"}}}, 200, 5},
                                         Whole{"head", "HEAD", {.body = "", .fields = {{"content-length", "5"}}}, 200, 0},
                                         Whole{"interim", "GET", {.interims = 64}, 200, 2},
                                         Whole{"trailers", "GET", {.trailers = {{"x-sum", "1"}}}, 200, 2}),
                         [](const auto& test) { return std::string(test.param.name); });

struct Faulty {
  const char* name;
  Http2Answer answer;
  const char* error;
  Outcome outcome;
};
class FaultyHttp2 : public testing::TestWithParam<Faulty> {};
// Only the stream fails; the connection goes on.
TEST_P(FaultyHttp2, FailsAloneWithItsOwnWords) {
  Http2Server server(answering([](const Http2Seen& s) { return s.number % 2 == 0 ? GetParam().answer : Http2Answer{}; }));
  const Ran r = attack(h2c(closed_attack(1, 10)), {post(server.url(), "x")});
  EXPECT_EQ(r.books().ok, 5u);
  EXPECT_EQ(server.accepted(), 1u);
  for (const Kept& k : r.results) {
    if (k.outcome == Outcome::ok) continue;
    EXPECT_EQ(k.error, GetParam().error);
    EXPECT_EQ(k.outcome, GetParam().outcome);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Table, FaultyHttp2,
    testing::Values(
        Faulty{"reset", {.reset = NGHTTP2_INTERNAL_ERROR}, "http/2: stream reset by the server: INTERNAL_ERROR", Outcome::response},
        Faulty{"cancelled", {.reset = NGHTTP2_CANCEL}, "http/2: stream reset by the server: CANCEL", Outcome::response},
        Faulty{"unknown_code", {.reset = 99}, "http/2: stream reset by the server: error 99", Outcome::response},
        Faulty{"reset_after_head",
               {.reset = NGHTTP2_ENHANCE_YOUR_CALM, .resets_after_head = true},
               "http/2: stream reset by the server: ENHANCE_YOUR_CALM",
               Outcome::response},
        Faulty{"too_short",
               {.fields = {{"content-length", "5"}}},
               "http/2: body of another length than its content-length says",
               Outcome::response},
        Faulty{"too_long",
               {.body = "1234567", .fields = {{"content-length", "5"}}},
               "http/2: body of another length than its content-length says",
               Outcome::response},
        Faulty{"interims", {.interims = 65}, "response: too many 1xx responses", Outcome::response}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Http2, HeadersWithoutEndAreRefused) {
  Http2Answer answer;  // small on the wire: each but the first is one byte there
  for (int i = 0; i < 4'000; ++i) answer.fields.emplace_back("x-a", std::string(40, 'h'));
  Http2Server server(answering(answer));
  EXPECT_THAT(errors(attack(h2c(closed_attack(1, 2)), server.url())), Each("response: headers larger than 256 KiB"));
  EXPECT_EQ(server.accepted(), 1u);
}

TEST(Http2, AStreamThatWasRefusedIsSentAgain) {
  std::atomic<int> refusals = 0;
  Http2Server server(
      answering([&](const Http2Seen&) { return ++refusals % 3 == 0 ? Http2Answer{.reset = NGHTTP2_REFUSED_STREAM} : Http2Answer{}; }));
  const Ran r = attack(h2c(closed_attack(5, 60)), {post(server.url(), "not idempotent")});
  EXPECT_EQ(r.books().ok, 60u);
  EXPECT_GT(r.summary->connections.stale_retries, 20u);
  expect_each_once(server, 60);
}

TEST(Http2, AServerThatRefusesForEverIsLeftInTheEnd) {
  Http2Server server(answering({.reset = NGHTTP2_REFUSED_STREAM}));
  const Ran r = attack(h2c(closed_attack(3, 9)), server.url());
  EXPECT_THAT(errors(r), Each("http/2: request not processed by the server: REFUSED_STREAM"));
  for (const Kept& k : r.results) EXPECT_EQ(k.retries, 10);
}

// Whatever the method: the server says which requests it has not looked at.
TEST(Http2, ADepartingServerLosesNothing) {
  Http2ServerOptions options;
  options.goaway_after = 10;
  Http2Server server(options);
  AttackOptions o = h2c(closed_attack(200, 600));  // many more at once than a connection takes
  o.max_connections = 2;
  const Ran r = attack(o, {post(server.url(), "not idempotent")});
  EXPECT_EQ(r.books().ok, 600u);
  expect_each_once(server, 600);
  EXPECT_GE(server.accepted(), 60u);
  EXPECT_LE(r.summary->connections.peak, 2u);
}

TEST(Http2, AConnectionThatIsLostFailsWhatItCarried) {
  Http2Server server(answering(
      [](const Http2Seen& s) { return s.connection == 0 && s.number == 7 ? Http2Answer{.ends_connection = true} : Http2Answer{}; }));
  AttackOptions o = h2c(closed_attack(1, 20));
  const Ran once = attack(o, {post(server.url(), "not idempotent")});
  EXPECT_EQ(once.books().ok, 19u);
  EXPECT_THAT(errors(once), Contains("response: connection closed before the response").Times(1));
  EXPECT_EQ(server.accepted(), 2u);
}

// As on a kept connection of HTTP/1.1: nothing had come since the request left, and it does no harm twice.
TEST(Http2, WhatIsHarmlessIsSentAgainOnAStaleConnection) {
  Http2Server server(answering(
      [](const Http2Seen& s) { return s.connection == 0 && s.number == 7 ? Http2Answer{.ends_connection = true} : Http2Answer{}; }));
  const Ran r = attack(h2c(closed_attack(1, 20)), server.url());
  EXPECT_EQ(r.books().ok, 20u);
  EXPECT_EQ(r.summary->connections.stale_retries, 1u);
}

TEST(Http2, AServerThatGivesUpSaysWhy) {
  Http2Server server(answering({.ends_connection = true, .goaway_code = NGHTTP2_ENHANCE_YOUR_CALM}));
  EXPECT_THAT(errors(attack(h2c(closed_attack(1, 3)), server.url())), Each("http/2: connection ended by the server: ENHANCE_YOUR_CALM"));
}

TEST(Http2, ATimeoutEndsTheStreamAndNotTheConnection) {
  Http2Server server(answering([](const Http2Seen& s) { return Http2Answer{.stays_silent = s.number == 3}; }));
  AttackOptions o = h2c(closed_attack(2, 20));
  o.timeout = 200ms;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 19u);
  EXPECT_THAT(errors(r), Contains("timeout: no response headers within 200ms").Times(1));
  EXPECT_EQ(server.accepted(), 1u);
}

TEST(Http2, ACancelledStreamIsReset) {
  Http2Server server(answering([](const Http2Seen& s) { return Http2Answer{.stays_silent = s.number == 0}; }));
  AttackOptions o = h2c(open_hits("100/s", 30));
  o.timeout = 100ms;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.count(Outcome::timeout), 1u);
  EXPECT_EQ(server.accepted(), 1u);
  EXPECT_THAT(server.resets(), testing::ElementsAre(NGHTTP2_CANCEL));
}

TEST(Http2, ARequestThatCanNotBeSentTimesOutSo) {
  Http2ServerOptions options;
  options.window = 0;
  Http2Server server(options);
  AttackOptions o = h2c(closed_attack(1, 1));
  o.timeout = 100ms;
  const std::string body(100'000, 'b');  // more than may be sent before the server says how little it takes
  EXPECT_THAT(errors(attack(o, {post(server.url(), body)})), Each("timeout: request not sent within 100ms"));
}

TEST(Http2, AnAnswerMayOvertakeItsRequest) {
  Http2ServerOptions options = answering({.status = 413, .body = "too much"});
  options.answers_before_body = true;
  options.window = 100;
  Http2Server server(options);
  const Ran r = attack(h2c(closed_attack(1, 5)), {post(server.url(), std::string(100'000, 'x'))});
  EXPECT_EQ(r.count_code(413), 5u);
  EXPECT_EQ(server.accepted(), 1u);
}

// What a stream that was given up held is free again, though nothing came: its slot, the only one.
TEST(Http2, ACancelledStreamMakesRoomForTheNext) {
  Http2Server server(answering([](const Http2Seen& s) { return Http2Answer{.stays_silent = s.number == 0}; }));
  AttackOptions o = h2c(open_hits("1000/s", 10));
  o.timeout = 150ms;
  o.max_connections = 1;
  o.streams = 1;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.count(Outcome::timeout), 1u);
  EXPECT_EQ(r.books().ok, 9u);
  EXPECT_EQ(server.accepted(), 1u);
}

TEST(Http2, PreconnectOpensThemAllAndKeepsToThem) {
  for (const std::uint32_t shards : {1u, 3u}) {
    Http2Server server;
    AttackOptions o = h2c(closed_attack(60, 600));
    o.shards = shards;
    o.preconnect = 6;
    o.streams = 10;
    const Ran r = attack(o, server.url());
    EXPECT_EQ(r.books().ok, 600u);
    EXPECT_EQ(server.accepted(), 6u);
    EXPECT_EQ(r.summary->connections.preconnected, 6u);
    EXPECT_EQ(r.summary->connections.reused, 600u);
    expect_each_once(server, 600);
    for (const Kept& k : r.results) EXPECT_EQ(k.connect, Result::kNone) << "no hit had to connect";
  }
}

// A server that speaks before it is asked starts no hit before the attack begins.
TEST(Http2, SettingsWhileConnectingAreNoHurry) {
  Http2Server server;
  AttackOptions o = h2c(open_hits("1000/s", 20));
  o.preconnect = 3;
  o.connect_rate = *parse_shape("20/s");
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 20u);
  EXPECT_EQ(server.accepted(), 3u);
  for (const Kept& k : r.results) EXPECT_GE(k.lag, 0ns);
}

Http2Answer moved(const std::string& to, int status = 302) { return {.status = status, .body = "moved", .fields = {{"location", to}}}; }

TEST(Http2, RedirectsAreFollowedOnTheSameConnection) {
  Http2Server server(answering([](const Http2Seen& s) { return s.field(":path") == "/there" ? Http2Answer{} : moved("/there"); }));
  AttackOptions o = h2c(closed_attack(5, 50));
  o.max_connections = 1;
  o.streams = 1;  // the stream that brought the redirect is the one that follows it
  const Ran r = attack(o, server.url("/here"));
  EXPECT_EQ(r.books().ok, 50u);
  EXPECT_EQ(r.summary->redirects, 50u);
  EXPECT_EQ(r.summary->protocols.http2, 100u) << "responses, not hits";
  EXPECT_EQ(server.accepted(), 1u);
  for (const Kept& k : r.results) EXPECT_EQ(k.redirects, 1);
  EXPECT_THAT(server.seen().back().field("referer"), testing::EndsWith("/here"));
}

TEST(Http2, ARedirectMayOvertakeItsRequest) {
  Http2ServerOptions options =
      answering([](const Http2Seen& s) { return s.field(":path") == "/there" ? Http2Answer{} : moved("/there", 307); });
  options.answers_before_body = true;
  options.window = 100;
  Http2Server server(options);
  AttackOptions o = h2c(closed_attack(1, 5));
  o.max_connections = 1;
  o.streams = 1;
  const Ran r = attack(o, {post(server.url("/here"), std::string(100'000, 'x'))});
  EXPECT_EQ(r.books().ok, 5u);
  EXPECT_EQ(server.accepted(), 1u);
}

TEST(Http2, ARedirectLeadsFromOneProtocolToTheOther) {
  Http2ServerOptions secure;
  secure.identity = support::make_certificate({"127.0.0.1"});
  Http2Server there(secure);
  const support::ScriptedServer here(
      support::Script().request().bytes(support::response(302, "", "Location: " + there.url("/there") + "\r\n")).again());
  AttackOptions o = closed_attack(2, 20);
  o.tls.verify = false;
  const Ran r = attack(o, here.url());
  EXPECT_EQ(r.books().ok, 20u) << r.results[0].error;
  EXPECT_EQ(r.summary->protocols.http1, 20u);
  EXPECT_EQ(r.summary->protocols.http2, 20u);
}

Target expecting(std::string url, std::string body) {
  Target target = post(std::move(url), std::move(body));
  target.headers = {{"Expect", "100-continue"}};
  return target;
}

TEST(Http2, ABodyWaitsForTheServersWord) {
  Http2ServerOptions options;
  options.says_continue = true;
  Http2Server server(options);
  const Ran r = attack(h2c(closed_attack(4, 40)), {expecting(server.url(), "the body")});
  EXPECT_EQ(r.books().ok, 40u);
  for (const Kept& k : r.results) EXPECT_LT(k.latency, 900ms) << "the server said that it wants the body";
  for (const Http2Seen& s : server.seen()) EXPECT_EQ(s.body, "the body");
  EXPECT_EQ(server.seen().front().field("expect"), "100-continue");
}

TEST(Http2, ABodyDoesNotWaitForEver) {
  Http2Server server;
  const Ran r = attack(h2c(closed_attack(2, 2)), {expecting(server.url(), "the body")});
  EXPECT_EQ(r.books().ok, 2u);
  for (const Kept& k : r.results) EXPECT_GE(k.latency, 1s);
  for (const Http2Seen& s : server.seen()) EXPECT_EQ(s.body, "the body");
}

// Unlike on HTTP/1.1 the connection goes on: the stream that the body was for is reset.
TEST(Http2, ABodyIsNotSentAgainstTheServersWill) {
  Http2ServerOptions options = answering({.status = 417, .body = "no"});
  options.answers_before_body = true;
  Http2Server server(options);
  const Ran r = attack(h2c(closed_attack(1, 3)), {expecting(server.url(), "the body")});
  EXPECT_EQ(r.count_code(417), 3u);
  EXPECT_EQ(server.accepted(), 1u);
  for (const Http2Seen& s : server.seen()) EXPECT_EQ(s.body, "");
  for (const Kept& k : r.results) EXPECT_LT(k.latency, 900ms);
}

TEST(Http2, AChunkedBodyIsSentWithoutItsLength) {
  Http2Server server;
  AttackOptions o = h2c(closed_attack(2, 4));
  o.chunked = true;
  EXPECT_EQ(attack(o, {post(server.url(), "the body")}).books().ok, 4u);
  for (const Http2Seen& s : server.seen()) {
    EXPECT_EQ(s.body, "the body");
    EXPECT_EQ(s.field("content-length") + s.field("transfer-encoding"), "");
  }
}

TEST(Http2, ABodyMayBeAMappedFile) {
  MappedBody body(300'000);
  Http2Server server;
  AttackOptions o = h2c(closed_attack(2, 6));
  o.body = body.shared();
  EXPECT_EQ(attack(o, {Target{"PUT", server.url(), {}, nullptr}}).books().ok, 6u);
  for (const Http2Seen& s : server.seen()) EXPECT_TRUE(s.body == body.bytes());
}

// The hits fail, the program does not, nor does the connection: what the file still has goes with another hit.
TEST(Http2, AMappedFileMayBeCutShort) {
  MappedBody body(300'000);
  body.cut(100'000);
  Http2Server server;
  AttackOptions o = h2c(closed_attack(1, 6));
  o.body = body.shared();
  const Ran r = attack(o, {Target{"PUT", server.url(), {}, nullptr}, post(server.url(), "whole")});
  EXPECT_EQ(r.count(Outcome::ok), 3u);
  EXPECT_EQ(r.count(Outcome::send), 3u);
  EXPECT_THAT(errors(r), Contains("send: the body file was cut short while it was sent").Times(3));
  EXPECT_EQ(server.accepted(), 1u);
}

TEST(Http2, AServerOfHttp1IsNamedAndNothingElseIsTried) {
  support::ScriptedServer server(
      support::Script().request().bytes("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").close());
  EXPECT_THAT(errors(attack(h2c(closed_attack(1, 3)), server.url())),
              Each("http/2: the server does not speak it: it said HTTP/1.1 400 Bad Request"));
}

TEST(Http2, AServerThatHangsUpOnThePrefaceIsNamed) {
  support::ScriptedServer server(support::Script().request().close());
  EXPECT_THAT(errors(attack(h2c(closed_attack(1, 2)), server.url())),
              Each("http/2: the server does not speak it: it closed the connection without a word"));
}

std::string frame(int type, int flags, std::uint32_t stream, std::string_view payload) {
  std::string f;
  for (const int shift : {16, 8, 0}) f += static_cast<char>(payload.size() >> shift & 0xff);
  f += static_cast<char>(type);
  f += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) f += static_cast<char>(stream >> shift & 0xff);
  return f.append(payload);
}
const std::string kSettings = frame(NGHTTP2_SETTINGS, 0, 0, ""), kAck = frame(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, "");

std::string many(const std::string& one, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += one;
  return all;
}

struct Hostile {
  const char* name;
  std::string bytes;
  const char* error;
};
class HostileHttp2 : public testing::TestWithParam<Hostile> {};
TEST_P(HostileHttp2, EndsTheConnectionWithWords) {
  support::ScriptedServer server(support::Script().request().bytes(GetParam().bytes));
  const Ran r = attack(h2c(closed_attack(2, 4)), server.url());
  EXPECT_THAT(errors(r), Each(GetParam().error));
}
INSTANTIATE_TEST_SUITE_P(
    Table, HostileHttp2,
    testing::Values(Hostile{"pings", kSettings + many(frame(NGHTTP2_PING, 0, 0, "12345678"), 3'000),
                            "http/2: the server broke the protocol: ENHANCE_YOUR_CALM"},
                    Hostile{"settings", many(kSettings, 5'000), "http/2: the server broke the protocol: ENHANCE_YOUR_CALM"},
                    Hostile{"data_of_nobody", kSettings + frame(NGHTTP2_DATA, 0, 99, "x"),
                            "http/2: the server broke the protocol: PROTOCOL_ERROR"},
                    Hostile{"bad_compression", kSettings + frame(NGHTTP2_HEADERS, 4, 1, "\xff\xff\xff\xff\xff\xff\xff"),
                            "http/2: the server broke the protocol: COMPRESSION_ERROR"},
                    Hostile{"frame_too_large", kSettings + frame(NGHTTP2_DATA, 0, 1, std::string(20'000, 'x')),
                            "http/2: the server broke the protocol: FRAME_SIZE_ERROR"},
                    Hostile{"push", kSettings + kAck + frame(NGHTTP2_PUSH_PROMISE, 4, 1, std::string("\0\0\0\2\x82", 5)),
                            "http/2: the server broke the protocol: PROTOCOL_ERROR"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Http2, RefusedConnectionsFailEveryHitOfTheirs) {
  support::RefusingPort port;
  const Ran r = attack(h2c(closed_attack(50, 200)), port.url());
  EXPECT_THAT(errors(r), Each("connect: connection refused"));
  EXPECT_LT(r.summary->connections.failed, 100u) << "one attempt serves for all that it would have carried";
}

}  // namespace
}  // namespace thrum::load
