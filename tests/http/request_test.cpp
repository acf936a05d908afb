#include "http/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/version.hpp"
#include "table.hpp"

namespace thrum::http {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string wire_of(const PreparedRequest& request, std::uint64_t sequence = 0) {
  std::string wire(request.head.size() + kSequenceRoom, '?');
  wire.resize(render_head(request, sequence, wire.data()));
  return wire + std::string(request.body_bytes());
}

void replace_all(std::string& s, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size()) s.replace(at, from.size(), to);
}

// A request in a form that leaves out what may differ: the order of the headers, and the names by which a tool is known.
std::vector<std::string> comparable(std::string wire) {
  replace_all(wire, "X-Vegeta-", "X-Thrum-");
  replace_all(wire, "Go-http-client/1.1", "thrum/" + std::string(kVersion));
  const std::size_t end = wire.find("\r\n\r\n");
  std::vector<std::string> lines{wire.substr(std::min(end + 4, wire.size()))};  // the body
  for (std::size_t at = 0; at < end;) {
    const std::size_t next = std::min(wire.find("\r\n", at), end);
    lines.push_back(wire.substr(at, next - at));
    at = next + 2;
  }
  std::sort(lines.begin() + 2, lines.end());
  return lines;
}

std::vector<std::pair<std::string, std::string>> headers_of(const json& list) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const json& h : list) {
    headers.emplace_back(test::bytes_of(h[0]), test::bytes_of(h[1]));
    replace_all(headers.back().first, "X-Vegeta-", "X-Thrum-");
    replace_all(headers.back().first, "x-vegeta-", "x-thrum-");
  }
  return headers;
}

Expected<PreparedRequest> prepare_row(const json& row) {
  Target target;
  target.method = row["method"];
  target.url = test::bytes_of(row["url"]);
  target.headers = headers_of(row["headers"]);
  if (row.contains("body")) target.body = std::make_shared<const std::string>(test::bytes_of(row["body"]));
  RequestDefaults defaults;
  defaults.attack_name = row.value("attack", "");
  defaults.keep_alive = row.value("keep_alive", true);
  defaults.headers = headers_of(row.value("every_target", json::array()));
  std::string body = test::bytes_of(row.value("every_body", ""));
  if (row.contains("every_body_repeat"))
    for (int i = 0; i < row["every_body_repeat"][1]; ++i) body += row["every_body_repeat"][0];
  if (!body.empty()) defaults.body = std::make_shared<const std::string>(std::move(body));
  return prepare(target, defaults);
}

TEST(Request, AsRecordedFromVegetaOrBetterForAReason) {
  int rows = 0;
  for (const json& row : test::read_table("requests.json")) {
    SCOPED_TRACE(row["name"]);
    ++rows;
    const Expected<PreparedRequest> request = prepare_row(row);
    const json& wire = row.contains("ours") ? row["ours"] : row.contains("wire") ? row["wire"] : json();
    if (wire.is_null()) {
      EXPECT_FALSE(request);
      continue;
    }
    ASSERT_TRUE(request) << request.error().text;
    std::string expected = test::bytes_of(wire);
    if (row.contains("wire_repeat"))
      for (int i = 0; i < row["wire_repeat"][1]; ++i) expected += row["wire_repeat"][0];
    EXPECT_EQ(comparable(wire_of(*request)), comparable(expected));
  }
  EXPECT_GT(rows, 100);
}

Target target_of(std::string method, std::vector<std::pair<std::string, std::string>> headers, std::string url = "http://h/") {
  Target t;
  t.method = std::move(method);
  t.url = std::move(url);
  t.headers = std::move(headers);
  return t;
}

PreparedRequest prepared(const Target& target, const RequestDefaults& defaults = {}) {
  Expected<PreparedRequest> request = prepare(target, defaults);
  EXPECT_TRUE(request) << request.error().text;
  return request ? std::move(*request) : PreparedRequest{};
}

const std::string kAgent = "User-Agent: thrum/" + std::string(kVersion) + "\r\n";

TEST(Request, HeadersStandAsTheUserWroteThem) {
  RequestDefaults defaults;
  defaults.attack_name = "first try";
  defaults.headers = {{"X-Z", "1"}, {"x-gone", "flag"}, {"X-Z", "2"}};
  const PreparedRequest request = prepared(target_of("GET", {{"b_B", "3"}, {"X-Gone", "a"}, {"A", "4"}, {"x-GONE", "b"}}), defaults);
  EXPECT_EQ(wire_of(request, 7), "GET / HTTP/1.1\r\nHost: h\r\n" + kAgent +
                                     "X-Z: 1\r\nX-Z: 2\r\nb_B: 3\r\nX-Gone: a\r\nA: 4\r\nx-GONE: b\r\n"
                                     "Accept-Encoding: gzip\r\nX-Thrum-Attack: first try\r\nX-Thrum-Seq: 7\r\n\r\n");
}

TEST(Request, TheSequenceNumberHasRoomForAllItsDigits) {
  const PreparedRequest request = prepared(target_of("GET", {}));
  EXPECT_THAT(wire_of(request, UINT64_MAX), testing::EndsWith("X-Thrum-Seq: 18446744073709551615\r\n\r\n"));
}

