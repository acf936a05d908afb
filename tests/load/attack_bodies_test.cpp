// Request bodies on the wire: in chunks, waiting for the server's word, and out of files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "attack_run.hpp"
#include "mapped_body.hpp"
#include "support/scripted_server.hpp"
#include "support/tls_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::response;
using support::Script;
using support::ScriptedServer;

constexpr const char* kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

Target expecting(std::string url, std::string body) {
  Target target = post(std::move(url), std::move(body));
  target.headers = {{"Expect", "100-continue"}};
  return target;
}

std::string in_chunk(const std::string& body) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", body.size());
  return size + body + "\r\n0\r\n\r\n";
}

// Small ones are copied to leave in one piece, large ones are not, and the largest don't fit into the socket at once.
TEST(AttackBodies, InChunks) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{16'384}, std::size_t{16'385}, std::size_t{8} << 20}) {
    ScriptedServer server(answering());
    AttackOptions o = closed_attack(1, 3);
    o.chunked = true;
    const std::string body(size, 'b');
    const Ran r = attack(o, {post(server.url(), body)});
    EXPECT_EQ(r.count_code(200), 3u) << r.results[0].error;
    for (const Kept& k : r.results) EXPECT_EQ(k.bytes_out, size);
    ASSERT_EQ(server.requests(), 3u);
    EXPECT_EQ(server.accepted(), 1u);
    for (const auto& seen : server.seen()) {
      EXPECT_EQ(seen.header("Transfer-Encoding"), "chunked");
      EXPECT_EQ(seen.count_header("Content-Length"), 0u);
      EXPECT_TRUE(seen.body() == in_chunk(body)) << size;
    }
  }
}

TEST(AttackBodies, WaitForTheServersWord) {
  ScriptedServer server(Script().head().bytes(kContinue).body().bytes(response(200, "ok")).again());
  for (const bool chunked : {false, true}) {
    AttackOptions o = closed_attack(1, 4);
    o.chunked = chunked;
    const Ran r = attack(o, {expecting(server.url(), "the body")});
    EXPECT_EQ(r.count_code(200), 4u);
    for (const Kept& k : r.results) EXPECT_LT(k.latency, 900ms) << "the server said that it wants the body";
  }
  const auto seen = server.seen();
  ASSERT_EQ(seen.size(), 8u);
  EXPECT_EQ(server.accepted(), 2u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(seen[i].body(), i < 4 ? "the body" : in_chunk("the body"));
}

// Other interim responses are not that word; one may come first, and the word in pieces.
TEST(AttackBodies, OtherInterimResponsesAreNotThatWord) {
  ScriptedServer server(Script()
                            .head()
                            .bytes("HTTP/1.1 103 Early Hints\r\n\r\n")
                            .pause(20ms)
                            .slowly(kContinue, 3, 1ms)
                            .body()
                            .bytes(std::string(kContinue) + response(200, "ok")));
  const Ran r = attack(closed_attack(1, 1), {expecting(server.url(), "the body")});
  EXPECT_EQ(r.count_code(200), 1u);
}

// The final response came first: the body stays here, and the connection, on which the server may still wait for it, is not
// used again.
TEST(AttackBodies, AreNotSentAgainstTheServersWill) {
  ScriptedServer server(Script().head().bytes(response(417, "no")).again());
  const Ran r = attack(closed_attack(1, 3), {expecting(server.url(), "the body")});
  EXPECT_EQ(r.count_code(417), 3u);
  EXPECT_EQ(server.accepted(), 3u);
  std::size_t heads = 0;
  for (const auto& seen : server.seen()) heads += seen.raw.size();
  EXPECT_TRUE(server.await([&] { return server.open() == 0; }));
  EXPECT_EQ(server.received(), heads);
}

TEST(AttackBodies, DoNotWaitForEver) {
  ScriptedServer server(Script().request().bytes(response(200, "ok")).again());
  const Ran r = attack(closed_attack(1, 1), {expecting(server.url(), "the body")});
  EXPECT_EQ(r.count_code(200), 1u);
  EXPECT_GE(r.results[0].latency, 1s);
  EXPECT_EQ(server.seen()[0].body(), "the body");
}

TEST(AttackBodies, ARedirectInsteadOfTheWord) {
  ScriptedServer server([](std::size_t connection) {
    if (connection == 0) return Script().head().bytes(response(307, "", "Location: /there\r\n"));
    return Script().head().bytes(kContinue).body().bytes(response(200, "ok"));
  });
  const Ran r = attack(closed_attack(1, 1), {expecting(server.url("/here"), "the body")});
  EXPECT_EQ(r.count_code(200), 1u);
  ASSERT_EQ(server.requests(), 2u);
  EXPECT_EQ(server.seen()[0].body(), "");
  EXPECT_EQ(server.seen()[1].target() + server.seen()[1].body(), "/therethe body");
}

TEST(AttackBodies, OutOfAMappedFile) {
  MappedBody body(3'000'000);
  for (const bool chunked : {false, true}) {
    ScriptedServer server(answering());
    AttackOptions o = closed_attack(2, 4);
    o.chunked = chunked;
    o.body = body.shared();
    const Ran r = attack(o, {Target{"PUT", server.url(), {}, nullptr}});
    EXPECT_EQ(r.count_code(200), 4u);
    for (const auto& seen : server.seen()) EXPECT_TRUE(seen.body() == (chunked ? in_chunk(body.bytes()) : body.bytes()));
  }
}

// TLS takes the bytes in user space.
TEST(AttackBodies, OutOfAMappedFileOverTls) {
  MappedBody body(3'000'000);
  std::atomic<int> whole{0};
  support::TlsServerOptions options;
  options.answer = [&](const std::string& request) {
    whole += request.ends_with("\r\n\r\n" + body.bytes());
    return response(200, "ok");
  };
  support::TlsServer server(support::make_certificate({"127.0.0.1"}), options);
  AttackOptions o = closed_attack(1, 2);
  o.body = body.shared();
  o.tls.verify = false;
  const Ran r = attack(o, {Target{"PUT", server.url(), {}, nullptr}});
  EXPECT_EQ(r.count_code(200), 2u) << r.results[0].error;
  EXPECT_EQ(whole, 2);
}

// Whoever cuts the file short makes hits fail, and no more than that: nothing of ours touches what is gone.
TEST(AttackBodies, OutOfAMappedFileThatIsCutShort) {
  MappedBody body(3'000'000);
  ScriptedServer plain(answering());
  support::TlsServer secure(support::make_certificate({"127.0.0.1"}));
  body.cut(100'000);
  for (const std::string& url : {plain.url(), secure.url()}) {
    AttackOptions o = closed_attack(1, 3);
    o.body = body.shared();
    o.tls.verify = false;
    const Ran r = attack(o, {Target{"PUT", url, {}, nullptr}});
    EXPECT_EQ(r.count(Outcome::send), 3u);
    for (const Kept& k : r.results) EXPECT_EQ(k.error, "send: the body file was cut short while it was sent");
  }
}

}  // namespace
}  // namespace thrum::load
