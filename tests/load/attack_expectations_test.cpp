// What users expect of responses, in an attack: what becomes of hits that meet it and of those that don't.
#include <gmock/gmock.h>

#include "attack_run.hpp"
#include "scripted_source.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using support::response;
using support::Script;
using support::ScriptedServer;
using support::Seen;
using testing::Pair;

// Answers each request so.
Script saying(std::string answer) {
  return Script().request().reply([answer = std::move(answer)](const Seen&) { return answer; }).again();
}

void expect(Expectations& e, std::string_view what, std::string_view text) { ASSERT_TRUE(add_expectation(what, text, e)) << text; }

TEST(AttackExpectations, DecideWhatIsASuccess) {
  ScriptedServer server(saying(response(404, "nothing")));
  AttackOptions o = closed_attack(2, 8);
  expect(o.expect, "status", "404");
  const Ran good = attack(o, get({server.url()}));
  EXPECT_EQ(good.books().ok, 8u);
  for (const Kept& k : good.results) {
    EXPECT_EQ(k.outcome, Outcome::expected);
    EXPECT_EQ(k.error, "");
    EXPECT_EQ(k.code, 404);
    EXPECT_EQ(k.bytes_in, 7u);
    EXPECT_FALSE(k.body);
  }
  o.expect.status = "200";
  const Ran bad = attack(o, get({server.url()}));
  EXPECT_EQ(bad.books().failed, 8u);
  for (const Kept& k : bad.results) {
    EXPECT_EQ(k.outcome, Outcome::expectation);
    EXPECT_EQ(k.error, "expectation: status is not 200");
    EXPECT_EQ(k.code, 404);
    EXPECT_EQ(k.bytes_in, 7u);
  }
}

TEST(AttackExpectations, OneSampleIsKept) {
  ScriptedServer server(saying(response(200, "it is down", "X-Why: tired\r\n")));
  AttackOptions o = closed_attack(1, 6);
  expect(o.expect, "body", "it is up");
  const Ran r = attack(o, get({server.url()}));
  std::size_t samples = 0;
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.error, "expectation: no \"it is up\" in the body");
    if (!k.body) continue;
    ++samples;
    EXPECT_EQ(*k.body, "it is down");
    EXPECT_THAT(k.headers, testing::Contains(Pair("X-Why", "tired")));
  }
  EXPECT_EQ(samples, 1u);
}

TEST(AttackExpectations, BesideWhatTheUserKeeps) {
  ScriptedServer server(saying(response(200, "{\"n\":1}")));
  AttackOptions o = closed_attack(1, 3);
  o.max_body = 4;
  expect(o.expect, "json", ".n=1");
  for (const Kept& k : attack(o, get({server.url()})).results) {
    EXPECT_EQ(k.outcome, Outcome::ok);
    EXPECT_EQ(k.body.value_or("none"), "{\"n\"");
  }
}

TEST(AttackExpectations, OfOneTargetAreItsOwn) {
  ScriptedServer server(saying(response(200, "a")));
  std::vector<Target> targets = get({server.url("/1"), server.url("/2"), server.url("/3")});
  expect(targets[1].expect, "body", "b");
  expect(targets[2].expect, "status", "404");
  const Ran r = attack(closed_attack(1, 6), targets);
  ASSERT_EQ(r.results.size(), 6u);
  for (const Kept& k : r.results) {
    const bool is_first = k.url.ends_with("/1");
    EXPECT_EQ(k.outcome, is_first ? Outcome::ok : Outcome::expectation);
    EXPECT_EQ(k.error, is_first ? "" : k.url.ends_with("/2") ? "expectation: no \"b\" in the body" : "expectation: status is not 404");
  }
}

// Each says something else, and goes when its hit is over.
TEST(AttackExpectations, OfLazyTargetsLiveAsLongAsTheyAreNeeded) {
  ScriptedServer server(saying(response(200, "7")));
  auto source = std::make_unique<ScriptedSource>([&](std::uint64_t n) -> std::optional<Target> {
    if (n == 40) return std::nullopt;
    Target target = target_of(server.url());
    target.expect.body = {std::to_string(n)};
    return target;
  });
  AttackOptions o = open_hits("2000/s", 40);
  const Ran r = attack(o, std::move(source));
  ASSERT_EQ(r.results.size(), 40u);
  for (const Kept& k : r.results) EXPECT_EQ(k.error, k.seq == 7 ? "" : "expectation: no \"" + std::to_string(k.seq) + "\" in the body");
}

TEST(AttackExpectations, AreHeldAgainstTheLastResponseOfAChain) {
  ScriptedServer server(Script()
                            .request()
                            .reply([](const Seen& seen) {
                              return seen.target() == "/to" ? response(200, "there") : response(302, "move", "Location: /to\r\nX-A: b\r\n");
                            })
                            .again());
  AttackOptions o = closed_attack(1, 2);
  expect(o.expect, "body", "there");
  expect(o.expect, "body", "!move");
  for (const Kept& k : attack(o, get({server.url("/from")})).results) EXPECT_EQ(k.error, "");
  expect(o.expect, "header", "X-A");
  for (const Kept& k : attack(o, get({server.url("/from")})).results) EXPECT_EQ(k.error, "expectation: no header X-A");
}

TEST(AttackExpectations, AnErrorOfTheServerComesFirst) {
  ScriptedServer server(saying(response(503, "busy")));
  AttackOptions o = closed_attack(1, 2);
  expect(o.expect, "body", "welcome");
  for (const Kept& k : attack(o, get({server.url()})).results) {
    EXPECT_EQ(k.outcome, Outcome::bad_status);
    EXPECT_EQ(k.error, "503 Word");
  }
}

TEST(AttackExpectations, ThatMakeNoSenseAreRefused) {
  AttackOptions o = closed_attack(1, 2);
  o.expect.size = "big";
  const auto made = Attacker::create(o, get({"http://127.0.0.1:1/"}));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text, "\"big\" is no size to expect: write it like 512, >0, <=1MB or 100-200");
}

}  // namespace
}  // namespace thrum::load