TEST(Request, OneHostLineTheUsersInAnyCase) {
  for (const char* name : {"Host", "host", "HOST"}) {
    const std::string wire = wire_of(prepared(target_of("GET", {{name, "me.test:1"}, {"hOST", "other"}})));
    EXPECT_THAT(wire, HasSubstr("\r\nHost: me.test:1\r\n"));
    EXPECT_THAT(wire, Not(HasSubstr("other")));
    EXPECT_EQ(wire.find("me.test", wire.find("me.test") + 1), std::string::npos);
  }
  EXPECT_THAT(wire_of(prepared(target_of("GET", {{"Host", ""}}))), HasSubstr("\r\nHost: h\r\n"));
}

TEST(Request, AnEmptyValueRemovesADefaultAndIsSentOtherwise) {
  RequestDefaults defaults;
  defaults.keep_alive = false;
  const PreparedRequest request =
      prepared(target_of("GET", {{"user-agent", ""}, {"accept-encoding", " "}, {"Connection", ""}, {"authorization", ""}, {"X-E", ""}},
                         "http://u:p@h/"),
               defaults);
  EXPECT_EQ(wire_of(request), "GET / HTTP/1.1\r\nHost: h\r\nX-E: \r\nX-Thrum-Seq: 0\r\n\r\n");
  EXPECT_TRUE(request.asks_close);
}

TEST(Request, AValueReplacesADefault) {
  const std::string wire =
      wire_of(prepared(target_of("GET", {{"user-AGENT", "me"}, {"Accept-encoding", "br"}, {"authorization", "x"}}, "http://u:p@h/")));
  EXPECT_EQ(wire, "GET / HTTP/1.1\r\nHost: h\r\nuser-AGENT: me\r\nAccept-encoding: br\r\nauthorization: x\r\nX-Thrum-Seq: 0\r\n\r\n");
}

TEST(Request, AnyMethodCarriesABody) {
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"}) {
    Target target = target_of(method, {});
    target.body = std::make_shared<const std::string>("he\0\r\n", 5);
    const std::string wire = wire_of(prepared(target));
    EXPECT_THAT(wire, HasSubstr("\r\nContent-Length: 5\r\n")) << method;
    EXPECT_THAT(wire, testing::EndsWith(std::string("\r\n\r\nhe\0\r\n", 9))) << method;
  }
}

