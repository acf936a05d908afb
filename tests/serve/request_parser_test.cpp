#include "serve/request_parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace thrum::serve {
namespace {

using State = RequestParser::State;

// What one request comes to, in a form that compares.
struct Outcome {
  RequestError error = RequestError::none;
  bool complete = false;
  std::size_t used = 0;  // not told of a refused request: how far it was looked at does not matter
  std::string head, content;

  bool operator==(const Outcome&) const = default;
};

void PrintTo(const Outcome& o, std::ostream* out) {
  *out << describe(o.error) << ", complete " << o.complete << ", used " << o.used << "\n" << o.head << "content: " << o.content;
}

std::string show(const RequestHead& h) {
  std::string s = std::string(h.method) + " " + std::string(h.path) + " ?" + std::string(h.query) + " 1." + std::to_string(h.minor_version);
  s += h.keep_alive ? " keep" : " close";
  if (h.content_length) s += " length " + std::to_string(*h.content_length);
  if (h.is_chunked) s += " chunked";
  if (h.expects_continue) s += " continue";
  s += "\n";
  for (const Header& f : h.headers) s += std::string(f.name) + "=" + std::string(f.value) + "\n";
  return s;
}

// Feeds the pieces as a connection does: the head is kept between pieces, each piece is gone (overwritten) after its turn.
Outcome parse(const std::vector<std::string>& pieces, std::uint64_t most = UINT64_MAX) {
  RequestParser parser;
  RequestHead head;
  Outcome out;
  for (std::string piece : pieces) {
    std::span<const char> bytes(piece);
    while (!bytes.empty() && parser.state() != State::done && parser.state() != State::failed) {
      const bool was_head = parser.state() == State::head;
      const std::size_t n = parser.feed(bytes, head, &out.content);
      if (was_head && parser.state() == State::body) parser.limit_content(most);
      out.used += n;
      bytes = bytes.subspan(n);
    }
    if (parser.state() == State::done) {
      out.complete = true;
      out.head = show(head);
      break;
    }
    if (parser.state() == State::body) parser.keep_head(head);
    std::fill(piece.begin(), piece.end(), '#');
    head = RequestHead();
  }
  out.error = parser.error();
  if (out.error != RequestError::none) return {out.error, false, 0, "", ""};
  return out;
}

struct Case {
  const char* name;
  std::string request;
  RequestError error = RequestError::none;
  std::string head = {};
  std::string content = {};
  std::size_t left_over = 0;  // bytes that belong to the next request
};

const std::string kHost = "Host: a\r\n";

std::vector<Case> cases() {
  using enum RequestError;
  const std::string get = "GET / HTTP/1.1\r\n" + kHost;
  const std::string post = "POST /p HTTP/1.1\r\n" + kHost;
  const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string posted = "POST /p ? 1.1 keep";
  const std::string posted_chunked = posted + " chunked\nHost=a\nTransfer-Encoding=chunked\n";
  return {
      {"plain", get + "\r\n", none, "GET / ? 1.1 keep\nHost=a\n"},
      {"query", "GET /a/b?c=d&e?f HTTP/1.1\r\n" + kHost + "\r\n", none, "GET /a/b ?c=d&e?f 1.1 keep\nHost=a\n"},
      {"1.0", "GET / HTTP/1.0\r\n\r\n", none, "GET / ? 1.0 close\n"},
      {"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", none, "GET / ? 1.0 keep\nConnection=Keep-Alive\n"},
      {"1.7 is 1.1", "GET / HTTP/1.7\r\n" + kHost + "\r\n", none, "GET / ? 1.1 keep\nHost=a\n"},
      {"close", get + "connection: foo , CLOSE\r\n\r\n", none, "GET / ? 1.1 close\nHost=a\nconnection=foo , CLOSE\n"},
      {"lone LF", "GET / HTTP/1.1\nHost: a\n\n", none, "GET / ? 1.1 keep\nHost=a\n"},
      {"blank lines before", "\r\n\n\r\n" + get + "\r\n", none, "GET / ? 1.1 keep\nHost=a\n"},
      {"blanks around values", get + "X: \t a b \t\r\nY:\r\n\r\n", none, "GET / ? 1.1 keep\nHost=a\nX=a b\nY=\n"},
      {"bytes over 127", get + "X: \xc3\xa4\r\n\r\n", none, "GET / ? 1.1 keep\nHost=a\nX=\xc3\xa4\n"},
      {"absolute form", "GET http://h:1/x?y HTTP/1.1\r\n" + kHost + "\r\n", none, "GET /x ?y 1.1 keep\nHost=a\n"},
      {"absolute form, no path", "GET http://h HTTP/1.1\r\n" + kHost + "\r\n", none, "GET / ? 1.1 keep\nHost=a\n"},
      {"absolute form, query", "GET http://h?q HTTP/1.1\r\n" + kHost + "\r\n", none, "GET / ?q 1.1 keep\nHost=a\n"},
      {"asterisk", "OPTIONS * HTTP/1.1\r\n" + kHost + "\r\n", none, "OPTIONS * ? 1.1 keep\nHost=a\n"},
      {"the next one is left alone", get + "\r\nGET / HT", none, "GET / ? 1.1 keep\nHost=a\n", "", 8},
      {"length", post + "Content-Length: 5\r\n\r\nhello!", none, posted + " length 5\nHost=a\nContent-Length=5\n", "hello", 1},
      {"length 0", post + "Content-Length: 0\r\n\r\n", none, posted + " length 0\nHost=a\nContent-Length=0\n"},
      {"the same length twice", post + "Content-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi", none,
       posted + " length 2\nHost=a\nContent-Length=2, 2\nContent-Length=2\n", "hi"},
      {"continue", post + "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\nhi", none,
       posted + " length 2 continue\nHost=a\nExpect=100-Continue\nContent-Length=2\n", "hi"},
      {"chunked", chunked + "5\r\nhello\r\n1;a=b\r\n!\r\n00\r\n\r\nrest", none, posted_chunked, "hello!", 4},
      {"chunked, trailers", chunked + "A \r\n0123456789\r\n0\r\nX: y\r\nZ: 1\r\n\r\n", none, posted_chunked, "0123456789"},
      {"chunked, nothing", chunked + "0\r\n\r\n", none, posted_chunked},

      {"no version", "GET /\r\n\r\n", bad_request_line},
      {"no target", "GET HTTP/1.1\r\n\r\n", bad_request_line},
      {"blank in the target", "GET /a b HTTP/1.1\r\n\r\n", bad_request_line},
      {"a method that is no token", "G(T / HTTP/1.1\r\n\r\n", bad_request_line},
      {"control in the target", "GET /\x01 HTTP/1.1\r\n\r\n", bad_request_line},
      {"lower case version", "GET / http/1.1\r\n\r\n", bad_request_line},
      {"version of words", "GET / HTTP/1.x\r\n\r\n", bad_request_line},
      {"TLS on a plain port", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", 13), bad_request_line},
      {"2.0", "PRI * HTTP/2.0\r\n\r\n", unknown_version},
      {"no host", "GET / HTTP/1.1\r\n\r\n", bad_host},
      {"two hosts", get + "host: b\r\n\r\n", bad_host},
      {"no colon", get + "nonsense\r\n\r\n", bad_header},
      {"no name", get + ": x\r\n\r\n", bad_header},
      {"blank before the colon", get + "X : y\r\n\r\n", bad_header},
      {"folded", get + "X: y\r\n z\r\n\r\n", bad_header},
      {"NUL in a value", get + std::string("X: a\0b\r\n\r\n", 10), bad_header},
      {"bare CR in a value", get + "X: a\rb\r\n\r\n", bad_header},
      {"length of words", post + "Content-Length: five\r\n\r\n", bad_length},
      {"negative length", post + "Content-Length: -1\r\n\r\n", bad_length},
      {"length with a sign", post + "Content-Length: +1\r\n\r\n", bad_length},
      {"empty length", post + "Content-Length:\r\n\r\n", bad_length},
      {"length over 64 bits", post + "Content-Length: 18446744073709551616\r\n\r\n", bad_length},
      {"two lengths", post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", bad_length},
      {"length and coding", post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", bad_length},
      {"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", bad_length},
      {"gzip", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", unknown_coding},
      {"chunked twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", unknown_coding},
      {"other expectation", post + "Expect: miracles\r\n\r\n", unknown_expectation},
      {"chunk without size", chunked + "\r\n", bad_chunk},
      {"chunk size of words", chunked + "xyz\r\n", bad_chunk},
      {"chunk size over 64 bits", chunked + "10000000000000000\r\n", bad_chunk},
      {"chunk size, bare LF", chunked + "5\nhello", bad_chunk},
      {"chunk longer than its size", chunked + "2\r\nabc", bad_chunk},
      {"chunk shorter than its size", chunked + "3\r\nab\r\n0\r\n\r\n", bad_chunk},
      {"control in an extension", chunked + "1;\x01\r\n", bad_chunk},
      {"endless chunk size", chunked + std::string(5000, '0'), bad_chunk},
      {"endless extension", chunked + "1;" + std::string(5000, 'a'), bad_chunk},
      {"endless trailers", chunked + "0\r\n" + std::string(70000, 'a'), head_too_large},
      {"head over 64 KiB", get + "X: " + std::string(66000, 'a') + "\r\n\r\n", head_too_large},
      {"endless request line", std::string(66000, 'a'), head_too_large},
  };
}

Outcome expected_of(const Case& c) {
  if (c.error != RequestError::none) return {c.error, false, 0, "", ""};
  return {c.error, true, c.request.size() - c.left_over, c.head, c.content};
}

TEST(RequestParser, ReadsEachCaseInOnePiece) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(parse({c.request}), expected_of(c));
  }
}

TEST(RequestParser, ReadsEachCaseAtEverySplitPoint) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Outcome expected = expected_of(c);
    const std::size_t step = c.request.size() > 1000 ? 997 : 1;
    for (std::size_t i = 1; i < c.request.size(); i += step)
      ASSERT_EQ(parse({c.request.substr(0, i), c.request.substr(i)}), expected) << "cut at " << i;
  }
}

TEST(RequestParser, ReadsEachCaseByteByByte) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    std::vector<std::string> bytes;
    for (const char b : c.request) bytes.emplace_back(1, b);
    EXPECT_EQ(parse(bytes), expected_of(c));
  }
}

