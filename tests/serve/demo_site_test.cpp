// What each endpoint of the built-in target answers.
#include "serve/demo_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "loop.hpp"
#include "serve/pattern.hpp"

namespace thrum::serve {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string request_of(std::string_view method, std::string_view path, std::string_view body = "", std::string_view headers = "") {
  std::string r = std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n" + std::string(headers);
  if (!body.empty()) r += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return r + "\r\n" + std::string(body);
}

class Demo : public testing::Test {
 protected:
  void SetUp() override {
    loop.serve_demo();
    client = std::make_unique<Client>(loop);
  }
  std::string ask(std::string_view method, std::string_view path, std::string_view body = "", std::string_view headers = "") {
    return client->ask(request_of(method, path, body, headers));
  }
  Loop loop;
  std::unique_ptr<Client> client;
};

TEST_F(Demo, AnswersEachPathWithItsStatus) {
  const struct {
    const char *method, *path;
    int status;
  } cases[] = {
      {"GET", "/", 200},
      {"GET", "/?a=b", 200},
      {"POST", "/", 405},
      {"GET", "/api/products", 200},
      {"DELETE", "/api/products", 405},
      {"GET", "/api/login", 405},
      {"GET", "/api/me", 401},
      {"GET", "/status/200", 200},
      {"GET", "/status/299", 299},
      {"GET", "/status/404", 404},
      {"POST", "/status/503", 503},
      {"GET", "/status/599", 599},
      {"GET", "/status/600", 400},
      {"GET", "/status/99", 400},
      {"GET", "/status/101", 400},
      {"GET", "/status/", 400},
      {"GET", "/status/2x", 400},
      {"GET", "/status", 404},
      {"GET", "/bytes/0", 200},
      {"PUT", "/bytes/16", 200},
      {"GET", "/bytes/-1", 400},
      {"GET", "/bytes/99999999999999999999", 400},
      {"GET", "/delay?ms=0", 200},
      {"GET", "/delay", 400},
      {"GET", "/delay?ms=3600001", 400},
      {"GET", "/delay?ms=0&bytes=x", 400},
      {"GET", "/redirect/0", 200},
      {"GET", "/redirect/1?status=304", 400},
      {"GET", "/redirect/x", 400},
      {"GET", "/chunked/x", 400},
      {"GET", "/chunked/1?size=0", 400},
      {"GET", "/nowhere", 404},
      {"GET", "/api", 404},
      {"OPTIONS", "*", 404},
      {"GET", "/stats", 200},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.method) + " " + c.path);
    const std::string response = ask(c.method, c.path);
    EXPECT_EQ(status_of(response), c.status);
    EXPECT_EQ(response.find("Allow: ") != response.npos, c.status == 405);
    EXPECT_EQ(response.find("WWW-Authenticate: ") != response.npos, c.status == 401);
    if (c.status == 400) {
      EXPECT_TRUE(json::parse(body_of(response)).contains("error"));
    }
  }
}

TEST_F(Demo, ServesProductsIn803Bytes) {
  const std::string body = body_of(ask("GET", "/api/products"));
  EXPECT_EQ(body.size(), 803u);
  const json products = json::parse(body);
  EXPECT_EQ(products["products"].size(), products["total"].get<std::size_t>());
}

TEST_F(Demo, ListsWhatThereIs) {
  const json missing = json::parse(body_of(ask("GET", "/nowhere")));
  const std::string home = body_of(ask("GET", "/"));
  EXPECT_EQ(missing["paths"].size(), DemoSite::kRoutes);
  for (const auto& path : missing["paths"]) EXPECT_THAT(home, HasSubstr(path.get<std::string>() + " "));
}

TEST_F(Demo, SendsInterimStatusesBeforeAFinalOne) {
  EXPECT_EQ(ask("GET", "/status/103"), "HTTP/1.1 103 Early Hints\r\n\r\n");
  EXPECT_EQ(status_of(client->read_response()), 200);
}

TEST_F(Demo, CutsBytesFromOneText) {
  const std::string body = body_of(ask("GET", "/bytes/1000000"));
  ASSERT_EQ(body.size(), 1'000'000u);
  for (std::size_t i = 0; i < body.size(); i += 9973) ASSERT_EQ(body[i], pattern(64)[i % 64]) << i;
}

