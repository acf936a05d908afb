// What users say of responses to expect, and which responses meet it.
#include "thrum/expectation.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include "http/content_coding.hpp"
#include "http/response_check.hpp"

namespace thrum::http {
namespace {

// A response as a check sees it.
struct Sent {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

Expectations said(std::string_view what, std::string_view text) {
  Expectations e;
  const auto added = add_expectation(what, text, e);
  EXPECT_TRUE(added) << text << ": " << (added ? "" : added.error().text);
  return e;
}

void show(const Sent& sent, ResponseCheck& check) {
  for (const auto& [name, value] : sent.headers) check.on_header(name, value);
  // In pieces: a body comes as it pleases.
  for (std::size_t at = 0; at < sent.body.size(); at += 7) {
    const std::string piece = sent.body.substr(at, 7);
    check.on_body(piece);
  }
}

// The words for what is broken, "" if nothing is.
std::string broken(const Expectations& expectations, const Sent& sent) {
  const auto made = Expectation::make(expectations);
  if (!made) return "error: " + made.error().text;
  std::atomic<std::int64_t> in_flight{0};
  CheckRoom room;
  std::string words;
  {
    ResponseCheck check(in_flight);
    check.begin(**made, nullptr, true);
    show(sent, check);
    const auto verdict = check.judge(sent.status, sent.body.size(), room);
    words = verdict.broken == nullptr ? "" : *verdict.broken;
  }
  EXPECT_EQ(in_flight.load(), 0);
  return words;
}

std::string coded(const std::string& body, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(compressBound(body.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));  // NOLINT: zlib doesn't write there
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}
constexpr int kGzip = 31, kZlib = 15, kRaw = -15;

TEST(Expectation, OfAStatus) {
  EXPECT_EQ(broken(said("status", "200,404"), {.status = 404}), "");
  EXPECT_EQ(broken(said("status", "5xx"), {.status = 503}), "");
  EXPECT_EQ(broken(said("status", "200,404"), {.status = 204}), "expectation: status is not 200,404");
}

TEST(Expectation, OfAHeader) {
  const Sent sent{.headers = {{"Content-Type", "text/html; charset=utf-8"}, {"x-cache", "HIT"}, {"X-Cache", "warm"}}};
  for (const std::string_view holds : {"content-type", "Content-Type: text/*", "X-Cache: HIT", "X-Cache: warm",
                                       "Content-Type:~^text/(html|plain)", "x-cache:*", "Content-Type: *html*utf-8"})
    EXPECT_EQ(broken(said("header", holds), sent), "") << holds;
  EXPECT_EQ(broken(said("header", "X-Other"), sent), "expectation: no header X-Other");
  EXPECT_EQ(broken(said("header", "Content-Type: text"), sent), "expectation: no header Content-Type: text");
  EXPECT_EQ(broken(said("header", "X-Cache: hit"), sent), "expectation: no header X-Cache: hit");
  EXPECT_EQ(broken(said("header", "Content-Type: text.html*"), sent), "expectation: no header Content-Type: text.html*");
  EXPECT_EQ(broken(said("header", "Content-Type: ~json"), sent), "expectation: no header Content-Type: ~json");
}

TEST(Expectation, OfASize) {
  const Sent sent{.body = std::string(100, 'x')};
  for (const std::string_view holds : {"100", ">99", ">=100", "<101", "<=100", "100-200", "0-100", "<1KB", ">0"})
    EXPECT_EQ(broken(said("size", holds), sent), "") << holds;
  for (const std::string_view breaks : {"99", ">100", ">=101", "<100", "<=99", "101-200", "0", ">1KB"})
    EXPECT_EQ(broken(said("size", breaks), sent), "expectation: size of the body is not " + std::string(breaks));
}

TEST(Expectation, OfABody) {
  const Sent sent{.body = "<h1>Welcome, 17 guests!</h1>\n=end ~x"};
  for (const std::string_view holds : {"Welcome", "~guests?!", "~[0-9]+ guests", "!Error", "!~(?i)error", "==end", "=~x", "<h1>"})
    EXPECT_EQ(broken(said("body", holds), sent), "") << holds;
  EXPECT_EQ(broken(said("body", "welcome"), sent), "expectation: no \"welcome\" in the body");
  EXPECT_EQ(broken(said("body", "!Welcome"), sent), "expectation: there is \"Welcome\" in the body");
  EXPECT_EQ(broken(said("body", "~^Welcome"), sent), "expectation: body does not match ^Welcome");
  EXPECT_EQ(broken(said("body", "!~gue.ts"), sent), "expectation: body matches gue.ts");
  EXPECT_EQ(broken(said("body", "x"), {}), "expectation: no \"x\" in the body");
}

TEST(Expectation, OfJson) {
  const Sent sent{.body = R"({"status":"ok","n":3,"big":9007199254740993,"pi":3.5,"yes":true,"no":null,"id":"7","a b":{"c.d":1},
                              "list":[{"id":10},{"id":20}],"empty":"","nested":{"0":"zero"}})"};
  for (const std::string_view holds : {".status",
                                       "status=ok",
                                       ".status=\"ok\"",
                                       "$.status==ok",
                                       ".status!=down",
                                       ".status~^o",
                                       ".n=3",
                                       ".n=3.0",
                                       ".n>2",
                                       ".n>=3",
                                       ".n<4",
                                       ".n <= 3",
                                       ".n!=4",
                                       ".pi=3.5",
                                       ".yes=true",
                                       ".no=null",
                                       ".id=7",
                                       ".id=\"7\"",
                                       ".list[1].id=20",
                                       ".list.0.id=10",
                                       ".\"a b\".\"c.d\"=1",
                                       "$['a b'][\"c.d\"]=1",
                                       ".empty=",
                                       ".nested.0=zero",
                                       ".",
                                       ".list",
                                       ".big=9007199254740993",
                                       ".status=~ok|fine",
                                       ".n!=\"3\"",
                                       ".big!=9007199254740992"})
    EXPECT_EQ(broken(said("json", holds), sent), "") << holds;
  EXPECT_EQ(broken(said("json", ".status=down"), sent), "expectation: .status is not down");
  EXPECT_EQ(broken(said("json", ".other"), sent), "expectation: no .other in the JSON body");
  EXPECT_EQ(broken(said("json", ".n > 3"), sent), "expectation: .n is not >3");
  for (const std::string_view breaks :
       {".other!=1", ".list[2].id", ".list[0].id=20", ".status>1", ".n~3", ".yes=false", ".no=", ".id!=7", ".n=\"3\"", ".status.x", ".n.0"})
    EXPECT_THAT(broken(said("json", breaks), sent), testing::StartsWith("expectation: ")) << breaks;
  EXPECT_EQ(broken(said("json", ".a"), {.body = "<html>"}), "expectation: body is not JSON");
  EXPECT_EQ(broken(said("json", ".a"), {.body = ""}), "expectation: body is not JSON");
  EXPECT_EQ(broken(said("json", ".a=1"), {.body = "\xef\xbb\xbf{\"a\":1}"}), "");
  EXPECT_EQ(broken(said("json", "."), {.body = "17"}), "");
  EXPECT_EQ(broken(said("json", ".=17"), {.body = "17"}), "");
  EXPECT_EQ(broken(said("json", ".a"), {.body = std::string(5000, '[')}), "expectation: body is not JSON");
}

TEST(Expectation, TheFirstThatIsBrokenIsTold) {
  Expectations all = said("status", "200");
  ASSERT_TRUE(add_expectation("header", "A", all));
  ASSERT_TRUE(add_expectation("size", ">5", all));
  ASSERT_TRUE(add_expectation("body", "x", all));
  ASSERT_TRUE(add_expectation("json", ".y", all));
  EXPECT_EQ(broken(all, {.status = 500}), "expectation: status is not 200");
  EXPECT_EQ(broken(all, {}), "expectation: no header A");
  EXPECT_EQ(broken(all, {.headers = {{"a", ""}}}), "expectation: size of the body is not >5");
  EXPECT_EQ(broken(all, {.headers = {{"a", ""}}, .body = "abcdefgh"}), "expectation: no \"x\" in the body");
  EXPECT_EQ(broken(all, {.headers = {{"a", ""}}, .body = "abcxdefgh"}), "expectation: body is not JSON");
  EXPECT_EQ(broken(all, {.headers = {{"a", ""}}, .body = "{\"y\":\"x\"}"}), "");
}

TEST(Expectation, LooksBehindCodings) {
  const std::string body = R"({"status":"ok","text":")" + std::string(100'000, 'a') + "\"}";
  for (const auto& [coding, bits] : {std::pair("gzip", kGzip), {"GZIP", kGzip}, {"x-gzip", kGzip}, {"deflate", kZlib}, {"deflate", kRaw}})
    EXPECT_EQ(broken(said("json", ".status=ok"), {.headers = {{"Content-Encoding", coding}}, .body = coded(body, bits)}), "")
        << coding << bits;
  EXPECT_EQ(broken(said("body", "ok"), {.headers = {{"Content-Encoding", "identity"}}, .body = "ok"}), "");
  EXPECT_EQ(broken(said("body", "!x"), {.headers = {{"Content-Encoding", "gzip"}}}), "");  // none at all
  const std::string two = coded("first ", kGzip) + coded("second", kGzip);
  EXPECT_EQ(broken(said("body", "first second"), {.headers = {{"Content-Encoding", "gzip"}}, .body = two}), "");
  EXPECT_EQ(broken(said("body", "a"), {.headers = {{"Content-Encoding", "br"}}, .body = "a"}),
            "expectation: body is coded in a way that can't be looked into (gzip and deflate can)");
  for (const std::string& wrong : {std::string("plain"), coded(body, kGzip).substr(0, 60), coded(body, kGzip).substr(0, 5)})
    EXPECT_EQ(broken(said("body", "a"), {.headers = {{"Content-Encoding", "gzip"}}, .body = wrong}),
              "expectation: body is not coded as its Content-Encoding says");
}

TEST(Expectation, BombsAndGiantsAreNotFollowed) {
  const std::string bomb = coded(std::string(ResponseCheck::kLongestBody + 1, 'a'), kGzip);
  EXPECT_EQ(broken(said("body", "a"), {.headers = {{"Content-Encoding", "gzip"}}, .body = bomb}),
            "expectation: body is longer than the 8 MiB that can be looked into");
  std::atomic<std::int64_t> in_flight{0};
  ResponseCheck check(in_flight);
  const auto made = Expectation::make(said("body", "a"));
  check.begin(**made, nullptr, true);
  const std::string piece(1 << 20, 'a');
  for (int i = 0; i < 20; ++i) check.on_body(piece);
  EXPECT_LE(in_flight.load(), static_cast<std::int64_t>(ResponseCheck::kLongestBody));
  EXPECT_FALSE(check.wants_body());
  CheckRoom room;
  EXPECT_EQ(*check.judge(200, 20 << 20, room).broken, "expectation: body is longer than the 8 MiB that can be looked into");
  // What no memory is left for is our own fault.
  in_flight = ResponseCheck::kMostInFlight;
  ResponseCheck late(in_flight);
  late.begin(**made, nullptr, true);
  late.on_body(piece);
  EXPECT_TRUE(late.judge(200, piece.size(), room).is_ours);
  EXPECT_EQ(in_flight.load(), ResponseCheck::kMostInFlight);
  in_flight -= ResponseCheck::kMostInFlight;
}

TEST(Expectation, BodiesThatNobodyLooksAtMayBeDropped) {
  std::atomic<std::int64_t> in_flight{0};
  ResponseCheck check(in_flight);
  const auto made = Expectation::make(said("status", "200"));
  check.begin(**made, nullptr, true);
  EXPECT_TRUE(check.wants_body());  // for the sample
  check.on_body(std::string(ResponseCheck::kSampleBody, 'x'));
  EXPECT_FALSE(check.wants_body());
  EXPECT_TRUE((*made)->claim_sample());
  EXPECT_FALSE((*made)->claim_sample());
  check.begin(**made, nullptr, false);
  EXPECT_FALSE(check.wants_body());
}

TEST(Expectation, KeepsASample) {
  std::atomic<std::int64_t> in_flight{0};
  ResponseCheck check(in_flight);
  CheckRoom room;
  const auto made = Expectation::make(said("status", "404"));
  check.begin(**made, nullptr, true);
  show({.headers = {{"A", "b"}, {"Content-Encoding", "gzip"}}, .body = coded("what came", kGzip)}, check);
  EXPECT_THAT(check.headers(), testing::ElementsAre(testing::Pair("A", "b"), testing::Pair("Content-Encoding", "gzip")));
  EXPECT_EQ(check.sample_body(room), "what came");
  check.clear();
  EXPECT_TRUE(check.headers().empty());
  EXPECT_EQ(check.sample_body(room), "");
}

TEST(Expectation, ErrorsSayWhatWouldBeRight) {
  struct Case {
    std::string_view what, text, error;
  };
  for (const Case& c : {
           Case{"status", "9999", "bad status codes \"9999\": \"9999\" is not a code; write them like 200-399, 2xx or 200,204,404"},
           Case{"stauts", "200", "\"stauts\" can't be expected; did you mean \"status\"?"},
           Case{"latency", "200", "\"latency\" can't be expected; there are status, header, size, body, json"},
           Case{"status", " ", "nothing is said of the status to expect"},
           Case{"header", ": x", "\": x\" is no header to expect: write NAME, or NAME: VALUE as in \"Content-Type: text/*\""},
           Case{"header", "A: ~(", "\"(\" is no regular expression: missing ): ("},
           Case{"size", ">", "\">\" is no size to expect: write it like 512, >0, <=1MB or 100-200"},
           Case{"size", "200-100", "\"200-100\" is no size to expect: write it like 512, >0, <=1MB or 100-200"},
           Case{"size", "<0", "\"<0\" is no size to expect: write it like 512, >0, <=1MB or 100-200"},
           Case{"body", "!", "an empty text is in every body: give one, or ~REGEX, or !TEXT for one that must not be there"},
           Case{"body", "~[", "\"[\" is no regular expression: missing ]: ["},
           Case{"json", "=1", "\"=1\" has no path; write it like .status or .items[0].id"},
           Case{"json", ".a[x]", "the path of \".a[x]\" has brackets without a number or a key in quotes, like [0]"},
           Case{"json", ".a[0", "the path of \".a[0\" lacks a closing bracket"},
           Case{"json", ".a..b", "the path of \".a..b\" lacks a key"},
           Case{"json", ".\"a", "the path of \".\"a\" has a key whose quote is not closed"},
           Case{"json", ".a b", "\".a b\": after the path .a comes =, !=, <, <=, >, >= or ~, not \"b\""},
           Case{"json", ".a>x", "\"x\" is no number; <, <=, > and >= compare numbers"},
           Case{"json", ".a={\"b\":1}", "\"{\"b\":1}\" is a whole object or list; expect one of its values, like .items[0].id=7"},
           Case{"json", ".a~(", "\"(\" is no regular expression: missing ): ("},
       }) {
    Expectations e;
    const auto added = add_expectation(c.what, c.text, e);
    ASSERT_FALSE(added) << c.text;
    EXPECT_EQ(added.error().text, c.error);
    EXPECT_EQ(added.error().kind, ErrorKind::usage);
    EXPECT_TRUE(e.empty());
  }
  Expectations twice = said("status", "200");
  EXPECT_FALSE(add_expectation("status", "201", twice));
}

TEST(Expectation, ATargetsOwnCountBesideTheAttacks) {
  Expectations attack = said("status", "200"), target = said("status", "404");
  ASSERT_TRUE(add_expectation("body", "a", attack));
  ASSERT_TRUE(add_expectation("body", "b", target));
  const Expectations all = combined(attack, target);
  EXPECT_EQ(all.status, "404");
  EXPECT_THAT(all.body, testing::ElementsAre("a", "b"));
  EXPECT_EQ(combined(attack, {}), attack);
  EXPECT_EQ(Expectation::make({})->get(), nullptr);
}

}  // namespace
}  // namespace thrum::http