TEST(Request, ChunkedBodiesHaveNoLength) {
  RequestDefaults defaults;
  defaults.chunked = true;
  Target target = target_of("POST", {});
  target.body = std::make_shared<const std::string>("hello");
  const PreparedRequest request = prepared(target, defaults);
  EXPECT_TRUE(request.is_chunked);
  EXPECT_THAT(request.head, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_THAT(request.head, Not(HasSubstr("Content-Length")));
  // Where there is no body there is nothing to be sent in chunks.
  const PreparedRequest none = prepared(target_of("POST", {}), defaults);
  EXPECT_FALSE(none.is_chunked);
  EXPECT_THAT(none.head, HasSubstr("\r\nContent-Length: 0\r\n"));
  EXPECT_THAT(prepared(target_of("GET", {}), defaults).head, Not(HasSubstr("Transfer-Encoding")));
}

TEST(Request, CompressionIsAskedForUnlessItIsNotWanted) {
  RequestDefaults defaults;
  defaults.compression = false;
  EXPECT_THAT(prepared(target_of("GET", {}), defaults).head, Not(HasSubstr("Accept-Encoding")));
  EXPECT_THAT(prepared(target_of("GET", {{"accept-encoding", "br"}}), defaults).head, HasSubstr("\r\naccept-encoding: br\r\n"));
}

TEST(Request, OnlyABodyWaitsForContinue) {
  Target target = target_of("POST", {{"expect", "100-Continue"}});
  EXPECT_FALSE(prepared(target).expects_continue);
  target.body = std::make_shared<const std::string>("hello");
  EXPECT_TRUE(prepared(target).expects_continue);
  target.headers[0].second = "something-else";
  EXPECT_FALSE(prepared(target).expects_continue);
}

TEST(Request, AnEmptyBodyIsSaidOnlyWhereOneIsExpected) {
  Target target = target_of("PUT", {});
  target.body = std::make_shared<const std::string>();
  EXPECT_THAT(wire_of(prepared(target)), HasSubstr("\r\nContent-Length: 0\r\n"));
  target.method = "DELETE";
  EXPECT_THAT(wire_of(prepared(target)), Not(HasSubstr("Content-Length")));
}

TEST(Request, ATargetsOwnBodyWins) {
  RequestDefaults defaults;
  defaults.body = std::make_shared<const std::string>("every");
  Target target = target_of("POST", {});
  EXPECT_EQ(prepared(target, defaults).body_bytes(), "every");
  target.body = std::make_shared<const std::string>("own");
  EXPECT_EQ(prepared(target, defaults).body_bytes(), "own");
}

TEST(Request, FramingAndIdentityAreOurs) {
  RequestDefaults defaults;
  defaults.attack_name = "n";
  const std::string wire = wire_of(prepared(
      target_of(
          "POST",
          {{"content-length", "3"}, {"Transfer-encoding", "chunked"}, {"TRAILER", "X"}, {"x-thrum-seq", "9"}, {"x-thrum-attack", "m"}}),
      defaults));
  EXPECT_EQ(wire, "POST / HTTP/1.1\r\nHost: h\r\n" + kAgent +
                      "Content-Length: 0\r\nAccept-Encoding: gzip\r\nX-Thrum-Attack: n\r\nX-Thrum-Seq: 0\r\n\r\n");
  EXPECT_THAT(wire_of(prepared(target_of("GET", {{"x-thrum-attack", "m"}}))), HasSubstr("\r\nx-thrum-attack: m\r\n"));
}

TEST(Request, KnowsWhenTheConnectionEndsWithIt) {
  EXPECT_FALSE(prepared(target_of("GET", {})).asks_close);
  EXPECT_FALSE(prepared(target_of("GET", {{"Connection", "keep-alive"}})).asks_close);
  EXPECT_TRUE(prepared(target_of("GET", {{"connection", "x, Close"}})).asks_close);
  RequestDefaults defaults;
  defaults.keep_alive = false;
  const PreparedRequest request = prepared(target_of("GET", {}), defaults);
  EXPECT_TRUE(request.asks_close);
  EXPECT_THAT(wire_of(request), HasSubstr("\r\nConnection: close\r\n"));
}

TEST(Request, OnlyWhatIsSafeMayBeSentTwice) {
  for (const char* method : {"GET", "HEAD", "OPTIONS", "TRACE"}) EXPECT_TRUE(prepared(target_of(method, {})).is_idempotent) << method;
  for (const char* method : {"POST", "PUT", "DELETE", "get", "PURGE"})
    EXPECT_FALSE(prepared(target_of(method, {})).is_idempotent) << method;
  EXPECT_TRUE(prepared(target_of("POST", {{"idempotency-key", "1"}})).is_idempotent);
  EXPECT_TRUE(prepared(target_of("POST", {{"X-Idempotency-Key", "1"}})).is_idempotent);
}

TEST(Request, ConnectWithoutAPathAsksForTheHost) {
  EXPECT_THAT(wire_of(prepared(target_of("CONNECT", {}, "http://h:8080"))),
              testing::StartsWith("CONNECT h:8080 HTTP/1.1\r\nHost: h:8080\r\n"));
  EXPECT_THAT(wire_of(prepared(target_of("CONNECT", {}, "http://h:8080/"))), testing::StartsWith("CONNECT / HTTP/1.1\r\n"));
}

TEST(Request, AsksForWhatTheTargetSaysInsteadOfItsUrl) {
  Target target = target_of("OPTIONS", {}, "http://a.test:81/path?query");
  target.request_target = "*";
  const auto asked = prepare(target, {});
  ASSERT_TRUE(asked);
  EXPECT_THAT(asked->head, testing::StartsWith("OPTIONS * HTTP/1.1\r\nHost: a.test:81\r\n"));
  for (const std::string_view bad : {"a b", "/\r\nX: y", "/\x7f"}) {
    target.request_target = bad;
    EXPECT_FALSE(prepare(target, {})) << bad;
  }
}

TEST(Request, WhatCannotBeSentIsToldInOneLine) {
  const struct {
    Target target;
    const char* says;
  } rows[] = {
      {target_of("G T", {}), "\"G T\" is not a method"},
      {target_of("", {}), "is not a method"},
      {target_of("GET\r\n", {}), "is not a method"},
      {target_of("GET", {{"X Y", "v"}}), "\"X Y\" is not a header name"},
      {target_of("GET", {{"", "v"}}), "is not a header name"},
      {target_of("GET", {{"X:", "v"}}), "is not a header name"},
      {target_of("GET", {{"X-\xc3\xa9", "v"}}), "is not a header name"},
      {target_of("GET", {{"X", "a\r\nY: b"}}), "value of header X holds a control character"},
      {target_of("GET", {{"X", std::string("a\0b", 3)}}), "value of header X holds a control character"},
      {target_of("GET", {{"Host", "a\nb"}}), "value of header Host holds a control character"},
      {target_of("GET", {}, "http://[::1"), "bad URL \"http://[::1\""},
  };
  for (const auto& row : rows) {
    const Expected<PreparedRequest> request = prepare(row.target, {});
    ASSERT_FALSE(request) << row.says;
    EXPECT_THAT(request.error().text, HasSubstr(row.says));
    EXPECT_EQ(request.error().text.find_first_of("\r\n"), std::string::npos);
  }
  RequestDefaults defaults;
  defaults.attack_name = "a\nb";
  EXPECT_FALSE(prepare(target_of("GET", {}), defaults));
  defaults = {};
  defaults.headers = {{"a b", "c"}};
  EXPECT_FALSE(prepare(target_of("GET", {}), defaults));
}

}  // namespace
}  // namespace thrum::http