TEST_F(Demo, RedirectsRelatively) {
  for (const char* status : {"301", "302", "303", "307", "308"}) {
    std::string path = std::string("/redirect/2?status=") + status;
    for (int hop = 0; hop < 2; ++hop) {
      const std::string response = ask("GET", path);
      EXPECT_THAT(response, StartsWith(std::string("HTTP/1.1 ") + status));
      const std::size_t at = response.find("Location: ");
      ASSERT_NE(at, response.npos);
      path = response.substr(at + 10, response.find("\r\n", at) - at - 10);
    }
    EXPECT_EQ(status_of(ask("GET", path)), 200);
  }
}

TEST_F(Demo, SendsChunks) {
  ask("GET", "/chunked/2");
  const std::string chunk = "10\r\nThe quick brown \r\n";
  EXPECT_EQ(client->read(2 * chunk.size() + 5), chunk + chunk + "0\r\n\r\n");
  ask("GET", "/chunked/1?size=3&trailers=1");
  EXPECT_EQ(client->read(29), "3\r\nThe\r\n0\r\nX-Chunks: done\r\n\r\n");
  ask("GET", "/chunked/0");
  EXPECT_EQ(client->read(5), "0\r\n\r\n");
  EXPECT_EQ(client->received(), "");
}

TEST_F(Demo, EchoesTheRequestAsItCame) {
  const std::string request = request_of("PATCH", "/echo?x", std::string("a\0b", 3), "x-Odd:   Case  \r\n");
  EXPECT_EQ(body_of(client->ask(request)), request);
  const std::string big = request_of("POST", "/echo", std::string(5'000'000, 'x'));
  EXPECT_EQ(body_of(client->ask(big)), big);
  EXPECT_EQ(loop.server().bytes_buffered(), 0u);
}

TEST_F(Demo, GivesATokenAndKnowsItAgain) {
  const std::string login = R"({"user":"ada","password":"lovelace"})";
  ASSERT_EQ(login.size(), 36u);  // the manual says so
  const std::string answer = ask("POST", "/api/login", login);
  ASSERT_EQ(status_of(answer), 200);
  const std::string token = json::parse(body_of(answer))["token"];
  for (const char* scheme : {"Bearer ", "bearer  "})
    EXPECT_EQ(json::parse(body_of(ask("GET", "/api/me", "", "Authorization: " + std::string(scheme) + token + "\r\n")))["user"], "ada");
  std::string forged = token;
  forged[1] = forged[1] == '1' ? '2' : '1';
  for (const std::string& wrong :
       {forged, token.substr(0, token.size() - 1), token + "0", std::string("."), std::string("x"), std::string()}) {
    const std::string response = ask("GET", "/api/me", "", "Authorization: Bearer " + wrong + "\r\n");
    EXPECT_EQ(status_of(response), 401) << wrong;
    EXPECT_THAT(response, HasSubstr("\r\nWWW-Authenticate: Bearer\r\n"));
  }
  EXPECT_EQ(status_of(ask("GET", "/api/me", "", "Authorization: Basic " + token + "\r\n")), 401);
}

