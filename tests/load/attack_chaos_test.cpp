// Attacks on servers that do anything, with options drawn at random: the books stay in order, nothing is sent twice that must
// not be, and nothing is left behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "attack_run.hpp"
#include "scripted_source.hpp"
#include "support/scripted_server.hpp"
#include "support/tls_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::answering_after;
using support::response;
using support::Script;
using support::ScriptedServer;

constexpr const char* kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// What one connection does; drawn by its number.
Script anything(std::uint32_t draw) {
  const std::string large(40'000, 'l');
  switch (draw % 16) {
    case 0:
      return Script().request().reset();
    case 1:
      return Script().request().close();
    case 2:
      return Script().answer(200, "once").request().close();
    case 3:
      return Script().answer(200, "once").request().reset();
    case 4:
      return Script().answer(200, "once").reset();
    case 5:
      return Script().answer(503, large).again(3).close();
    case 6:
      return Script().request().bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf").close();
    case 7:
      return Script().request().bytes("HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n" + large.substr(0, 30'000)).pause(1ms).reset();
    case 8:
      return Script().request().bytes("SSH-2.0-OpenSSH\r\n");
    case 9:
      return Script().request().bytes("HTTP/1.1 200 OK\r\n\r\nuntil the end").close();
    case 10:
      return Script().request().bytes(std::string(kChunked) + "5\r\nhello\r\n0\r\nT: r\r\n\r\n").again();
    case 11:
      return Script().request().bytes(response(200, "and more") + response(200, "unasked")).again();
    case 12:
      return Script().answer(200, large, "Connection: close\r\n");
    case 13:
      return Script().close();
    case 14:
      return answering_after(2ms, large);
    default:
      return answering();
  }
}

struct Drawn {
  AttackOptions options;
  bool is_lazy = false, has_bodies = false;
};

Drawn draw(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return random() % n; };
  const std::uint64_t hits = 1 + below(150);
  Drawn d{below(2) == 0 ? open_hits(below(2) == 0 ? "100000/s" : "4000/s", hits) : closed_attack(1 + below(12), hits)};
  d.options.shards = 1 + below(3);
  if (below(3) == 0) d.options.max_workers = std::min<std::uint64_t>(d.options.max_workers, 1 + below(12));
  if (below(2) == 0) d.options.max_connections = 1 + below(6);
  if (below(4) == 0) d.options.connections = below(3);
  if (below(5) == 0) d.options.keep_alive = false;
  if (below(3) == 0) d.options.max_body = below(2) == 0 ? -1 : 7;
  if (below(3) == 0) d.options.capture_headers = true;
  if (below(5) == 0) d.options.catch_up = {CatchUp::Mode::percent, 300};
  d.is_lazy = below(3) == 0;
  d.has_bodies = below(2) == 0;
  return d;
}

TEST(Chaos, LeavesTheBooksInOrder) {
  std::mt19937 random(4711);
  for (int round = 0; round < 80; ++round) {
    SCOPED_TRACE(round);
    const std::uint32_t seed = random();
    const auto scripts = [seed](std::size_t connection) { return anything(static_cast<std::uint32_t>(std::mt19937(seed + connection)())); };
    ScriptedServer one(scripts), two(scripts);
    const Drawn d = draw(random);
    std::vector<Target> targets = get({one.url("/a"), two.url("/b"), one.url("/c")});
    if (d.has_bodies) targets = {post(one.url("/a"), "once"), post(two.url("/b"), std::string(100'000, 'b')), targets[2]};
    Ran r;
    if (d.is_lazy) {
      r = attack(d.options, std::make_unique<ScriptedSource>(
                                [&](std::uint64_t i) -> Expected<std::optional<Target>> { return targets[i % targets.size()]; }));
    } else {
      r = attack(d.options, targets);
    }
    EXPECT_EQ(r.books().sent, d.options.hits);
    EXPECT_EQ(r.books().missed, 0u);
    std::map<std::string, int> posts;
    for (const ScriptedServer* server : {&one, &two}) {
      for (const auto& seen : server->seen())
        if (seen.method() == "POST") ++posts[seen.header("X-Thrum-Seq")];
      EXPECT_LE(server->open_peak(), d.options.max_connections);
    }
    for (const auto& [hit, times] : posts) EXPECT_EQ(times, 1) << "hit " << hit << " may not be repeated";
    EXPECT_LE(one.requests() + two.requests(), r.books().sent + r.summary->connections.stale_retries);
    for (const Kept& k : r.results) {
      EXPECT_LE(k.retries, 1);
      EXPECT_NE(k.outcome, Outcome::timeout);
      EXPECT_TRUE(!k.body || k.body->find("unasked") == std::string::npos);
    }
  }
}

std::ptrdiff_t entries(const char* folder) {
  std::ptrdiff_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

// However an attack ends, its descriptors and threads are gone when the attacker is.
TEST(Attacks, LeaveNoDescriptorsOrThreadsBehind) {
  ScriptedServer good(answering()), silent{Script()}, closing(Script().request().close());
  support::RefusingPort nobody;
  support::FullBacklog full;
  support::TlsServer tls(support::make_certificate({"other.test"}));
  const std::vector<Target> targets = get({good.url(), silent.url(), closing.url(), nobody.url(), full.url(), tls.url(),
                                           "https://" + good.authority() + "/", "http://localhost:" + std::to_string(good.port()) + "/"});
  const std::ptrdiff_t descriptors = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  for (const std::uint32_t shards : {1u, 3u}) {
    for (const bool is_closed : {false, true}) {
      AttackOptions o = is_closed ? closed_attack(10, 80) : open_hits("2000/s", 80);
      o.shards = shards;
      o.timeout = 60ms;
      const Ran r = attack(o, targets);
      EXPECT_EQ(r.books().sent, 80u);
      EXPECT_GT(r.books().failed, 0u);
    }
  }
  // What is left is the servers' own: the ends of connections that they have not yet seen closed.
  const auto is_gone = [&] { return entries("/proc/self/fd") <= descriptors && entries("/proc/self/task") <= threads; };
  EXPECT_TRUE(good.await(is_gone)) << entries("/proc/self/fd") - descriptors << " descriptors, " << entries("/proc/self/task") - threads
                                   << " threads";
}

// The answer begins, pauses, and ends: each time is of its own moment.
TEST(Times, AreThoseOfTheirMoments) {
  ScriptedServer server(
      Script().request().pause(40ms).bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha").pause(40ms).bytes("lf").again());
  for (const bool is_closed : {false, true}) {
    const Ran r = attack(is_closed ? closed_attack(1, 3) : open_hits("5/s", 3), server.url());
    for (const Kept& k : r.results) {
      EXPECT_GE(k.first_byte, 40ms);
      EXPECT_GE(k.latency, 80ms);
      EXPECT_GE(k.latency - k.first_byte, 30ms) << "the first byte, not the last";
      EXPECT_TRUE(k.connect == Result::kNone || k.connect < k.first_byte);
    }
    for (std::size_t i = 1; is_closed && i < 3; ++i) EXPECT_GE(r.results[i].timestamp.since(r.results[i - 1].timestamp), 80ms);
  }
}

TEST(Requests, MayHaveHeadsLargerThanAnyBuffer) {
  ScriptedServer server(answering());
  std::vector<Target> targets = get({server.url()});
  const std::string large(5'000'000, 'h');
  targets[0].headers = {{"X-Large", large}};
  EXPECT_EQ(attack(closed_attack(2, 4), targets).books().ok, 4u);
  for (const auto& seen : server.seen()) EXPECT_EQ(seen.header("X-Large"), large);
}

}  // namespace
}  // namespace thrum::load
