// The server core over loopback, in simulated time, with handlers made for each test and with the demo site where it will do.
#include "serve/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>

#include "loop.hpp"

namespace thrum::serve {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kGet16 = "GET /bytes/16 HTTP/1.1\r\nHost: t\r\n\r\n";

std::string get(std::string_view path, std::string_view headers = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n" + std::string(headers) + "\r\n";
}
std::string post(std::string_view path, std::string_view headers, std::string_view body) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n" + std::string(headers) + "\r\n" + std::string(body);
}
std::string post_length(std::string_view path, std::string_view body) {
  return post(path, "Content-Length: " + std::to_string(body.size()) + "\r\n", body);
}

// A handler that is a function.
class Scripted final : public Handler {
 public:
  explicit Scripted(std::function<void(Ticket, const Request&)> f) : f_(std::move(f)) {}
  void handle(Ticket ticket, const Request& request) override { f_(ticket, request); }

 private:
  std::function<void(Ticket, const Request&)> f_;
};
auto scripted(std::function<void(Ticket, const Request&)> f) {
  return [f = std::move(f)](net::Timers&) { return std::make_unique<Scripted>(f); };
}

TEST(Server, AnswersOneRequestAfterAnotherOnOneConnection) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  const std::string first = c.ask(kGet16), second = c.ask(kGet16);
  EXPECT_THAT(first, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 16\r\nDate: "));
  EXPECT_THAT(first, EndsWith(" GMT\r\n\r\nThe quick brown "));
  EXPECT_EQ(first, second);
  EXPECT_EQ(loop.counters().connections_total.get(), 1u);
  EXPECT_EQ(loop.counters().requests.get(), 2u);
  EXPECT_EQ(loop.counters().responses.get(), 2u);
  EXPECT_EQ(loop.counters().bytes_in.get(), 2 * kGet16.size());
  EXPECT_EQ(loop.counters().bytes_out.get(), 2 * first.size());
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  std::string requests;
  for (int n = 0; n < 200; ++n) requests += get("/status/" + std::to_string(200 + n));
  ASSERT_TRUE(c.send(requests));
  for (int n = 0; n < 200; ++n) ASSERT_EQ(status_of(c.read_response()), 200 + n);
}

TEST(Server, TakesRequestsCutAtAnyPoint) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  const std::string request = post("/echo", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n");
  for (std::size_t i = 1; i < request.size(); ++i) {
    ASSERT_TRUE(c.send(request.substr(0, i)));
    loop.turn();
    ASSERT_EQ(body_of(c.ask(request.substr(i) + request)), request) << i;
    ASSERT_EQ(body_of(c.read_response()), request) << i;
  }
  EXPECT_EQ(loop.server().bytes_buffered(), 0u);
}

TEST(Server, HoldsLaterRequestsUntilTheFirstIsAnswered) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  ASSERT_TRUE(c.send(get("/delay?ms=1000&bytes=3") + get("/status/201") + get("/delay?ms=1") + get("/status/202")));
  ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == 1; }));
  loop.turn();
  EXPECT_EQ(c.received(), "");
  loop.advance(std::chrono::seconds(1));
  EXPECT_EQ(body_of(c.read_response()), "The");
  EXPECT_EQ(status_of(c.read_response()), 201);
  loop.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(status_of(c.read_response()), 200);
  EXPECT_EQ(status_of(c.read_response()), 202);
}

TEST(Server, StopsReadingFromAClientWhoseAnswerIsOutstanding) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  ASSERT_TRUE(c.send(get("/delay?ms=1000")));
  ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == 1; }));
  std::string flood;
  while (flood.size() < 1 << 20) flood += kGet16;
  std::size_t taken = 0;
  for (int idle = 0; idle < 3 && taken < (64u << 20);) {
    const std::size_t n = c.push(flood);
    taken += n;
    idle = n == 0 ? idle + 1 : 0;
    loop.turn();
  }
  EXPECT_LT(taken, 64u << 20);
  EXPECT_LT(loop.server().bytes_buffered(), 256u << 10);
  EXPECT_EQ(loop.counters().requests.get(), 1u);
}

