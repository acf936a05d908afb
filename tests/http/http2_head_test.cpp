#include "http/http2_head.hpp"

#include <gmock/gmock.h>

#include "http/request.hpp"

namespace thrum::http {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> fields(const Target& target, const RequestDefaults& defaults = {}) {
  auto request = prepare(target, defaults);
  EXPECT_TRUE(request) << request.error().text;
  EXPECT_TRUE(request->http2.is_empty());  // made for routes that may need it
  add_http2_head(*request);
  const PreparedRequest moved = std::move(*request);  // places survive a move
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& f : moved.http2.fields) list.emplace_back(moved.http2.name(f), moved.http2.value(f));
  return list;
}

TEST(Http2Head, IsWhatHttp1WouldSend) {
  EXPECT_THAT(
      fields({"POST", "https://shop.test:8443/a?b=c#d", {{"X-Id", "7"}, {"Cookie", "a=b"}}, std::make_shared<const std::string>("body")}),
      ElementsAre(Pair(":method", "POST"), Pair(":path", "/a?b=c"), Pair(":scheme", "https"), Pair(":authority", "shop.test:8443"),
                  Pair("user-agent", testing::StartsWith("thrum/")), Pair("content-length", "4"), Pair("x-id", "7"), Pair("cookie", "a=b"),
                  Pair("accept-encoding", "gzip")));
}

TEST(Http2Head, LeavesOutWhatBelongsToAConnection) {
  const auto list = fields({"GET",
                            "http://h.test/",
                            {{"Connection", "close"},
                             {"Keep-Alive", "timeout=5"},
                             {"Proxy-Connection", "close"},
                             {"Upgrade", "websocket"},
                             {"HTTP2-Settings", "AAMAAABk"},
                             {"TE", "gzip"},
                             {"User-Agent", ""},
                             {"Accept-Encoding", ""}},
                            nullptr});
  EXPECT_THAT(list, ElementsAre(Pair(":method", "GET"), Pair(":path", "/"), Pair(":scheme", "http"), Pair(":authority", "h.test")));
}

TEST(Http2Head, TeMayAskForTrailers) {
  EXPECT_THAT(fields({"GET", "http://h.test/", {{"te", "trailers"}}, nullptr}), testing::Contains(Pair("te", "trailers")));
}

TEST(Http2Head, TheUsersHostIsTheAuthority) {
  const auto list = fields({"GET", "http://127.0.0.1:81/", {{"Host", "shop.test"}}, nullptr});
  EXPECT_THAT(list, testing::Contains(Pair(":authority", "shop.test")));
  EXPECT_THAT(list, testing::Not(testing::Contains(testing::Key("host"))));
}

TEST(Http2Head, EmptyValuesAndColonsInThem) {
  const auto list = fields({"GET", "http://h.test/", {{"X-Empty", ""}, {"X-Time", "10: 30: 00"}}, nullptr});
  EXPECT_THAT(list, testing::IsSupersetOf({Pair("x-empty", ""), Pair("x-time", "10: 30: 00")}));
}

// Frames say how long a body is and where it ends.
TEST(Http2Head, AChunkedBodyHasNoLength) {
  RequestDefaults chunked;
  chunked.chunked = true;
  const auto list = fields({"POST", "http://h.test/", {}, std::make_shared<const std::string>("body")}, chunked);
  EXPECT_THAT(list, testing::Not(testing::Contains(testing::Key("content-length"))));
  EXPECT_THAT(list, testing::Not(testing::Contains(testing::Key("transfer-encoding"))));
}

TEST(Http2Head, ConnectHasAnAuthorityAndNoPath) {
  EXPECT_THAT(fields({"CONNECT", "http://h.test:25", {{"User-Agent", ""}, {"Accept-Encoding", ""}}, nullptr}),
              ElementsAre(Pair(":method", "CONNECT"), Pair(":authority", "h.test:25")));
}

}  // namespace
}  // namespace thrum::http