TEST_F(Demo, RefusesLoginsThatAreNone) {
  for (const std::string& body :
       {std::string(""), std::string("{"), std::string("[]"), std::string("user=ada"), std::string(R"({"user":"ada"})"),
        std::string(R"({"password":"x"})"), std::string(R"({"user":1,"password":"x"})"), std::string(R"({"user":"","password":"x"})"),
        std::string(R"({"user":"ada","password":""})"), R"({"user":")" + std::string(257, 'a') + R"(","password":"x"})",
        std::string("{\"user\":\"\xff\",\"password\":\"x\"}"), std::string(10'000, '[')})
    EXPECT_EQ(status_of(ask("POST", "/api/login", body)), 400) << body.substr(0, 80);
  EXPECT_EQ(status_of(ask("POST", "/api/login", std::string(20'000, ' '))), 413);
}

// Four workers, 25 ms each, first come first served.
TEST_F(Demo, ReportsTakeAWorkerTheirTime) {
  std::vector<std::unique_ptr<Client>> clients;
  for (std::uint64_t i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<Client>(loop));
    ASSERT_TRUE(clients.back()->send(request_of("GET", "/api/report")));
    ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == i + 1; }));
  }
  const auto answered = [&] {
    for (int i = 0; i < 3; ++i) loop.turn();
    int n = 0;
    for (auto& c : clients) n += c->received().empty() ? 0 : 1;
    return n;
  };
  loop.advance(std::chrono::milliseconds(24));
  EXPECT_EQ(answered(), 0);
  loop.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(answered(), 4);
  clients[5]->reset();  // nobody waits for that one any more: it takes no worker
  for (int i = 0; i < 3; ++i) loop.turn();
  loop.advance(std::chrono::milliseconds(25));
  EXPECT_EQ(answered(), 7);
  loop.advance(std::chrono::milliseconds(25));
  clients.erase(clients.begin() + 5);
  EXPECT_EQ(answered(), 9);
  for (auto& c : clients) EXPECT_EQ(json::parse(body_of(c->read_response()))["work_ms"], 25.0);
}

// A loop that comes round late does not lower the pool's capacity.
TEST_F(Demo, ReportsBeginWhenTheWorkerWasDue) {
  std::vector<std::unique_ptr<Client>> clients;
  for (std::uint64_t i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<Client>(loop));
    ASSERT_TRUE(clients.back()->send(request_of("GET", "/api/report")));
    ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == i + 1; }));
  }
  loop.advance(std::chrono::milliseconds(40));
  loop.advance(std::chrono::milliseconds(10));
  for (auto& c : clients) EXPECT_EQ(status_of(c->read_response()), 200);
}

TEST_F(Demo, DelaysAreIndependent) {
  std::vector<std::unique_ptr<Client>> clients;
  const int delays[] = {300, 100, 200, 100};
  for (const int ms : delays) {
    clients.push_back(std::make_unique<Client>(loop));
    ASSERT_TRUE(clients.back()->send(request_of("GET", "/delay?ms=" + std::to_string(ms) + "&bytes=5")));
  }
  ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() == 4; }));
  const auto answered = [&] {
    std::string which;
    for (int i = 0; i < 3; ++i) loop.turn();
    for (auto& c : clients) which += c->received().empty() ? '-' : '+';
    return which;
  };
  EXPECT_EQ(answered(), "----");
  loop.advance(std::chrono::milliseconds(100));
  EXPECT_EQ(answered(), "-+-+");
  loop.advance(std::chrono::milliseconds(100));
  EXPECT_EQ(answered(), "-+++");
  loop.advance(std::chrono::milliseconds(100));
  EXPECT_EQ(answered(), "++++");
  for (auto& c : clients) EXPECT_EQ(body_of(c->read_response()), "The q");
}

// Far more delayed requests than clients that still wait: the line forgets those that are gone.
TEST_F(Demo, ForgetsDelaysOfClientsThatAreGone) {
  for (int i = 0; i < 3000; ++i) {
    Client c(loop);
    const std::uint64_t before = loop.counters().requests.get();
    ASSERT_TRUE(c.send(request_of("GET", "/delay?ms=3600000")));
    ASSERT_TRUE(loop.until([&] { return loop.counters().requests.get() > before; }));
    c.reset();
    ASSERT_TRUE(loop.until([&] { return loop.counters().in_progress.get() == 0; }));
  }
  EXPECT_LE(loop.demo().delays_waiting(), 1024u);
}

TEST_F(Demo, TellsWhatItCounted) {
  ask("GET", "/bytes/16");
  ask("GET", "/bytes/17");
  ask("GET", "/nowhere");
  ask("POST", "/status/500", "xyz");
  const json stats = json::parse(body_of(ask("GET", "/stats")));
  EXPECT_EQ(stats["requests"], 5);
  EXPECT_EQ(stats["responses"], 4);
  EXPECT_EQ(stats["in_progress"], 1);
  EXPECT_EQ(stats["connections"]["open"], 1);
  EXPECT_EQ(stats["connections"]["total"], 1);
  EXPECT_EQ(stats["paths"]["/bytes/N"], 2);
  EXPECT_EQ(stats["paths"]["unknown"], 1);
  EXPECT_EQ(stats["statuses"], (json{{"200", 2}, {"404", 1}, {"500", 1}}));
  EXPECT_EQ(loop.demo().requests("/bytes/N"), 2u);
  EXPECT_EQ(loop.demo().unknown_paths(), 1u);
}

}  // namespace
}  // namespace thrum::serve
