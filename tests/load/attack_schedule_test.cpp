// Attacks against a scripted server: what is sent, when, how often, and that the books say so.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "attack_run.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::answering_after;
using support::Script;
using support::ScriptedServer;

TEST(OpenAttack, SendsWhatIsDueAndTheServerSawIt) {
  ScriptedServer server(answering());
  const Ran r = attack(open_attack("200/s", 500ms), server.url());
  EXPECT_EQ(r.books().scheduled, 100u);
  EXPECT_EQ(r.books().ok, r.books().sent);
  EXPECT_GE(r.books().sent, 90u) << "a machine that is busy may be late at the end, and gives it up soon after";
  EXPECT_EQ(server.requests(), r.books().sent);
  EXPECT_FALSE(r.summary->stopped);
  EXPECT_FALSE(r.summary->was_cut);
  // The first hit is due at t = 0, the last one slot before the end.
  for (const Kept& k : r.results) EXPECT_GE(k.timestamp.since(r.summary->started), 5ms * static_cast<std::int64_t>(k.seq));
  EXPECT_GE(r.summary->sending, 5ms * static_cast<std::int64_t>(r.results.back().seq));
}

TEST(OpenAttack, NumbersItsHits) {
  ScriptedServer server(answering());
  AttackOptions o = open_hits("1000/s", 50);
  o.name = "numbered";
  const Ran r = attack(o, server.url());
  std::vector<std::uint64_t> numbers;
  for (const auto& seen : server.seen()) {
    EXPECT_EQ(seen.header("X-Thrum-Attack"), "numbered");
    numbers.push_back(std::stoull(seen.header("X-Thrum-Seq")));
  }
  std::ranges::sort(numbers);
  ASSERT_EQ(numbers.size(), 50u);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(numbers[i], i);
    EXPECT_EQ(r.results[i].seq, i);
  }
}

// Nothing leaves before it is due, whatever the number of connections that stand ready.
TEST(OpenAttack, OpensConnectionsWithoutSendingOnThem) {
  ScriptedServer server(answering_after(100ms));
  AttackOptions o = open_hits("10/s", 5);
  o.workers = o.connections = 50;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(server.requests(), 5u);
  for (const Kept& k : r.results) EXPECT_GE(k.timestamp.since(r.summary->started), 100ms * static_cast<std::int64_t>(k.seq));
  EXPECT_EQ(r.count(Outcome::timeout), 0u);
}

TEST(OpenAttack, KeepsOneRateForAnyNumberOfConnections) {
  ScriptedServer server(answering_after(30ms));
  AttackOptions o = open_hits("100/s", 50);
  o.workers = o.connections = 100;
  EXPECT_EQ(attack(o, server.url()).books().ok, 50u);
  EXPECT_EQ(server.requests(), 50u);
}

TEST(OpenAttack, TakesTargetsInTurn) {
  ScriptedServer server(answering());
  const Ran r = attack(open_hits("1000/s", 20), get({server.url("/a"), server.url("/b"), server.url("/c")}));
  ASSERT_EQ(r.results.size(), 20u);
  for (const Kept& k : r.results) EXPECT_EQ(k.url, server.url(k.seq % 3 == 0 ? "/a" : k.seq % 3 == 1 ? "/b" : "/c"));
}

// The server stands still for a while: hits go on leaving, and each feels what is left of the standstill.
TEST(OpenAttack, DoesNotWaitForASlowServer) {
  ScriptedServer server(Script().request().freeze(400ms).bytes(support::response(200)).again());
  const Ran r = attack(open_hits("100/s", 80), server.url());
  EXPECT_EQ(r.books().ok, 80u);
  EXPECT_EQ(r.books().missed, 0u);
  for (const Kept& k : r.results) {
    const Nanos due = 10ms * static_cast<std::int64_t>(k.seq);
    EXPECT_GE(k.response_latency(), 400ms - due) << k.seq;
  }
}

// A worker cap that can't keep the rate: the run ends on time, and the books say what was not sent and why.
TEST(OpenAttack, EndsOnTimeWhenItCannotKeepTheRate) {
  ScriptedServer server(answering_after(100ms));
  AttackOptions o = open_attack("200/s", 500ms);
  o.max_workers = 2;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().scheduled, 100u);
  EXPECT_LE(r.books().sent, 12u);
  EXPECT_GE(r.books().sent, 2u);
  EXPECT_EQ(r.books().missed, 100u - r.books().sent);
  EXPECT_EQ(server.requests(), r.books().sent);
  EXPECT_LE(server.open_peak(), 2u);
  EXPECT_LT(r.summary->sending, 5s);
  EXPECT_EQ(r.summary->limit, Limit::workers);
  EXPECT_EQ(r.summary->limit_value, 2u);
  EXPECT_GE(r.summary->limit_needed, 19u);  // 200/s times 100 ms
}

