// Attacks against a scripted server: whatever it answers, right or wrong, has its result, and the attack goes on.
#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>

#include "attack_run.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::response;
using support::Script;
using support::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

struct Case {
  std::string name;
  Script script;  // what follows the request
  Outcome outcome;
  int status;
  std::string error = {};
  std::uint64_t bytes_in = 0;
  std::string method = "GET";
};

class Responses : public testing::TestWithParam<Case> {};

// Each hit is answered so; a server that closes gets a connection per hit. In one piece, and a byte at a time.
TEST_P(Responses, HaveTheirResults) {
  const Case& c = GetParam();
  for (const std::uint64_t workers : {1u, 3u}) {
    ScriptedServer server(c.script);
    std::vector<Target> targets = get({server.url()});
    targets[0].method = c.method;
    const Ran r = attack(closed_attack(workers, 6), targets);
    ASSERT_EQ(r.results.size(), 6u);
    for (const Kept& k : r.results) {
      EXPECT_EQ(k.outcome, c.outcome) << k.error;
      EXPECT_EQ(k.seen_status, c.status);
      EXPECT_EQ(k.error, c.error);
      EXPECT_EQ(k.bytes_in, c.bytes_in);
      EXPECT_EQ(k.retries, 0);
    }
    EXPECT_EQ(server.requests(), 6u);
  }
}

constexpr const char* kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr const char* kCutAnswer = "response: connection closed before the end of the response";

Script after_request(std::string bytes) { return Script().request().bytes(std::move(bytes)); }

Case kept(std::string name, std::string bytes, int status, std::uint64_t bytes_in = 0, std::string error = "") {
  const Outcome outcome = error.empty() ? Outcome::ok : Outcome::bad_status;
  return {std::move(name), after_request(std::move(bytes)).again(), outcome, status, std::move(error), bytes_in};
}
Case broken(std::string name, std::string bytes, Outcome outcome, int status, std::string error) {
  return {std::move(name), after_request(std::move(bytes)).close(), outcome, status, std::move(error)};
}
Case malformed(std::string name, std::string bytes, int status, std::string what) {
  // The server leaves the connection open: the client must not wait for more.
  return {std::move(name), after_request(std::move(bytes)), Outcome::response, status, "response: " + what};
}
Case of_method(std::string method, Case c) {
  c.method = std::move(method);
  return c;
}