TEST(Server, HoldsBackAClientThatDoesNotRead) {
  Loop loop;
  loop.serve_demo();
  Client c(loop, 4096);
  const std::string request = get("/bytes/100000");
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += request;
  ASSERT_TRUE(c.send(requests));
  for (int i = 0; i < 20; ++i) loop.turn();
  const std::uint64_t begun = loop.counters().requests.get();
  EXPECT_LT(begun, 100u);
  EXPECT_LT(loop.server().bytes_buffered(), 256u << 10);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(body_of(c.read_response()).size(), 100'000u) << i;
}

TEST(Server, AnswersHeadWithoutABody) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  for (const char* path : {"/", "/api/products", "/bytes/100000", "/status/404", "/nowhere"}) {
    const std::string with = c.get(path);
    ASSERT_TRUE(c.send("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n\r\n"));
    const std::string without = c.read_response(true);
    EXPECT_EQ(without, with.substr(0, with.find("\r\n\r\n") + 4)) << path;
    EXPECT_EQ(c.received(), "");
  }
}

TEST(Server, SendsNoBodyWithStatusesThatHaveNone) {
  Loop loop;
  loop.serve(scripted([](Ticket t, const Request& r) { t.answer({.status = r.head.path == "/204" ? 204 : 304, .body = "no"}); }));
  Client c(loop);
  for (const char* path : {"/204", "/304"}) {
    const std::string response = c.get(path);
    EXPECT_THAT(response, Not(HasSubstr("Content-")));
    EXPECT_THAT(response, EndsWith("\r\n\r\n"));
  }
}

TEST(Server, SpeaksHttp10) {
  Loop loop;
  loop.serve_demo();
  {
    Client c(loop);
    EXPECT_THAT(c.ask("GET /bytes/16 HTTP/1.0\r\n\r\n"), HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_TRUE(c.is_closed());
  }
  {
    Client c(loop);
    const std::string request = "GET /bytes/16 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    EXPECT_THAT(c.ask(request), HasSubstr("\r\nConnection: keep-alive\r\n"));
    EXPECT_EQ(body_of(c.ask(request)).size(), 16u);
  }
  {
    Client c(loop);  // no chunks: the body ends with the connection
    ASSERT_TRUE(c.send("GET /chunked/2 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    const std::string response = c.read_to_end();
    EXPECT_THAT(response, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_EQ(body_of(response), "The quick brown The quick brown ");
  }
}

TEST(Server, ClosesWhenAskedTo) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  EXPECT_THAT(c.ask(get("/bytes/16", "Connection: close\r\n")), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(c.is_closed());
  EXPECT_EQ(loop.counters().connections_open.get(), 0u);
}

TEST(Server, IgnoresWhatFollowsAClose) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  ASSERT_TRUE(c.send(get("/close") + kGet16 + kGet16));
  EXPECT_THAT(c.read_to_end(), EndsWith("goodbye\n"));
  EXPECT_TRUE(c.is_closed());
  EXPECT_EQ(loop.counters().requests.get(), 1u);
}

TEST(Server, AnswersAHalfClosedClient) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  ASSERT_TRUE(c.send(get("/delay?ms=1000&bytes=3") + get("/status/201")));
  c.finish_sending();
  ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == 1; }));
  loop.advance(std::chrono::seconds(1));
  EXPECT_EQ(body_of(c.read_response()), "The");
  EXPECT_EQ(status_of(c.read_response()), 201);
  EXPECT_TRUE(c.is_closed());
  EXPECT_TRUE(loop.until([&] { return loop.counters().connections_open.get() == 0; }));
}

struct Refusal {
  const char* name;
  std::string request;
  int status;
};