TEST(OpenAttack, NamesTheConnectionsThatWouldHaveBeenNeeded) {
  ScriptedServer server(answering_after(200ms));
  AttackOptions o = open_attack("50/s", 600ms);
  o.max_connections = 1;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().scheduled, 30u);
  EXPECT_LE(r.books().sent, 4u);
  EXPECT_EQ(server.open_peak(), 1u);
  EXPECT_EQ(r.summary->limit, Limit::connections);
  EXPECT_EQ(r.summary->limit_value, 1u);
  EXPECT_GE(r.summary->limit_needed, 10u);
}

// One of the connections stands still: any other takes the next hit.
TEST(OpenAttack, IsNotHeldUpByOneBlockedConnection) {
  ScriptedServer server([](std::size_t connection) {
    return connection == 0 ? Script().request().pause(700ms).bytes(support::response(200)).again() : answering_after(5ms);
  });
  AttackOptions o = open_hits("100/s", 50);
  o.max_connections = 4;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().missed, 0u);
  EXPECT_EQ(r.books().ok, 50u);
  std::map<std::size_t, int> by_connection;
  for (const auto& seen : server.seen()) ++by_connection[seen.connection];
  EXPECT_EQ(by_connection[0], 1);
  EXPECT_LE(server.open_peak(), 4u);
}

struct CatchUpCase {
  const char* name;
  CatchUp catch_up;
};

class CatchingUp : public testing::TestWithParam<CatchUpCase> {
 protected:
  // The only worker is held for 300 ms by its first hit, then the server is fast.
  Ran go(AttackOptions o, ScriptedServer& server) {
    o.catch_up = GetParam().catch_up;
    return attack(o, server.url());
  }
};

TEST_P(CatchingUp, AfterAStall) {
  ScriptedServer server(Script().request().freeze(300ms).bytes(support::response(200)).again());
  AttackOptions o = open_attack("100/s", 1s);
  o.max_workers = 1;
  const Ran r = go(o, server);
  EXPECT_EQ(r.books().scheduled, 100u);
  const std::size_t sent = r.books().sent;
  switch (GetParam().catch_up.mode) {
    case CatchUp::Mode::all:
      EXPECT_GE(sent, 85u);
      break;
    case CatchUp::Mode::none:
      EXPECT_LE(sent, 72u);
      EXPECT_GE(r.books().missed, 28u);
      break;
    case CatchUp::Mode::percent: {
      // 300 ms were lost; in the 700 ms that remain at most half as many again can leave: 5 more than are due, or 35.
      const std::size_t most = 70 * GetParam().catch_up.percent / 100 + 2;
      EXPECT_LE(sent, std::min<std::size_t>(100, most));
      break;
    }
  }
  EXPECT_EQ(server.requests(), sent);
  EXPECT_NE(r.summary->limit, Limit::none);
}

INSTANTIATE_TEST_SUITE_P(Modes, CatchingUp,
                         testing::Values(CatchUpCase{"all", {CatchUp::Mode::all, 100}}, CatchUpCase{"none", {CatchUp::Mode::none, 100}},
                                         CatchUpCase{"by110", {CatchUp::Mode::percent, 110}},
                                         CatchUpCase{"by150", {CatchUp::Mode::percent, 150}}),
                         [](const auto& i) { return i.param.name; });

// The share holds however the hits were kept waiting: here, by a cap on connections where there are several routes.
TEST(CatchingUpByPercent, HoldsForHitsThatWaitForAConnectionOfTheirRoute) {
  ScriptedServer stalled(Script().request().freeze(300ms).bytes(support::response(200)).again()), other(answering());
  AttackOptions o = open_attack("200/s", 1s);
  o.max_connections = 1;
  o.catch_up = {CatchUp::Mode::percent, 150};
  const Ran r = attack(o, get({stalled.url(), other.url()}));
  // The 30 hits of the standstill leave at 1.5 times the rate at most: in any 50 ms no more than 15, and one for the stretch's edge.
  std::vector<Nanos> late;
  for (const Kept& k : r.results)
    if (k.lag > Nanos(5ms)) late.push_back(k.timestamp.since(r.summary->started));
  std::ranges::sort(late);
  ASSERT_GT(late.size(), 17u);
  for (std::size_t i = 16; i < late.size(); ++i) EXPECT_GE(late[i] - late[i - 16], 50ms - 2ms);
}

