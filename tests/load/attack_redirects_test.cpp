// Attacks on servers that redirect: one result per chain, whatever its end, and all of the hit's limits hold for the whole of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "attack_run.hpp"
#include "scripted_source.hpp"
#include "support/scripted_server.hpp"
#include "support/tls_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::response;
using support::Script;
using support::ScriptedServer;
using support::Seen;
using testing::ElementsAre;
using testing::Pair;

std::string to(const std::string& location, int status = 302, std::string_view body = "moved") {
  return response(status, body, "Location: " + location + "\r\n");
}

// Answers by path; what is not in the map is 200 "ok".
Script site(std::map<std::string, std::string> answers) {
  return Script()
      .request()
      .reply([answers = std::move(answers)](const Seen& seen) {
        const auto found = answers.find(seen.target());
        return found == answers.end() ? response(200, "ok") : found->second;
      })
      .again();
}

std::vector<std::string> lines_of(const ScriptedServer& server) {
  std::vector<std::string> lines;
  for (const Seen& s : server.seen()) lines.push_back(s.method() + " " + s.target());
  return lines;
}

TEST(AttackRedirects, AreFollowedToTheirEnd) {
  ScriptedServer server(site({{"/a", to("/b")}, {"/b", to("c?d", 301)}}));
  AttackOptions o = closed_attack(1, 3);
  o.capture_headers = true;
  o.max_body = -1;
  const Ran r = attack(o, {Target{"POST", server.url("/a"), {}, std::make_shared<const std::string>("form")}});
  ASSERT_EQ(r.results.size(), 3u);
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.code, 200);
    EXPECT_EQ(k.method, "POST");
    EXPECT_EQ(k.url, server.url("/a"));
    EXPECT_EQ(k.bytes_out, 4u);
    EXPECT_EQ(k.bytes_in, 2u);
    EXPECT_EQ(k.redirects, 2);
    EXPECT_EQ(k.body, "ok");
    EXPECT_THAT(k.headers, ElementsAre(Pair("Content-Length", "2")));  // those of the last response alone
  }
  EXPECT_EQ(r.summary->redirects, 6u);
  EXPECT_EQ(r.summary->connections.opened, 1u);
  const auto seen = server.seen();
  ASSERT_EQ(seen.size(), 9u);
  EXPECT_EQ(seen[0].method() + " " + seen[0].target() + " " + seen[0].body(), "POST /a form");
  EXPECT_EQ(seen[1].method() + " " + seen[1].target() + " " + seen[1].body(), "GET /b ");
  EXPECT_EQ(seen[2].method() + " " + seen[2].target() + " " + seen[2].body(), "GET /c?d ");
  EXPECT_EQ(seen[8].header("X-Thrum-Seq"), "2");
  EXPECT_EQ(seen[8].header("Referer"), server.url("/b"));
}

struct Ending {
  std::string name, location;
  std::int32_t redirects;
  Outcome outcome;
  int code, seen_status, followed;
  std::string error;
};

class Endings : public testing::TestWithParam<Ending> {};

TEST_P(Endings, HaveTheirResults) {
  const Ending& c = GetParam();
  ScriptedServer server(
      site({{"/", to(c.location)}, {"/1", to("/2")}, {"/2", to("/3")}, {"/loop", to("/loop")}, {"/404", response(404, "err")}}));
  AttackOptions o = closed_attack(1, 2);
  o.redirects = c.redirects;
  const Ran r = attack(o, server.url());
  ASSERT_EQ(r.results.size(), 2u);
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.outcome, c.outcome);
    EXPECT_EQ(k.code, c.code);
    EXPECT_EQ(k.seen_status, c.seen_status);
    EXPECT_EQ(k.redirects, c.followed);
    EXPECT_EQ(k.error, c.error);
  }
  EXPECT_EQ(server.requests(), 2u * static_cast<std::size_t>(1 + c.followed));
}

Ending whole(std::string name, std::string location, std::int32_t redirects, int code, int followed, std::string error = "") {
  const Outcome outcome = error.empty() ? Outcome::ok : Outcome::bad_status;
  return {std::move(name), std::move(location), redirects, outcome, code, code, followed, std::move(error)};
}
Ending failed(std::string name, std::string location, std::int32_t redirects, int followed, std::string error) {
  return {std::move(name), std::move(location), redirects, Outcome::redirect, 0, 302, followed, "redirect: " + std::move(error)};
}