TEST(RequestParser, WaitsForMore) {
  const std::string whole = "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const Outcome o = parse({whole.substr(0, n)});
    EXPECT_EQ(o.error, RequestError::none) << n;
    EXPECT_FALSE(o.complete) << n;
    EXPECT_EQ(o.used, n);
  }
}

TEST(RequestParser, LimitsContentByItsAnnouncedLengthAtOnce) {
  const std::string head = "POST / HTTP/1.1\r\n" + kHost + "Content-Length: 11\r\n\r\n";
  EXPECT_EQ(parse({head}, 10).error, RequestError::body_too_large);
  EXPECT_TRUE(parse({head + "12345678901"}, 11).complete);
}

TEST(RequestParser, LimitsTheSumOfChunks) {
  const std::string head = "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n6\r\n123456\r\n";
  EXPECT_EQ(parse({head + "5\r\n"}, 10).error, RequestError::body_too_large);
  EXPECT_TRUE(parse({head + "4\r\n7890\r\n0\r\n\r\n"}, 10).complete);
}

TEST(RequestParser, TakesAtMost256Headers) {
  std::string head = "GET / HTTP/1.1\r\n" + kHost;
  for (int i = 0; i < 255; ++i) head += "X: y\r\n";
  EXPECT_TRUE(parse({head + "\r\n"}).complete);
  EXPECT_EQ(parse({head + "X: y\r\n\r\n"}).error, RequestError::head_too_large);
}