// "More than one slot late" is the rule for hits held back at a connection cap, too: at 10/s a slot is 100 ms.
TEST(CatchingUpNot, SendsWhatIsLateByLessThanASlot) {
  ScriptedServer a(answering_after(60ms)), b(answering_after(60ms));
  AttackOptions o = open_attack("20/s", 600ms);
  o.max_connections = 1;
  o.catch_up.mode = CatchUp::Mode::none;
  // Each route gets a hit every 100 ms, but every fourth target comes again at once: it waits 10 ms for the one connection.
  const Ran r = attack(o, get({a.url("/1"), a.url("/2"), b.url("/1"), b.url("/2")}));
  EXPECT_EQ(r.books().scheduled, 12u);
  EXPECT_LE(r.books().missed, 2u);  // by a machine that is busy
}

struct ExactCase {
  std::uint64_t hits, workers;
  std::uint32_t shards;
  bool is_closed;
};

class ExactCounts : public testing::TestWithParam<ExactCase> {};

TEST_P(ExactCounts, AreSentAndSeen) {
  const ExactCase& c = GetParam();
  ScriptedServer server(answering_after(c.is_closed ? 1ms : 0ms));
  AttackOptions o = c.is_closed ? closed_attack(c.workers, c.hits) : open_attack("20000/s", 0s);
  o.hits = c.hits;
  o.max_workers = c.workers;
  o.shards = c.shards;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().scheduled, c.hits);
  EXPECT_EQ(r.books().sent, c.hits);
  EXPECT_EQ(r.books().ok, c.hits);
  EXPECT_EQ(server.requests(), c.hits);
  EXPECT_LE(server.open_peak(), c.workers);
  EXPECT_EQ(r.summary->shards, std::min<std::uint64_t>(c.shards, c.workers));
  for (std::size_t i = 0; i < r.results.size(); ++i) EXPECT_EQ(r.results[i].seq, i);
}

std::vector<ExactCase> exact_cases() {
  std::vector<ExactCase> cases;
  for (const bool is_closed : {false, true})
    for (const std::uint32_t shards : {1u, 2u, 3u, 4u})
      for (const std::uint64_t hits : {0ul, 1ul, 7ul, 100ul, 1000ul}) cases.push_back({hits, is_closed ? 50u : 64u, shards, is_closed});
  cases.push_back({33, 2, 4, true});
  cases.push_back({500, 64, 64, true});
  cases.push_back({500, 64, 64, false});
  cases.push_back({33, 1, 4, false});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Table, ExactCounts, testing::ValuesIn(exact_cases()));

TEST(ExactCount, EndsAtWhateverComesFirst) {
  ScriptedServer server(answering());
  AttackOptions o = open_attack("100/s", 200ms);
  o.hits = 5;
  EXPECT_EQ(attack(o, server.url()).books().sent, 5u);
  o.hits = 1000;
  EXPECT_EQ(attack(o, server.url()).books().scheduled, 20u);
  AttackOptions closed = closed_attack(2, 1'000'000);
  closed.duration = 100ms;
  const Ran r = attack(closed, server.url());
  EXPECT_GT(r.books().sent, 2u);
  EXPECT_LT(r.books().sent, 1'000'000u);
  EXPECT_LT(r.summary->sending, 2s);
}

// With a cap that can't keep the rate an exact count still is exact: nothing is dropped, it only takes longer.
TEST(ExactCount, IsReachedThroughACap) {
  ScriptedServer server(answering_after(5ms));
  AttackOptions o = open_attack("100000/s", 0s);
  o.hits = 60;
  o.max_workers = 3;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().sent, 60u);
  EXPECT_LE(server.open_peak(), 3u);
  EXPECT_EQ(r.summary->limit, Limit::workers);
}

// The last hits of an exact count are shared out: no shard sits on a block of them while the workers of others stand idle.
TEST(ExactCount, SmallCountsUseAllWorkers) {
  ScriptedServer server(answering_after(150ms));
  AttackOptions o = closed_attack(8, 8);
  o.shards = 4;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.books().ok, 8u);
  EXPECT_EQ(server.open_peak(), 8u);
}

TEST(ClosedAttack, KeepsItsWorkersBusyAndNoMore) {
  for (const std::uint32_t shards : {1u, 3u}) {
    ScriptedServer server(answering_after(5ms));
    AttackOptions o = closed_attack(8, 200);
    o.shards = shards;
    o.max_connections = 8;
    const Ran r = attack(o, server.url());
    EXPECT_EQ(r.books().ok, 200u);
    EXPECT_EQ(server.open_peak(), 8u);
    EXPECT_LE(r.summary->connections.peak, 8u);
    EXPECT_EQ(server.accepted(), 8u);
  }
}