INSTANTIATE_TEST_SUITE_P(Chains, Endings,
                         testing::Values(whole("not_followed", "/1", -1, 302, 0),
                                         failed("none_allowed", "/1", 0, 0, "stopped after 0 redirects"),
                                         failed("one_too_many", "/1", 2, 2, "stopped after 2 redirects"),
                                         whole("as_many_as_allowed", "/1", 3, 200, 3),
                                         failed("loop", "/loop", 10, 10, "stopped after 10 redirects"), whole("nowhere", "", 10, 302, 0),
                                         whole("to_an_error", "/404", 10, 404, 1, "404 Word"),
                                         failed("bad_url", "http://[::1", 10, 0, "bad URL \"http://[::1\": missing ']' in host"),
                                         failed("other_scheme", "ftp://x/", 10, 0,
                                                "bad URL \"ftp://x/\": unsupported protocol scheme \"ftp\", only http and https are sent"),
                                         failed("too_long", std::string(9000, 'x'), 10, 0, "a Location longer than 8 KiB")),
                         [](const auto& i) { return i.param.name; });

TEST(AttackRedirects, SendTheBodyAgainWhereTheStatusSaysSo) {
  ScriptedServer server(site({{"/a", to("/b", 307)}, {"/b", to("/c", 308)}}));
  AttackOptions o = closed_attack(1, 1);
  Ran r = attack(o, {post(server.url("/a"), "body")});
  EXPECT_EQ(r.results[0].code, 200);
  EXPECT_EQ(r.results[0].bytes_out, 4u);
  for (const Seen& s : server.seen()) EXPECT_EQ(s.method() + s.body(), "POSTbody");
  EXPECT_EQ(server.requests(), 3u);
}

TEST(AttackRedirects, LeadToOtherHosts) {
  ScriptedServer end(site({}));
  ScriptedServer start(site({{"/a", to(end.url("/there"))}}));
  AttackOptions o = closed_attack(2, 20);
  const Ran r = attack(o, {Target{"GET", start.url("/a"), {{"Cookie", "a=b"}, {"Host", "mine"}}, nullptr}});
  EXPECT_EQ(r.count_code(200), 20u);
  EXPECT_EQ(start.requests(), 20u);
  EXPECT_EQ(end.requests(), 20u);
  EXPECT_LE(end.accepted(), 2u);
  for (const Seen& s : start.seen()) EXPECT_EQ(s.header("Host"), "mine");
  for (const Seen& s : end.seen()) {
    EXPECT_EQ(s.header("Host"), end.authority());
    EXPECT_EQ(s.count_header("Cookie"), 0u);
  }
}

TEST(AttackRedirects, ToWhereNobodyListensNameThat) {
  support::RefusingPort nobody;
  ScriptedServer server(site({{"/", to(nobody.url())}}));
  const Ran r = attack(closed_attack(1, 3), server.url());
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.outcome, Outcome::connect);
    EXPECT_EQ(k.error, "connect: connection refused");
    EXPECT_EQ(k.url, server.url());
    EXPECT_EQ(k.redirects, 1);
    EXPECT_EQ(k.code, 0);
  }
}

TEST(AttackRedirects, ToTlsLoadWhatThatNeeds) {
  support::TlsServer secure(support::make_certificate({"127.0.0.1"}));
  ScriptedServer server(site({{"/", to(secure.url())}}));
  AttackOptions o = closed_attack(1, 2);
  o.tls.verify = false;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.count_code(200), 2u);
  EXPECT_NE(r.results[0].tls, Result::kNone);
  EXPECT_EQ(r.results[1].tls, Result::kNone);
}

// The connection that brought the redirect can't carry the next request.
TEST(AttackRedirects, OnAConnectionThatCloses) {
  for (const char* closing : {"Connection: close\r\n", ""}) {
    ScriptedServer server([&](std::size_t) {
      return Script()
          .request()
          .reply([&](const Seen& s) {
            return s.target() == "/" ? response(302, "", std::string("Location: /o\r\n") + closing) : response(200, "ok", closing);
          })
          .close();
    });
    AttackOptions o = closed_attack(2, 10);
    o.max_connections = 2;
    const Ran r = attack(o, server.url());
    EXPECT_EQ(r.count_code(200), 10u) << r.results[0].error;
    EXPECT_EQ(server.requests(), 20u);
  }
}

TEST(AttackRedirects, UntilCloseBodiesAreFollowedToo) {
  ScriptedServer server([](std::size_t) {
    return Script()
        .request()
        .reply([](const Seen& s) {
          return s.target() == "/" ? "HTTP/1.0 302 Found\r\nLocation: /o\r\n\r\nuntil the end" : response(200, "ok");
        })
        .close();
  });
  AttackOptions o = closed_attack(1, 4);
  o.max_connections = 1;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.count_code(200), 4u);
}

TEST(AttackRedirects, TheTimeoutIsForTheWholeChain) {
  ScriptedServer server(Script().request().pause(60ms).bytes(to("/loop")).again());
  AttackOptions o = closed_attack(1, 2);
  o.timeout = 150ms;
  const Ran r = attack(o, server.url());
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.outcome, Outcome::timeout);
    EXPECT_GE(k.redirects, 1);
    EXPECT_LT(k.redirects, 10);
  }
}