std::string many_interim(int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Whole, Responses,
    testing::Values(
        kept("length", response(200, "hello"), 200, 5), kept("no_body", response(200), 200), kept("created", response(201, "x"), 201, 1),
        kept("no_content", "HTTP/1.1 204 No Content\r\n\r\n", 204),
        kept("no_content_with_length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204),
        kept("not_modified", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n", 304),
        kept("redirect_nowhere", response(302, "gone"), 302, 4), kept("choices", response(300, "gone", "Location: /next\r\n"), 300, 4),
        kept("not_found", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, 0, "404 Not Found"),
        kept("own_reason", "HTTP/1.1 503 Gone fishing\r\nContent-Length: 2\r\n\r\nno", 503, 2, "503 Gone fishing"),
        kept("no_reason", "HTTP/1.1 500\r\nContent-Length: 0\r\n\r\n", 500, 0, "500 Internal Server Error"),
        kept("hostile_reason", "HTTP/1.1 500 \xff\xfe caf\xc3\xa9\r\nContent-Length: 0\r\n\r\n", 500, 0, "500 \xff\xfe caf\xc3\xa9"),
        kept("unknown_status", "HTTP/1.1 799 \r\nContent-Length: 0\r\n\r\n", 799, 0, "799"),
        kept("interim", "HTTP/1.1 100 Continue\r\n\r\n" + many_interim(3) + response(200, "ok"), 200, 2),
        kept("chunked", std::string(kChunked) + "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n", 200, 11),
        kept("trailers", std::string(kChunked) + "5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n", 200, 5),
        kept("chunked_empty", std::string(kChunked) + "0\r\n\r\n", 200),
        kept("gzip_that_is_none", response(200, "plain text", "Content-Encoding: gzip\r\n"), 200, 10),
        kept("large", response(200, std::string(1 << 20, 'x')), 200, 1 << 20),
        kept("large_chunk", std::string(kChunked) + "100000\r\n" + std::string(1 << 20, 'x') + "\r\n0\r\n\r\n", 200, 1 << 20),
        of_method("HEAD", kept("head", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", 200)),
        of_method("HEAD", kept("head_chunked", kChunked, 200)),
        Case{"until_close", after_request("HTTP/1.1 200 OK\r\n\r\nall there is").close(), Outcome::ok, 200, "", 12},
        Case{"until_close_empty", after_request("HTTP/1.1 200 OK\r\n\r\n").close(), Outcome::ok, 200, "", 0},
        Case{"until_close_large", after_request("HTTP/1.0 200 OK\r\n\r\n" + std::string(300'000, 'y')).close(), Outcome::ok, 200, "",
             300'000},
        Case{"until_half_close", after_request("HTTP/1.1 200 OK\r\n\r\nhalf").half_close(), Outcome::ok, 200, "", 4},
        Case{"switching", after_request("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbinary"), Outcome::bad_status, 101,
             "101 Switching Protocols", 0},
        Case{"slowly", Script().request().slowly(response(200, "a byte at a time", "X: y\r\n"), 1, 0ms).again(), Outcome::ok, 200, "", 16},
        Case{"chunked_slowly", Script().request().slowly(std::string(kChunked) + "3\r\nabc\r\n0\r\nT: r\r\n\r\n", 1, 0ms).again(),
             Outcome::ok, 200, "", 3}),
    [](const auto& i) { return i.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Broken, Responses,
    testing::Values(broken("empty", "", Outcome::truncated, 0, "response: connection closed before the response"),
                    broken("in_status_line", "HTTP/1.1 20", Outcome::truncated, 0, kCutAnswer),
                    broken("in_headers", "HTTP/1.1 200 OK\r\nContent-Le", Outcome::truncated, 200, kCutAnswer),
                    broken("after_interim", "HTTP/1.1 100 Continue\r\n\r\n", Outcome::truncated, 0, kCutAnswer),
                    broken("in_body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", Outcome::truncated, 200, kCutAnswer),
                    broken("in_large_body", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + std::string(500'000, 'x'),
                           Outcome::truncated, 200, kCutAnswer),
                    broken("in_chunk", std::string(kChunked) + "ff\r\nhello", Outcome::truncated, 200, kCutAnswer),
                    broken("between_chunks", std::string(kChunked) + "5\r\nhello\r\n", Outcome::truncated, 200, kCutAnswer),
                    broken("before_last_line", std::string(kChunked) + "5\r\nhello\r\n0\r\n", Outcome::truncated, 200, kCutAnswer),
                    broken("of_503", "HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\nhello", Outcome::truncated, 503, kCutAnswer),
                    Case{"reset_at_once", Script().request().reset(), Outcome::truncated, 0, "receive: connection reset by peer"},
                    Case{"reset_in_body", after_request("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello").pause(20ms).reset(),
                         Outcome::truncated, 200, "receive: connection reset by peer"},
                    Case{"reset_until_close", after_request("HTTP/1.1 200 OK\r\n\r\nhello").pause(20ms).reset(), Outcome::truncated, 200,
                         "receive: connection reset by peer"}),
    [](const auto& i) { return i.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Malformed, Responses,
    testing::Values(
        malformed("garbage", "\x16\x03\x01\x02", 0, "malformed status line"),
        malformed("text", "220 ftp ready\r\n", 0, "malformed status line"),
        malformed("zeros", std::string(1000, '\0'), 0, "malformed status line"),
        malformed("bad_status", "HTTP/1.1 2xx OK\r\n\r\n", 0, "malformed status line"),
        malformed("bad_header", "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", 200, "malformed header"),
        malformed("control_in_header", "HTTP/1.1 200 OK\r\nA: b\x01\r\n\r\n", 200, "malformed header"),
        malformed("bad_length", "HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n", 200, "bad Content-Length"),
        malformed("lengths_disagree", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok", 200, "bad Content-Length"),
        malformed("huge_length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", 200, "bad Content-Length"),
        malformed("bad_coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 200, "unsupported Transfer-Encoding"),
        malformed("bad_chunk", std::string(kChunked) + "zz\r\nhello\r\n", 200, "malformed chunked encoding"),
        malformed("huge_chunk", std::string(kChunked) + "ffffffffffffffffff\r\n", 200, "malformed chunked encoding"),
        malformed("chunk_overruns", std::string(kChunked) + "3\r\nhello\r\n0\r\n\r\n", 200, "malformed chunked encoding"),
        malformed("large_head", "HTTP/1.1 200 OK\r\n" + std::string(300'000, 'h'), 200, "headers larger than 256 KiB"),
        malformed("interim_for_ever", many_interim(70), 0, "too many 1xx responses")),
    [](const auto& i) { return i.param.name; });

// A server that answers 413 before it has read the request, and hangs up: its answer is the result.
TEST(EarlyAnswers, AreHeardWhileTheRequestStillLeaves) {
  ScriptedServer server(Script().deaf().bytes(response(413, "too large", "Connection: close\r\n")).half_close());
  const Ran r = attack(closed_attack(2, 6), std::vector{post(server.url(), std::string(16 << 20, 'x'))});
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.code, 413);
    EXPECT_EQ(k.bytes_in, 9u);
  }
  EXPECT_EQ(server.accepted(), 6u);
}

// Even when it would keep the connection: the rest of the request would be taken for the next one.
TEST(EarlyAnswers, EndTheirConnection) {
  ScriptedServer server(Script().deaf().bytes(response(200, "already")));
  const Ran r = attack(closed_attack(1, 4), std::vector{post(server.url(), std::string(16 << 20, 'x'))});
  EXPECT_EQ(r.books().ok, 4u);
  EXPECT_EQ(server.accepted(), 4u);
}

TEST(Requests, WithBodiesLeaveWhole) {
  ScriptedServer server(answering());
  const std::string large(3'000'000, 'b');
  AttackOptions o = closed_attack(2, 8);
  o.body = std::make_shared<const std::string>("shared");
  std::vector<Target> targets = {post(server.url("/a"), large),
                                 {"PUT", server.url("/b"), {}, nullptr},
                                 {"DELETE", server.url("/c"), {}, nullptr},
                                 post(server.url("/d"), "")};
  const Ran r = attack(o, targets);
  for (const auto& seen : server.seen()) {
    EXPECT_EQ(seen.body(), seen.target() == "/a" ? large : seen.target() == "/d" ? "" : "shared");
    EXPECT_EQ(seen.count_header("Content-Length"), 1u);
  }
  EXPECT_EQ(r.results[0].bytes_out, large.size());
  EXPECT_EQ(r.results[1].bytes_out, 6u);
  EXPECT_EQ(r.results[3].bytes_out, 0u);
}

TEST(Captures, KeepNothingUnlessAsked) {
  ScriptedServer server(answering("hello"));
  const Ran r = attack(closed_attack(1, 3), server.url());
  for (const Kept& k : r.results) {
    EXPECT_FALSE(k.body);
    EXPECT_FALSE(k.has_headers);
    EXPECT_EQ(k.bytes_in, 5u);
  }
}

struct BodyBound {
  std::int64_t max_body;
  std::string kept;
};

class CapturedBodies : public testing::TestWithParam<BodyBound> {};

TEST_P(CapturedBodies, AreKeptUpToTheBoundAndCountedWhole) {
  for (const std::string& bytes :
       {response(200, "hello world"), std::string(kChunked) + "5\r\nhello\r\n6\r\n world\r\n0\r\nT: r\r\n\r\n"}) {
    ScriptedServer server(Script().request().bytes("HTTP/1.1 103 Early\r\nEarly: yes\r\n\r\n").bytes(bytes).again());
    AttackOptions o = closed_attack(2, 6);
    o.max_body = GetParam().max_body;
    const Ran r = attack(o, server.url());
    for (const Kept& k : r.results) {
      EXPECT_EQ(k.body, GetParam().kept);
      EXPECT_EQ(k.bytes_in, 11u);
      EXPECT_FALSE(k.has_headers);
    }
    EXPECT_EQ(r.summary->truncated_captures, 0u) << "the user's own bound is not a shortage";
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, CapturedBodies,
                         testing::Values(BodyBound{-1, "hello world"}, BodyBound{11, "hello world"}, BodyBound{100, "hello world"},
                                         BodyBound{7, "hello w"}, BodyBound{1, "h"}));

TEST(Captures, KeepHeadersAsTheServerWroteThem) {
  ScriptedServer server(
      Script()
          .request()
          .bytes("HTTP/1.1 100 Continue\r\nNot-This: x\r\n\r\nHTTP/1.1 200 OK\r\nsEt-cOOkie: a=1\r\nSet-Cookie:  b=2 \r\nEmpty:\r\n"
                 "Transfer-Encoding: chunked\r\n\r\n0\r\nNor-This: y\r\n\r\n")
          .again());
  AttackOptions o = closed_attack(1, 2);
  o.capture_headers = true;
  const Ran r = attack(o, server.url());
  for (const Kept& k : r.results) {
    EXPECT_THAT(k.headers,
                ElementsAre(Pair("sEt-cOOkie", "a=1"), Pair("Set-Cookie", "b=2"), Pair("Empty", ""), Pair("Transfer-Encoding", "chunked")));
    EXPECT_FALSE(k.body);
  }
}

// One of very many, unless they fail: then the next ones, too, though not all.
TEST(Captures, AreOfASampleWhereThatIsAskedFor) {
  for (const char* const status : {"200 OK", "503 Busy"}) {
    ScriptedServer server(Script().request().bytes("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 5\r\n\r\nhello").again());
    AttackOptions o = closed_attack(1, 50);
    o.capture_headers = true;
    o.max_body = -1;
    o.captures_per_second = 1;
    std::size_t kept = 0;
    for (const Kept& k : attack(o, server.url()).results) kept += k.body ? 1 : 0;
    EXPECT_GE(kept, 1u) << status;
    EXPECT_LT(kept, 50u) << status;
  }
}

TEST(Captures, KeepWhatCameOfABrokenAnswer) {
  ScriptedServer server(Script().request().bytes("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 100\r\n\r\nhello").close());
  AttackOptions o = closed_attack(1, 3);
  o.capture_headers = true;
  o.max_body = -1;
  for (const Kept& k : attack(o, server.url()).results) {
    EXPECT_EQ(k.outcome, Outcome::truncated);
    EXPECT_EQ(k.body, "hello");
    EXPECT_THAT(k.headers, testing::Contains(Pair("A", "b")));
  }
}

TEST(Captures, OfEmptyBodiesAreEmptyNotMissing) {
  ScriptedServer server(Script().request().bytes("HTTP/1.1 204 No Content\r\n\r\n").again());
  AttackOptions o = closed_attack(1, 2);
  o.max_body = -1;
  for (const Kept& k : attack(o, server.url()).results) EXPECT_EQ(k.body, "");
}

// Nobody takes results for a while, and what is captured adds up: bodies are cut short, and that is said; memory is not eaten.
TEST(Captures, ShareABudget) {
  constexpr std::size_t kSize = 8 << 20;
  constexpr std::uint64_t kHits = 13;  // half as much again as fits
  ScriptedServer server(answering(std::string(kSize, 'c')));
  AttackOptions o = closed_attack(kHits, kHits);
  o.max_body = -1;
  const auto attacker = make_attacker(o, get({server.url()}));
  KeepingSink sink;
  sink.on_take = [&]() -> Expected<void> {
    EXPECT_TRUE(server.await([&] { return attacker->progress().answered == kHits; }));
    return {};
  };
  const Ran r = run(*attacker, sink);
  expect_sound(r, o);
  EXPECT_EQ(r.books().ok, kHits);
  std::uint64_t kept = 0, cut_short = 0;
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.bytes_in, kSize);
    kept += k.body->size();
    cut_short += k.body->size() < kSize ? 1 : 0;
  }
  EXPECT_GE(cut_short, 3u);
  EXPECT_EQ(r.summary->truncated_captures, cut_short);
  EXPECT_LE(kept, 64u << 20);
}

}  // namespace
}  // namespace thrum::load