TEST(ClosedAttack, CapsConnectionsBelowItsWorkers) {
  ScriptedServer a(answering_after(2ms)), b(answering_after(2ms));
  for (const std::uint32_t shards : {1u, 2u}) {
    AttackOptions o = closed_attack(12, 120);
    o.max_connections = 4;
    o.shards = shards;
    const Ran one = attack(o, a.url());
    EXPECT_EQ(one.books().ok, 120u);
    const Ran two = attack(o, get({a.url(), b.url()}));
    EXPECT_EQ(two.books().ok, 120u);
    EXPECT_LE(a.open_peak(), 4u);
    EXPECT_LE(b.open_peak(), 4u);
  }
}

TEST(OpenAttack, CapsConnectionsOfEachRoute) {
  ScriptedServer a(answering_after(20ms)), b(answering_after(1ms));
  AttackOptions o = open_attack("1000/s", 300ms);
  o.max_connections = 3;
  o.shards = 2;
  const Ran r = attack(o, get({a.url(), b.url()}));
  EXPECT_LE(a.open_peak(), 3u);
  EXPECT_LE(b.open_peak(), 3u);
  EXPECT_EQ(r.books().scheduled, 300u);
  EXPECT_EQ(a.requests() + b.requests(), r.books().sent);
  EXPECT_EQ(r.summary->limit, Limit::connections);
}

// Hits of another route that leave on time don't hide what held the first one's back.
TEST(OpenAttack, NamesTheCapThatHeldOneRouteBack) {
  ScriptedServer slow(answering_after(300ms)), fast(answering());
  AttackOptions o = open_attack("200/s", 400ms);
  o.max_connections = 2;
  const Ran r = attack(o, get({slow.url(), fast.url(), fast.url()}));
  EXPECT_GT(r.books().missed, 10u);
  EXPECT_EQ(r.summary->limit, Limit::connections);
}

// Every pair of the flags that pace an attack ends, in time, with its books in order.
TEST(Pacing, EveryPairOfItsFlagsEnds) {
  ScriptedServer server(answering_after(3ms));
  using Change = std::pair<const char*, std::function<void(AttackOptions&)>>;
  const std::vector<Change> changes = {
      {"closed", [](auto& o) { o.shape = Shape::closed(), o.max_workers = std::min<std::uint64_t>(o.max_workers, 5); }},
      {"slow", [](auto& o) { o.shape = *parse_shape("30/s"); }},
      {"hits", [](auto& o) { o.hits = 17; }},
      {"none", [](auto& o) { o.catch_up.mode = CatchUp::Mode::none; }},
      {"percent", [](auto& o) { o.catch_up = {CatchUp::Mode::percent, 120}; }},
      {"one worker", [](auto& o) { o.max_workers = 1; }},
      {"one connection", [](auto& o) { o.max_connections = 1; }},
      {"no idle ones", [](auto& o) { o.connections = 0; }},
      {"no keep-alive", [](auto& o) { o.keep_alive = false; }},
      {"shards", [](auto& o) { o.shards = 3; }},
      {"no grace", [](auto& o) { o.grace = 0s; }},
      {"short timeout", [](auto& o) { o.timeout = 2ms; }},
      {"no timeout", [](auto& o) { o.timeout = 0s; }},
      {"no workers ready", [](auto& o) { o.workers = 0; }},
      {"no spin", [](auto& o) { o.spin = 0s; }},
      {"long spin", [](auto& o) { o.spin = 50ms; }},
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    for (std::size_t j = i; j < changes.size(); ++j) {
      SCOPED_TRACE(std::string(changes[i].first) + ", " + changes[j].first);
      AttackOptions o = open_attack("2000/s", 15ms);
      changes[i].second(o);
      changes[j].second(o);
      const Ran r = attack(o, server.url());
      EXPECT_LT(r.summary->sending, 10s);
    }
  }
}

TEST(Pacing, RunsThatEndAtOnceDoNotHang) {
  ScriptedServer server(answering());
  for (const Nanos duration : {Nanos(1), Nanos(1us), Nanos(1ms)}) {
    EXPECT_EQ(attack(open_attack("1/h", duration), server.url()).books().ok, 1u);
    AttackOptions closed = closed_attack(3, kUnlimited);
    closed.duration = duration;
    attack(closed, server.url());
  }
}