// A slot in flight is held from the first request to the last response; so is the latency measured.
TEST(AttackRedirects, HoldTheirWorkerAndTheirLatency) {
  ScriptedServer server(Script()
                            .request()
                            .reply([](const Seen& s) { return s.target() == "/" ? to("/o") : std::string(); })
                            .request()
                            .pause(50ms)
                            .bytes(response(200, "ok"))
                            .again());
  AttackOptions o = closed_attack(1, 3);
  const Ran r = attack(o, server.url());
  EXPECT_EQ(server.open_peak(), 1u);
  for (const Kept& k : r.results) {
    EXPECT_GE(k.latency, 50ms);
    EXPECT_GE(k.first_byte, 50ms);  // of the response that counts
    EXPECT_GT(k.redirecting, 0ms);
    EXPECT_LE(k.redirecting + 50ms, k.first_byte);
  }
  EXPECT_THAT(lines_of(server), ElementsAre("GET /", "GET /o", "GET /", "GET /o", "GET /", "GET /o"));
}

TEST(AttackRedirects, KeepToTheCapsOfTheOtherHost) {
  ScriptedServer end(support::answering_after(5ms));
  ScriptedServer start(site({{"/", to(end.url())}}));
  AttackOptions o = closed_attack(8, 64);
  o.max_connections = 2;
  const Ran r = attack(o, start.url());
  EXPECT_EQ(r.count_code(200), 64u);
  EXPECT_LE(end.open_peak(), 2u);
  EXPECT_LE(start.open_peak(), 2u);
}

TEST(AttackRedirects, AKeptConnectionThatWentStaleIsTriedOnceMore) {
  ScriptedServer end(Script().answer().request().close());
  ScriptedServer start(site({{"/", to(end.url())}}));
  const Ran r = attack(closed_attack(1, 6), start.url());
  EXPECT_EQ(r.count_code(200), 6u);
  EXPECT_EQ(r.summary->connections.stale_retries, 5u);
}

TEST(AttackRedirects, OfLazyTargets) {
  ScriptedServer server(site({{"/a", to("/b")}, {"/c", to("/loop")}, {"/loop", to("/loop", 307)}}));
  const std::vector<Target> targets = {post(server.url("/a"), "x"), {"GET", server.url("/ok"), {}, nullptr}, post(server.url("/c"), "y")};
  AttackOptions o = closed_attack(2, kUnlimited);
  const Ran r = attack(o, std::make_unique<ScriptedSource>([&targets](std::uint64_t i) -> Expected<std::optional<Target>> {
                         return i < targets.size() ? std::optional(targets[i]) : std::nullopt;
                       }));
  ASSERT_EQ(r.results.size(), 3u);
  EXPECT_EQ(r.count_code(200), 2u);
  EXPECT_EQ(r.count(Outcome::redirect), 1u);
  EXPECT_EQ(r.summary->redirects, 11u);
}

// A server that leads to ever another host, or none that can be: memory and connections stay bounded, each hit has its result.
TEST(AttackRedirects, ToEverAnotherHostEndSomewhere) {
  std::atomic<int> number{0};
  ScriptedServer server(
      Script().request().reply([&](const Seen&) { return to("http://127.0.0.1:1/" + std::to_string(number++)); }).again());
  AttackOptions o = closed_attack(4, 3000);
  Ran r = attack(o, server.url());
  EXPECT_EQ(r.count(Outcome::connect), 3000u);

  std::atomic<int> other{1};
  ScriptedServer ever(Script()
                          .request()
                          .reply([&](const Seen&) {
                            const int n = other++;
                            return to("http://127.1." + std::to_string(n / 250) + "." + std::to_string(n % 250 + 1) + ":1/");
                          })
                          .again());
  r = attack(o, ever.url());
  EXPECT_EQ(r.count(Outcome::connect), 1024u);
  EXPECT_EQ(r.count(Outcome::redirect), 3000u - 1024u);
  EXPECT_EQ(r.results.back().error, "redirect: to more than 1024 other hosts");
}

TEST(AttackRedirects, AreCutLikeAnyOther) {
  ScriptedServer server(Script().request().reply([](const Seen& s) { return s.target() == "/" ? to("/hang") : std::string(); }).again());
  AttackOptions o = open_attack("100", 50ms);
  o.grace = 50ms;
  const Ran r = attack(o, server.url());
  EXPECT_EQ(r.count(Outcome::cut), 5u);
  for (const Kept& k : r.results) EXPECT_EQ(k.redirects, 1);
}

TEST(AttackRedirects, FromManyShards) {
  ScriptedServer end(site({}));
  ScriptedServer start(site({{"/", to(end.url("/1"))}, {"/1", to("/2")}}));
  AttackOptions o = closed_attack(6, 600);
  o.shards = 3;
  const Ran r = attack(o, start.url());
  EXPECT_EQ(r.count_code(200), 600u);
  EXPECT_EQ(r.summary->redirects, 600u);
}

}  // namespace
}  // namespace thrum::load