TEST(RequestParser, HoldsNothingBetweenRequests) {
  RequestParser parser;
  RequestHead head;
  const std::string_view request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(parser.has_begun());
    EXPECT_EQ(parser.feed(request.substr(0, 5), head, nullptr), 5u);
    EXPECT_TRUE(parser.has_begun());
    EXPECT_EQ(parser.feed(request.substr(5), head, nullptr), request.size() - 5);
    EXPECT_EQ(parser.state(), State::done);
    parser.reset();
    EXPECT_EQ(parser.bytes_held(), 0u);
  }
}

TEST(RequestParser, FindsHeadersWhateverTheirCase) {
  RequestHead head;
  ASSERT_EQ(parse_head("GET / HTTP/1.1\r\nHost: a\r\nX-Y: 1\r\nx-y: 2\r\n\r\n", head), RequestError::none);
  EXPECT_EQ(head.header("x-Y"), "1");
  EXPECT_EQ(head.header("Z"), std::nullopt);
}

TEST(RequestParser, HasAStatusAndWordsForEachError) {
  for (int i = 1; i <= static_cast<int>(RequestError::unknown_version); ++i) {
    const auto e = static_cast<RequestError>(i);
    EXPECT_GE(status_of(e), 400);
    EXPECT_LT(status_of(e), 600);
    EXPECT_GT(describe(e).size(), 10u);
  }
}

}  // namespace
}  // namespace thrum::serve
