// What a shard's record holds and says: captures and their budget, claims, words.
#include "load/record.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <set>

#include "load/collector.hpp"
#include "load/plan.hpp"

namespace thrum::load {
namespace {

using testing::HasSubstr;
using testing::Pair;

std::span<const char> bytes(std::string_view s) { return {s.data(), s.size()}; }

TEST(Capture, KeepsWhatItIsAskedTo) {
  std::atomic<std::int64_t> shared{0};
  {
    Capture all(true, -1, shared);
    all.on_header("A", "1");
    all.on_header("A", "2");
    all.on_body(bytes("hello "));
    all.on_body(bytes("world"));
    EXPECT_THAT(all.headers, testing::ElementsAre(Pair("A", "1"), Pair("A", "2")));
    EXPECT_EQ(all.body, "hello world");
    EXPECT_EQ(shared, 15);

    Capture some(false, 7, shared);
    some.on_header("A", "1");
    some.on_body(bytes("hello "));
    some.on_body(bytes("world"));
    some.on_body(bytes("!"));
    EXPECT_TRUE(some.headers.empty());
    EXPECT_EQ(some.body, "hello w");
    EXPECT_FALSE(some.was_truncated) << "the user's own bound is not a shortage";
    EXPECT_EQ(shared, 22);
  }
  EXPECT_EQ(shared, 0);
}

TEST(Capture, IsCutShortWhenTheSharedBudgetIsUsedUp) {
  std::atomic<std::int64_t> shared{Capture::kMostInFlight - 8};
  {
    Capture capture(true, -1, shared);
    capture.on_header("Name", "val");
    EXPECT_FALSE(capture.was_truncated);
    capture.on_body(bytes("12345"));
    EXPECT_TRUE(capture.was_truncated);
    EXPECT_EQ(capture.body, "1");
    capture.on_header("Name", "val");
    EXPECT_EQ(capture.headers.size(), 1u);
    EXPECT_EQ(shared, Capture::kMostInFlight);
  }
  EXPECT_EQ(shared, Capture::kMostInFlight - 8);
}

// A hit that is sent again starts anew; what its first answer had used is given back.
TEST(Capture, GivesItsShareBackWhenCleared) {
  std::atomic<std::int64_t> shared{0};
  Capture capture(true, -1, shared);
  capture.on_header("A", "1");
  capture.on_body(bytes("12345"));
  capture.clear();
  EXPECT_TRUE(capture.headers.empty());
  EXPECT_TRUE(capture.body.empty());
  EXPECT_EQ(shared, 0);
}

TEST(Claims, CoverEachNumberOnce) {
  for (const std::uint64_t total : {0ul, 1ul, 15ul, 16ul, 17ul, 1000ul}) {
    Claims claims(total, 3);
    std::set<std::uint64_t> seen;
    for (auto block = claims.claim(); block.count > 0; block = claims.claim())
      for (std::uint64_t i = 0; i < block.count; ++i) EXPECT_TRUE(seen.insert(block.first + i).second);
    EXPECT_EQ(seen.size(), total);
    EXPECT_TRUE(seen.empty() || *seen.rbegin() == total - 1);
    EXPECT_EQ(claims.claim().count, 0u);
  }
}

TEST(Claims, AreSharedOutTowardsTheEnd) {
  Claims few(8, 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(few.claim().count, 1u);
  Claims many(100'000, 8), endless(kUnlimited, kUnlimited), one_by_one(100'000, 8);
  EXPECT_EQ(many.claim().count, 16u);
  EXPECT_GE(endless.claim().count, 1u);
  EXPECT_EQ(one_by_one.claim(1).count, 1u);
}

TEST(Shares, AddUpToTheWhole) {
  for (const std::uint64_t whole : {1ul, 5ul, 8ul, 9ul, 1000ul}) {
    for (const std::uint32_t shards : {1u, 2u, 3u, 4u}) {
      std::uint64_t sum = 0;
      for (std::uint32_t k = 0; k < shards; ++k) sum += share_of(whole, k, shards);
      EXPECT_EQ(sum, whole);
    }
  }
  EXPECT_EQ(share_of(kUnlimited, 1, 3), kUnlimited);
}

TEST(Routes, AreOnePerSchemeHostAndPort) {
  Routes routes{AttackOptions{}};
  const auto intern = [&](const char* url) { return routes.intern(*http::parse_url(url)); };
  const Route* first = intern("http://127.0.0.1:81/a");
  EXPECT_FALSE(routes.has_tls());
  EXPECT_EQ(intern("http://127.0.0.1:81/b?c"), first);
  EXPECT_EQ(intern("http://user:pw@127.0.0.1:81/"), first);
  EXPECT_NE(intern("http://127.0.0.1:82/"), first);
  EXPECT_NE(intern("https://127.0.0.1:81/"), first);
  EXPECT_TRUE(routes.has_tls());
  EXPECT_EQ(intern("http://LOCALHOST/"), intern("http://localhost:80/"));
  EXPECT_EQ(intern("http://[::1]:81/")->endpoint.host, "::1");
  EXPECT_EQ(routes.size(), 5u);
}

// What HTTP/2 needs of a request costs memory per target.
TEST(Routes, SayWhetherRequestsNeedAFormForHttp2) {
  const auto has_form = [](const char* url, bool http2, bool h2c) {
    AttackOptions o;
    o.http2 = http2, o.h2c = h2c;
    Routes routes{o};
    Request request{.prepared = *http::prepare({"GET", url, {}, nullptr}, {})};
    set_route(request, routes.intern(request.prepared.url));
    return !request.prepared.http2.is_empty();
  };
  EXPECT_FALSE(has_form("http://h.test/", true, false));
  EXPECT_TRUE(has_form("http://h.test/", true, true));
  EXPECT_TRUE(has_form("https://h.test/", true, false));
  EXPECT_FALSE(has_form("https://h.test/", false, false));
}

TEST(Routes, Http2GoesThroughAProxyThatTakesRequestsOtherwise) {
  AttackOptions o;
  o.proxy.url = "http://p.test:3128";
  const auto route = [&] { return *Routes{o}.intern(*http::parse_url("http://h.test/")); };
  EXPECT_TRUE(route().takes_whole_urls);
  EXPECT_FALSE(route().way.tunnel);
  o.h2c = true;
  EXPECT_FALSE(route().takes_whole_urls);
  EXPECT_TRUE(route().way.tunnel);
}

class Words : public testing::Test {
 protected:
  Words() {
    route_.endpoint = {"example.test", 81, false, {}};
    request_.route = &route_;
    record_.request = &request_;
    record_.route = &route_;
  }
  std::string words() const { return describe(record_, Nanos(1'500'000'000)); }

  Route route_;
  Request request_;
  Record record_;
};

TEST_F(Words, AreNoneForASuccess) { EXPECT_EQ(words(), ""); }

TEST_F(Words, AreTheStatusLinesForABadStatus) {
  record_.outcome = Outcome::bad_status;
  record_.status = 503;
  EXPECT_EQ(words(), "503 Service Unavailable");
  const std::string own = "Gone fishing";
  record_.reason = &own;
  EXPECT_EQ(words(), "503 Gone fishing");
  record_.reason = nullptr;
  record_.status = 799;
  EXPECT_EQ(words(), "799");
}

TEST_F(Words, NameThePhaseThatTookTooLong) {
  record_.outcome = Outcome::timeout;
  std::set<std::string> all;
  for (const Waiting w : {Waiting::for_connection, Waiting::for_name, Waiting::for_connect, Waiting::for_handshake, Waiting::for_sending,
                          Waiting::for_headers, Waiting::for_rest_of_headers, Waiting::for_body, Waiting::for_rest_of_body}) {
    record_.waiting = w;
    EXPECT_THAT(words(), testing::StartsWith("timeout: "));
    EXPECT_THAT(words(), HasSubstr("within 1.5s"));
    EXPECT_TRUE(all.insert(words()).second) << words();
  }
}

TEST_F(Words, TellACutAnswerFromABrokenConnection) {
  record_.outcome = Outcome::truncated;
  record_.parse_error = http::ParseError::truncated;
  EXPECT_EQ(words(), "response: connection closed before the end of the response");
  record_.parse_error = http::ParseError::empty;
  EXPECT_EQ(words(), "response: connection closed before the response");
  record_.fault = net::Fault::os(net::Fault::Phase::receive, ECONNRESET);
  EXPECT_EQ(words(), "receive: connection reset by peer");
}

TEST_F(Words, SayWhatThePhasesOfConnectingSaid) {
  record_.outcome = Outcome::connect;
  record_.fault = net::Fault::os(net::Fault::Phase::connect, ECONNREFUSED);
  EXPECT_EQ(words(), "connect: connection refused");
  record_.outcome = Outcome::client_limit;
  record_.fault = net::Fault::os(net::Fault::Phase::client, EMFILE);
  EXPECT_THAT(words(), HasSubstr("too many open files"));
  record_.outcome = Outcome::cut;
  EXPECT_THAT(words(), testing::StartsWith("cut: "));
}

}  // namespace
}  // namespace thrum::load