TEST(Server, RefusesWhatIsNoRequestAndCloses) {
  const Refusal refusals[] = {
      {"malformed", "nonsense\r\n\r\n", 400},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"head too large", "GET / HTTP/1.1\r\nHost: t\r\nX: " + std::string(200'000, 'x'), 431},
      {"body too large", post("/echo", "Content-Length: 16777217\r\n", std::string(100'000, 'x')), 413},
      {"body too large, chunked", post("/echo", "Transfer-Encoding: chunked\r\n", "1000001\r\n" + std::string(100'000, 'x')), 413},
      {"gzip", post("/echo", "Transfer-Encoding: gzip\r\n", "x"), 501},
      {"expectation", post("/echo", "Expect: x\r\n", ""), 417},
      {"version", "GET / HTTP/2.0\r\nHost: t\r\n\r\n", 505},
      {"bad chunk", post("/status/200", "Transfer-Encoding: chunked\r\n", "z\r\n"), 400},
  };
  Loop loop;
  loop.serve_demo();
  std::uint64_t refused = 0;
  for (const Refusal& r : refusals) {
    SCOPED_TRACE(r.name);
    Client c(loop);
    ASSERT_TRUE(c.send(kGet16 + r.request));
    EXPECT_EQ(status_of(c.read_response()), 200);
    const std::string response = c.read_response();
    EXPECT_EQ(status_of(response), r.status);
    EXPECT_THAT(response, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_TRUE(c.is_closed());  // and not reset, though it was not all read
    EXPECT_EQ(loop.counters().malformed.get(), ++refused);
  }
  loop.advance(std::chrono::seconds(3));
  EXPECT_EQ(loop.counters().connections_open.get(), 0u);
  EXPECT_EQ(loop.server().bytes_buffered(), 0u);
}

TEST(Server, AsksForABodyThatWaitsToBeAskedFor) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  const std::string head = post("/echo", "Content-Length: 5\r\nExpect: 100-continue\r\n", "");
  EXPECT_EQ(c.ask(head), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(body_of(c.ask("hello")), head + "hello");
  EXPECT_EQ(body_of(c.ask(head + "hello")), head + "hello");  // it is coming: nobody needs to ask
  EXPECT_EQ(status_of(c.ask(post("/echo", "Content-Length: 99999999\r\nExpect: 100-continue\r\n", ""))), 413);
  EXPECT_TRUE(c.is_closed());
}

TEST(Server, ReadsOverABodyNobodyWants) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  const std::string body(40 << 20, 'x');
  EXPECT_EQ(status_of(c.ask(post_length("/status/200", body))), 200);
  EXPECT_EQ(status_of(c.ask(kGet16)), 200);
  EXPECT_EQ(loop.counters().bytes_in.get(), kGet16.size() + post_length("/status/200", body).size());
}

TEST(Server, BoundsTheBytesOfAllUnfinishedRequests) {
  Loop loop;
  loop.serve_demo({}, {.max_buffered = 1 << 20});
  Client a(loop), b(loop);
  const std::string part(700'000, 'x');
  ASSERT_TRUE(a.send(post("/echo", "Content-Length: 800000\r\n", part)));
  ASSERT_TRUE(loop.until([&] { return loop.server().bytes_buffered() > 700'000; }));
  ASSERT_TRUE(b.send(post("/echo", "Content-Length: 800000\r\n", part)));
  EXPECT_EQ(status_of(b.read_response()), 503);
  EXPECT_TRUE(b.is_closed());
  EXPECT_EQ(status_of(a.ask(std::string(100'000, 'x'))), 200);
}

// ---- time ----

TEST(Server, ClosesIdleConnections) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  c.ask(kGet16);
  loop.advance(std::chrono::seconds(59));
  loop.turn();
  EXPECT_EQ(loop.counters().connections_open.get(), 1u);
  c.ask(kGet16);
  loop.advance(std::chrono::seconds(59));
  EXPECT_EQ(loop.counters().connections_open.get(), 1u);
  loop.advance(std::chrono::seconds(2));
  EXPECT_TRUE(c.is_closed());
  EXPECT_EQ(c.received(), "");
  EXPECT_EQ(loop.counters().timed_out.get(), 1u);
}

TEST(Server, GivesAHeadItsTimeFromItsFirstByteOn) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  ASSERT_TRUE(c.send("GET / HTTP/1.1\r\n"));
  ASSERT_TRUE(loop.until([&] { return loop.counters().bytes_in.get() == 16; }));
  for (int i = 0; i < 4; ++i) {  // a byte now and then does not help
    loop.advance(std::chrono::seconds(3));
    c.push("x");
    loop.turn();
  }
  EXPECT_EQ(status_of(c.read_response()), 408);
  EXPECT_TRUE(c.is_closed());
}

TEST(Server, GivesABodyTimeAsLongAsItComes) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  ASSERT_TRUE(c.send(post("/echo", "Content-Length: 5\r\n", "")));
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t before = loop.counters().bytes_in.get();
    ASSERT_TRUE(c.send("x"));
    ASSERT_TRUE(loop.until([&] { return loop.counters().bytes_in.get() > before; }));
    loop.advance(std::chrono::seconds(20));
  }
  EXPECT_EQ(c.received(), "");
  loop.advance(std::chrono::seconds(31));
  EXPECT_EQ(status_of(c.read_response()), 408);
  EXPECT_TRUE(c.is_closed());
}

TEST(Server, ResetsAClientThatNeverReads) {
  Loop loop;
  loop.serve_demo();
  Client c(loop, 4096);
  ASSERT_TRUE(c.send(get("/bytes/100000000")));
  ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == 1; }));
  for (int i = 0; i < 10; ++i) loop.turn();
  loop.advance(std::chrono::seconds(61));
  loop.advance(std::chrono::seconds(61));
  EXPECT_EQ(loop.counters().connections_open.get(), 0u);
  EXPECT_EQ(loop.counters().timed_out.get(), 1u);
  EXPECT_EQ(loop.counters().in_progress.get(), 0u);
  EXPECT_FALSE(c.is_closed());
  EXPECT_EQ(c.error(), ECONNRESET);
}

TEST(Server, WaitsForAHandlerAsLongAsItTakes) {
  Loop loop;
  loop.serve_demo();
  Client c(loop);
  ASSERT_TRUE(c.send(get("/delay?ms=3600000")));
  ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == 1; }));
  for (int i = 0; i < 60; ++i) loop.advance(std::chrono::minutes(1));
  EXPECT_EQ(status_of(c.read_response()), 200);
}

// ---- tickets ----

TEST(Server, ATicketIsWorthNothingOnceAnsweredOrGone) {
  Loop loop;
  std::vector<Ticket> tickets;
  loop.serve(scripted([&](Ticket t, const Request&) { tickets.push_back(t); }));
  Client a(loop);
  auto b = std::make_unique<Client>(loop);
  ASSERT_TRUE(a.send(get("/")));
  ASSERT_TRUE(loop.until([&] { return tickets.size() == 1; }));
  ASSERT_TRUE(b->send(get("/")));
  ASSERT_TRUE(loop.until([&] { return tickets.size() == 2; }));

  EXPECT_TRUE(tickets[0].is_waiting());
  EXPECT_TRUE(tickets[0].answer({.body = "a"}));
  EXPECT_FALSE(tickets[0].is_waiting());
  EXPECT_FALSE(tickets[0].answer({.body = "again"}));
  EXPECT_EQ(body_of(a.read_response()), "a");

  b->reset();
  ASSERT_TRUE(loop.until([&] { return !tickets[1].is_waiting(); }));
  EXPECT_EQ(loop.counters().in_progress.get(), 0u);
  Client c(loop);  // takes the slot
  ASSERT_TRUE(c.send(get("/")));
  ASSERT_TRUE(loop.until([&] { return tickets.size() == 3; }));
  EXPECT_FALSE(tickets[1].answer({.body = "late"}));
  EXPECT_TRUE(tickets[2].answer({.body = "c"}));
  EXPECT_EQ(body_of(c.read_response()), "c");
  EXPECT_EQ(loop.counters().requests.get(), 3u);
  EXPECT_EQ(loop.counters().responses.get(), 2u);
}

// One request's handler answers another connection's, while the first connection's output is only half made.
TEST(Server, AnswersOfDifferentConnectionsDoNotMix) {
  Loop loop;
  std::optional<Ticket> waiting;
  loop.serve(scripted([&](Ticket t, const Request& r) {
    if (r.head.path == "/wait") {
      waiting = t;
      return;
    }
    if (r.head.path == "/release") waiting->answer({.body = "released"});
    t.answer({.body = r.head.path});
  }));
  Client a(loop), b(loop);
  ASSERT_TRUE(a.send(get("/wait") + get("/after")));
  ASSERT_TRUE(loop.until([&] { return waiting.has_value(); }));
  ASSERT_TRUE(b.send(get("/one") + get("/release") + get("/two")));
  for (const char* body : {"/one", "/release", "/two"}) EXPECT_EQ(body_of(b.read_response()), body);
  for (const char* body : {"released", "/after"}) EXPECT_EQ(body_of(a.read_response()), body);
}

TEST(Server, SurvivesAResetInEachPhase) {
  Loop loop;
  loop.serve_demo();
  for (const std::string& request : {std::string("GET / HT"), post("/echo", "Content-Length: 100\r\n", "abc"), get("/delay?ms=60000"),
                                     get("/bytes/100000000"), get("/chunked/100000000"), get("/close") + "rest"}) {
    Client c(loop, 4096);
    ASSERT_TRUE(c.send(request));
    for (int i = 0; i < 3; ++i) loop.turn();
    c.reset();
    for (int i = 0; i < 3; ++i) loop.turn();
  }
  loop.advance(std::chrono::seconds(61));
  loop.advance(std::chrono::seconds(61));
  EXPECT_EQ(loop.counters().connections_open.get(), 0u);
  EXPECT_EQ(loop.counters().in_progress.get(), 0u);
  EXPECT_EQ(loop.server().bytes_buffered(), 0u);
  Client c(loop);
  EXPECT_EQ(status_of(c.ask(kGet16)), 200);
}

TEST(Server, ClosesAllWhenItGoes) {
  Loop loop;
  loop.serve_demo();
  Client a(loop), b(loop);
  a.ask(kGet16);
  ASSERT_TRUE(b.send(get("/delay?ms=1000")));
  ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == 2; }));
  loop.server().close();
  EXPECT_TRUE(a.is_closed());
  EXPECT_TRUE(b.is_closed());
  EXPECT_EQ(loop.counters().connections_open.get(), 0u);
}

// ---- streams ----

// Says what it is given, and waits when it has nothing.
class Feed final : public BodySource {
 public:
  struct Script {
    std::deque<Piece> pieces;
    bool gone = false;
  };
  explicit Feed(Script& script) : script_(script) {}
  ~Feed() override { script_.gone = true; }
  Piece next() override {
    if (script_.pieces.empty()) return {};
    const Piece p = script_.pieces.front();
    script_.pieces.pop_front();
    return p;
  }
  std::string_view trailers() override { return "X-Sum: 7\r\n"; }

 private:
  Script& script_;
};

std::span<const char> bytes_of(std::string_view s) { return s; }

class Streaming : public testing::Test {
 protected:
  void serve(std::optional<std::uint64_t> length = {}) {
    loop.serve(scripted([this, length](Ticket t, const Request& r) {
      if (r.head.path != "/stream") {
        t.answer({.body = "other"});
        return;
      }
      ticket = t;
      t.answer({.stream = std::make_unique<Feed>(script), .stream_length = length});
    }));
  }
  Loop loop;
  Feed::Script script;
  std::optional<Ticket> ticket;
};

TEST_F(Streaming, GoesOnWhenTheSourceHasMore) {
  serve();
  Client c(loop);
  ASSERT_TRUE(c.send(get("/stream") + get("/")));
  EXPECT_THAT(c.read_response(), HasSubstr("Transfer-Encoding: chunked"));
  script.pieces = {{bytes_of("hello"), false}, {bytes_of("you"), false}};
  ticket->resume();
  EXPECT_EQ(c.read(18), "5\r\nhello\r\n3\r\nyou\r\n");
  loop.turn();
  EXPECT_EQ(c.received(), "");
  EXPECT_TRUE(ticket->is_waiting());
  const std::string big(100'000, 'b');
  script.pieces = {{big, false}, {bytes_of("end"), true}};
  ticket->resume();
  const std::string rest = "186a0\r\n" + big + "\r\n3\r\nend\r\n0\r\nX-Sum: 7\r\n\r\n";
  EXPECT_EQ(c.read(rest.size()), rest);
  EXPECT_FALSE(ticket->is_waiting());
  EXPECT_TRUE(script.gone);
  EXPECT_EQ(body_of(c.read_response()), "other");
}

TEST_F(Streaming, EndsWithTheClient) {
  serve();
  Client c(loop);
  ASSERT_TRUE(c.send(get("/stream")));
  c.read_response();
  c.finish_sending();
  EXPECT_TRUE(loop.until([&] { return script.gone; }));
  EXPECT_FALSE(ticket->is_waiting());
  EXPECT_TRUE(c.is_closed());
}

TEST_F(Streaming, KeepsToTheLengthItAnnounced) {
  serve(7);
  Client c(loop);
  script.pieces = {{bytes_of("hello"), false}, {bytes_of("world"), false}};
  EXPECT_EQ(body_of(c.ask(get("/stream"))), "hellowo");
  EXPECT_TRUE(script.gone);
  EXPECT_EQ(body_of(c.ask(get("/"))), "other");
}

TEST_F(Streaming, CutsTheConnectionWhenItsSourceEndsEarly) {
  serve(7);
  Client c(loop);
  script.pieces = {{bytes_of("hello"), true}};
  ASSERT_TRUE(c.send(get("/stream")));
  EXPECT_FALSE(c.is_closed());
  EXPECT_EQ(c.error(), ECONNRESET);
  EXPECT_EQ(loop.counters().responses.get(), 0u);
  EXPECT_EQ(loop.counters().in_progress.get(), 0u);
}

TEST_F(Streaming, AsksNothingOfTheSourceForHead) {
  serve();
  Client c(loop);
  script.pieces = {{bytes_of("hello"), true}};
  ASSERT_TRUE(c.send("HEAD /stream HTTP/1.1\r\nHost: t\r\n\r\n"));
  EXPECT_THAT(c.read_response(true), HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(script.pieces.size(), 1u);
  EXPECT_EQ(body_of(c.ask(get("/"))), "other");
}

TEST(Server, SharesTurnsAmongStreams) {
  Loop loop;
  loop.serve_demo();
  Client a(loop), b(loop);
  ASSERT_TRUE(a.send(get("/bytes/1000000000")));
  ASSERT_TRUE(loop.until([&] { return a.received().size() > 1'000'000; }));
  EXPECT_EQ(status_of(b.ask(kGet16)), 200);
}

}  // namespace
}  // namespace thrum::serve