// The longest times that can be said are no times in the past.
TEST(Pacing, TakesTheLongestTimes) {
  ScriptedServer server(answering_after(5ms));
  for (const Nanos longest : {Nanos::max(), Nanos(INT64_MAX / 2), Nanos(INT64_MAX - 1'000'000'000)}) {
    AttackOptions o = open_attack("1000/s", longest);
    o.timeout = o.grace = longest;
    o.hits = 10;
    EXPECT_EQ(attack(o, server.url()).books().ok, 10u);
    AttackOptions closed = closed_attack(2, 10);
    closed.duration = closed.timeout = closed.grace = closed.dns_ttl = longest;
    EXPECT_EQ(attack(closed, server.url()).books().ok, 10u);
  }
}

// One shard or several: the same hits, the same answers.
TEST(Shards, AgreeOnWhatCameOfEachHit) {
  const auto by_path = [](const support::Seen& s) {
    const std::string path = s.target();
    const int n = std::stoi(path.substr(1));
    return support::response(n % 5 == 0 ? 503 : n % 7 == 0 ? 404 : 200, std::string(static_cast<std::size_t>(n), 'x'));
  };
  ScriptedServer server(Script().request().reply(by_path).again());
  std::vector<std::string> urls;
  for (int i = 1; i < 24; ++i) urls.push_back(server.url("/" + std::to_string(i)));
  std::vector<Target> targets = get(urls);
  targets.push_back(post(server.url("/24"), "a body"));
  for (const bool is_closed : {false, true}) {
    std::vector<Ran> runs;
    for (const std::uint32_t shards : {1u, 3u}) {
      AttackOptions o = is_closed ? closed_attack(6, 300) : open_hits("3000/s", 300);
      o.shards = shards;
      o.max_body = 10;
      o.capture_headers = true;
      runs.push_back(attack(o, targets));
      EXPECT_EQ(runs.back().summary->shards, shards);
    }
    ASSERT_EQ(runs[0].results.size(), 300u);
    ASSERT_EQ(runs[1].results.size(), 300u);
    for (std::size_t i = 0; i < 300; ++i) {
      const Kept &a = runs[0].results[i], &b = runs[1].results[i];
      EXPECT_EQ(a.seq, b.seq);
      EXPECT_EQ(a.method, b.method);
      EXPECT_EQ(a.url, b.url);
      EXPECT_EQ(a.code, b.code);
      EXPECT_EQ(a.error, b.error);
      EXPECT_EQ(a.bytes_in, b.bytes_in);
      EXPECT_EQ(a.bytes_out, b.bytes_out);
      EXPECT_EQ(a.body, b.body);
      EXPECT_EQ(a.headers, b.headers);
    }
    EXPECT_EQ(runs[0].books().ok, runs[1].books().ok);
  }
}

TEST(Options, ThatContradictThemselvesAreRefused) {
  const auto refused = [](const std::function<void(AttackOptions&)>& change) {
    AttackOptions o = open_attack("10/s", 1s);
    change(o);
    const auto made = Attacker::create(o, get({"http://127.0.0.1:1/"}));
    EXPECT_FALSE(made);
    return made ? std::string() : made.error().text;
  };
  EXPECT_THAT(refused([](auto& o) { o.shape = Shape::closed(); }), testing::HasSubstr("-max-workers"));
  EXPECT_THAT(refused([](auto& o) { o.max_workers = 0; }), testing::HasSubstr("-max-workers"));
  EXPECT_THAT(refused([](auto& o) { o.max_connections = 0; }), testing::HasSubstr("-max-connections"));
  EXPECT_THAT(refused([](auto& o) { o.catch_up = {CatchUp::Mode::percent, 0}; }), testing::HasSubstr("-catch-up"));
  EXPECT_THAT(refused([](auto& o) { o.tls.root_cert_files = {"/nowhere/ca.pem"}; }), testing::HasSubstr("/nowhere/ca.pem"));
  EXPECT_FALSE(Attacker::create(open_attack("10/s", 1s), std::vector<Target>{}));
  EXPECT_FALSE(Attacker::create(open_attack("10/s", 1s), get({"ftp://127.0.0.1/"})));
}

TEST(Attacker, RunsOnce) {
  ScriptedServer server(answering());
  const auto attacker = make_attacker(open_hits("100/s", 5), get({server.url()}));
  EXPECT_TRUE(run(*attacker).summary);
  EXPECT_FALSE(run(*attacker).summary);
  EXPECT_EQ(server.requests(), 5u);
}

}  // namespace
}  // namespace thrum::load
