#include "http/response_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "table.hpp"

namespace thrum::http {
namespace {

using nlohmann::json;
using State = ResponseParser::State;

class Recorder : public ResponseCapture {
 public:
  void on_header(std::string_view name, std::string_view value) override { headers_.emplace_back(name, value); }
  void on_body(std::span<const char> bytes) override { body_.append(bytes.data(), bytes.size()); }
  std::vector<std::pair<std::string, std::string>> headers_;
  std::string body_;
};

// Feeds all of `bytes` in pieces of `step`; returns how many the response took.
std::size_t feed(ResponseParser& parser, std::string_view bytes, std::size_t step) {
  std::size_t taken = 0;
  while (taken < bytes.size() && parser.state() != State::done && parser.state() != State::failed) {
    const std::string_view piece = bytes.substr(taken, step);
    // A copy of its own on the heap, so that a read past the piece is one past an allocation.
    const std::vector<char> copy(piece.begin(), piece.end());
    const std::size_t n = parser.feed(copy);
    EXPECT_LE(n, piece.size());
    taken += n;
    if (n < piece.size()) break;
  }
  return taken;
}

ParseError error_of(std::string_view bytes) {
  ParseError first{};
  for (const std::size_t step : {bytes.size(), std::size_t{1}}) {
    ResponseParser parser;
    parser.reset(false);
    feed(parser, bytes, step);
    if (step != bytes.size()) {
      EXPECT_EQ(parser.error(), first) << "byte by byte";
    }
    first = parser.error();
  }
  return first;
}

using Values = std::map<std::string, std::vector<std::string>>;

Values without_framing(const Recorder& recorder) {
  Values values;
  for (const auto& [name, value] : recorder.headers_) {
    const std::string key = lower(name);
    if (key != "content-length" && key != "transfer-encoding") values[key].push_back(value);
  }
  return values;
}

TEST(ResponseParser, AsRecordedFromVegetaOrBetterForAReason) {
  int rows = 0;
  for (const json& row : test::read_table("responses.json")) {
    std::string bytes;
    for (const json& piece : row["sends"]) bytes += test::bytes_of(piece);
    const json& expected = row.contains("ours") ? row["ours"] : row;
    for (const std::size_t step : {bytes.size(), std::size_t{1}, std::size_t{7}}) {
      SCOPED_TRACE(row["name"].get<std::string>() + ", in pieces of " + std::to_string(step));
      ++rows;
      ResponseParser parser;
      Recorder recorder;
      parser.reset(row.value("head", false), &recorder);
      const std::size_t taken = feed(parser, bytes, std::max<std::size_t>(step, 1));
      if (row.value("closes", false)) parser.end_of_stream();
      if (!expected.contains("code")) {
        EXPECT_EQ(parser.state(), State::failed);
        continue;
      }
      ASSERT_EQ(parser.state(), State::done) << describe(parser.error());
      EXPECT_EQ(parser.status(), expected["code"]);
      EXPECT_EQ(parser.body_bytes(), expected["bytes"]);
      EXPECT_EQ(recorder.body_.size(), expected["bytes"]);
      if (row.contains("reused")) {
        EXPECT_EQ(parser.keep_alive() && taken == bytes.size() && !row.value("closes", false), row["reused"]);
      }
      if (expected.contains("headers")) {
        Values wanted;
        for (const auto& [name, values] : expected["headers"].items()) wanted[lower(trim(name))] = values;
        EXPECT_EQ(without_framing(recorder), wanted);
      }
    }
  }
  EXPECT_GT(rows, 250);
}

struct Framed {
  const char* what;
  std::string_view bytes;
  int status;
  std::string_view body;
  bool keep_alive;
  std::string_view rest = "";
  bool head = false;
};

constexpr Framed kFramed[] = {
    {"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP", 200, "hi", true, "HTTP"},
    {"length zero", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", true},
    {"length padded", "HTTP/1.1 200 OK\r\ncontent-LENGTH:\t 002 \t\r\n\r\nhi", 200, "hi", true},
    {"length three times", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\ncontent-length: 02\r\n\r\nhi", 200, "hi", true},
    {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", 200, "", true, "", true},
    {"HEAD chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, "", true, "", true},
    {"HEAD without framing", "HTTP/1.1 200 OK\r\n\r\n", 200, "", true, "", true},
    {"204", "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc", 204, "", true, "abc"},
    {"304", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", 304, "", true},
    {"101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x01", 101, "", false, "\x81\x01"},
    {"interim with a length", "HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\nHTTP/1.1 201 C\r\nContent-Length: 1\r\n\r\nx", 201, "x",
     true},
    {"interim that closes", "HTTP/1.1 100\r\nConnection: close\r\n\r\nHTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
    {"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\nmore", 200, "abc0123456789",
     true, "more"},
    {"chunked, nothing in it", "HTTP/1.1 200 OK\r\nTransfer-Encoding: \tCHUNKED \r\n\r\n0\r\n\r\n", 200, "", true},
    {"extensions and trailers",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 \t;a=\"b;c\";d\r\nhi\r\n0;x\r\nT: 1\r\nU:2\n v\r\n\r\n", 200, "hi", true},
    {"trailers change nothing",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nConnection: close\r\nContent-Length: 7\r\n\r\n", 200, "x", true},
    {"chunked over a wrong length", "HTTP/1.1 200 OK\r\nContent-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200,
     "x", true},
    {"close", "HTTP/1.1 200 OK\r\nConnection: foo,  CLOSE\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
    {"close beats keep-alive", "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nconnection: close\r\nContent-Length: 1\r\n\r\nx", 200, "x",
     false},
    {"not quite close", "HTTP/1.1 200 OK\r\nConnection: closed, enclose\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
    {"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
    {"1.0 kept", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
    {"1.0 closed", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive, close\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
    {"1.0 chunked", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200, "x", false},
    {"0.9", "HTTP/0.9 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
    {"bare LF", "HTTP/1.1 200 OK\nContent-Length: 2\nX: y\r\n\nhi", 200, "hi", true},
    {"folded framing", "HTTP/1.1 200 OK\r\nConnection: a,\r\n\tclose\r\nContent-Length:\r\n  1\r\n\r\nx", 200, "x", false},
    {"space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\nx", 200, "x", true},
    {"no framing but a space", "HTTP/1.1 200 OK\r\nContent Length: 9\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
};

TEST(ResponseParser, FramingAndConnection) {
  for (const Framed& row : kFramed) {
    for (std::size_t step = 1; step <= row.bytes.size(); ++step) {
      SCOPED_TRACE(std::string(row.what) + ", in pieces of " + std::to_string(step));
      ResponseParser parser;
      Recorder recorder;
      parser.reset(row.head, &recorder);
      EXPECT_EQ(row.bytes.substr(feed(parser, row.bytes, step)), row.rest);
      ASSERT_EQ(parser.state(), State::done) << describe(parser.error());
      EXPECT_EQ(parser.status(), row.status);
      EXPECT_EQ(recorder.body_, row.body);
      EXPECT_EQ(parser.body_bytes(), row.body.size());
      EXPECT_EQ(parser.keep_alive(), row.keep_alive);
    }
  }
}

// One memory for all of them, in turn and again: what is known must not be told apart from what is read.
TEST(ResponseParser, KnownHeadsSayWhatTheySaid) {
  KnownHeads known;
  ResponseParser knowing(&known), plain;
  for (int round = 0; round < 3; ++round) {
    for (const Framed& row : kFramed) {
      for (const bool head : {row.head, !row.head}) {
        SCOPED_TRACE(row.what);
        for (const std::size_t step : {row.bytes.size(), row.bytes.size(), row.bytes.size() / 2, std::size_t{1}}) {
          knowing.reset(head);
          plain.reset(head);
          EXPECT_EQ(feed(knowing, row.bytes, step), feed(plain, row.bytes, step));
          EXPECT_EQ(knowing.state(), plain.state());
          EXPECT_EQ(knowing.status(), plain.status());
          EXPECT_EQ(knowing.reason(), plain.reason());
          EXPECT_EQ(knowing.body_bytes(), plain.body_bytes());
          EXPECT_EQ(knowing.keep_alive(), plain.keep_alive());
          EXPECT_EQ(knowing.skippable(), plain.skippable());
        }
      }
    }
  }
}

TEST(ResponseParser, KnownHeadsDifferByAByte) {
  KnownHeads known;
  ResponseParser parser(&known);
  const auto body_of = [&](std::string_view bytes) {
    parser.reset(false);
    feed(parser, bytes, bytes.size());
    EXPECT_EQ(parser.state(), State::done);
    return parser.body_bytes();
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(body_of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), 2);
    EXPECT_EQ(body_of("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi!"), 3);
  }
  // Half a head and its other half are no head of their own.
  const std::string_view cut = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
  for (std::size_t at = 1; at < cut.size(); ++at) {
    parser.reset(false);
    feed(parser, cut.substr(0, at), at);
    feed(parser, cut.substr(at), cut.size());
    EXPECT_EQ(parser.state(), State::done);
    EXPECT_EQ(parser.body_bytes(), 2);
  }
  // What is kept for longer than the head's own bytes: the reason, and where a redirect leads.
  for (int i = 0; i < 3; ++i) {
    parser.reset(false);
    feed(parser, "HTTP/1.1 302 Over There\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n", 1000);
    EXPECT_EQ(parser.location(), "/there");
    EXPECT_EQ(parser.reason(), "Over There");
  }
}

TEST(ResponseParser, UntilCloseEndsWithTheStream) {
  ResponseParser parser;
  Recorder recorder;
  parser.reset(false, &recorder);
  const std::string_view bytes = "HTTP/1.1 200 OK\r\n\r\nuntil";
  EXPECT_EQ(parser.feed(bytes), bytes.size());
  EXPECT_EQ(parser.state(), State::reading_body);
  EXPECT_EQ(parser.skippable(), 0u);
  parser.feed(std::string_view(" close"));
  parser.end_of_stream();
  EXPECT_EQ(parser.state(), State::done);
  EXPECT_EQ(recorder.body_, "until close");
  EXPECT_FALSE(parser.keep_alive());
}

TEST(ResponseParser, Malformed) {
  const std::string head = "HTTP/1.1 200 OK\r\n", chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const struct {
    std::string bytes;
    ParseError error;
  } rows[] = {
      {"S", ParseError::bad_status_line},
      {"SSH-2.0-OpenSSH_9.2\r\n", ParseError::bad_status_line},
      {"HTTQ", ParseError::bad_status_line},
      {"\r\n", ParseError::bad_status_line},
      {"\n", ParseError::bad_status_line},
      {"HTTP/1.1\r\n", ParseError::bad_status_line},
      {"HTTP/1.1 \r\n", ParseError::bad_status_line},
      {"HTTP/1.1 20\r\n", ParseError::bad_status_line},
      {"HTTP/1.1 2000\r\n", ParseError::bad_status_line},
      {"HTTP/1.1 200\tOK\r\n", ParseError::bad_status_line},
      {"HTTP/1.1 +20 OK\r\n", ParseError::bad_status_line},
      {"HTTP/1.1\t200 OK\r\n", ParseError::bad_status_line},
      {"HTTP/11 200 OK\r\n", ParseError::bad_status_line},
      {"HTTP/x.1 200 OK\r\n", ParseError::bad_status_line},
      {std::string("HTTP/1.1 200 O\0K\r\n", 18), ParseError::bad_status_line},
      {"HTTP/1.1 200 OK\rX", ParseError::bad_status_line},
      {head + "nocolon\r\n\r\n", ParseError::bad_header},
      {head + ": v\r\n\r\n", ParseError::bad_header},
      {head + " X: v\r\n\r\n", ParseError::bad_header},
      {head + " \r\n X: v\r\n\r\n", ParseError::bad_header},
      {head + "X\tY: v\r\n\r\n", ParseError::bad_header},
      {head + "X(1): v\r\n\r\n", ParseError::bad_header},
      {head + "X-\xc3\xa9: v\r\n\r\n", ParseError::bad_header},
      {head + "X: a\rb\r\n\r\n", ParseError::bad_header},
      {head + "X: a\r\r\n\r\n", ParseError::bad_header},
      {head + "X: a\x7f\r\n\r\n", ParseError::bad_header},
      {head + "X: a\x1b[0m\r\n\r\n", ParseError::bad_header},
      {head + std::string("X: a\0b\r\n\r\n", 10), ParseError::bad_header},
      {head + "Content-Length: 3, 3\r\n\r\n", ParseError::bad_content_length},
      {head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", ParseError::bad_content_length},
      {head + "Content-Length:\r\n\r\n", ParseError::bad_content_length},
      {head + "Content-Length: -0\r\n\r\n", ParseError::bad_content_length},
      {head + "Content-Length: 0x1\r\n\r\n", ParseError::bad_content_length},
      {head + "Content-Length: 9223372036854775808\r\n\r\n", ParseError::bad_content_length},
      {head + "Content-Length: 1\r\n 1\r\n\r\n", ParseError::bad_content_length},
      {head + "Transfer-Encoding: gzip, chunked\r\n\r\n", ParseError::bad_transfer_encoding},
      {head + "Transfer-Encoding:\r\n\r\n", ParseError::bad_transfer_encoding},
      {head + "Transfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n", ParseError::bad_transfer_encoding},
      {chunked + "x\r\n", ParseError::bad_chunk},
      {chunked + "\r\n", ParseError::bad_chunk},
      {chunked + " 1\r\n", ParseError::bad_chunk},
      {chunked + ";a\r\n", ParseError::bad_chunk},
      {chunked + "1 2\r\n", ParseError::bad_chunk},
      {chunked + "1\nx", ParseError::bad_chunk},
      {chunked + "1\rx", ParseError::bad_chunk},
      {chunked + "1;a\x01\r\n", ParseError::bad_chunk},
      {chunked + "1\r\nxy", ParseError::bad_chunk},
      {chunked + "1\r\nx\n", ParseError::bad_chunk},
      {chunked + "1\r\nx\ry", ParseError::bad_chunk},
      {chunked + "8000000000000000\r\n", ParseError::bad_chunk},
      {chunked + "1;" + std::string(kMaxChunkLine, 'x'), ParseError::bad_chunk},
      {chunked + std::string(kMaxChunkLine + 1, '0'), ParseError::bad_chunk},
      {chunked + "0\r\nbad trailer\r\n\r\n", ParseError::bad_header},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(printable_prefix(row.bytes, 200));
    EXPECT_EQ(error_of(row.bytes), row.error);
  }
}

TEST(ResponseParser, TheLargestSizesAreRead) {
  for (const char* head : {"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffFFFFFFFF\r\n"}) {
    ResponseParser parser;
    parser.reset(false);
    parser.feed(std::string_view(head));
    EXPECT_EQ(parser.state(), State::reading_body) << head;
    EXPECT_EQ(parser.skippable(), 9223372036854775807u) << head;
  }
}

TEST(ResponseParser, HeadsUpToTheLimitAndNotAByteMore) {
  const std::string start = "HTTP/1.1 200 OK\r\nX: ", end = "\r\n\r\n";
  for (const std::size_t over : {std::size_t{0}, std::size_t{1}}) {
    const std::string bytes = start + std::string(kMaxHeadBytes - start.size() - end.size() + over, 'x') + end;
    for (const std::size_t step : {bytes.size(), std::size_t{4096}, bytes.size() - 1, bytes.size() - 2}) {
      ResponseParser parser;
      parser.reset(true);
      feed(parser, bytes, step);
      EXPECT_EQ(parser.error(), over == 0 ? ParseError::none : ParseError::head_too_large) << step;
      EXPECT_EQ(parser.state(), over == 0 ? State::done : State::failed) << step;
    }
  }
}

TEST(ResponseParser, EachInterimHeadAndTheTrailersHaveALimitOfTheirOwn) {
  const std::string big = "X: " + std::string(kMaxHeadBytes / 2 + 1000, 'x') + "\r\n";
  const std::string bytes =
      "HTTP/1.1 103 E\r\n" + big + "\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + big + "\r\n0\r\n" + big + "\r\n";
  ResponseParser parser;
  parser.reset(false);
  feed(parser, bytes, 1000);
  EXPECT_EQ(parser.state(), State::done);
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + big + big), ParseError::head_too_large);
}

TEST(ResponseParser, InterimResponsesUpToTheLimit) {
  for (const int over : {0, 1}) {
    ResponseParser parser;
    parser.reset(false);
    for (int i = 0; i < kMaxInterim + over; ++i) {
      EXPECT_EQ(parser.state(), State::reading_head);
      EXPECT_EQ(parser.status(), 0);
      parser.feed(std::string_view("HTTP/1.1 102 Processing\r\n\r\n"));
    }
    parser.feed(std::string_view("HTTP/1.1 204 None\r\n\r\n"));
    EXPECT_EQ(parser.error(), over == 0 ? ParseError::none : ParseError::too_many_interim);
    EXPECT_EQ(parser.status(), over == 0 ? 204 : 0);
  }
}

TEST(ResponseParser, AStreamThatEndsEarly) {
  const std::string_view whole =
      "HTTP/1.1 103 E\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nhi\r\n0\r\nT: 1\r\n\r\n";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    ResponseParser parser;
    parser.reset(false);
    EXPECT_FALSE(parser.has_begun());
    feed(parser, whole.substr(0, cut), whole.size());
    EXPECT_EQ(parser.has_begun(), cut > 0);
    parser.end_of_stream();
    EXPECT_EQ(parser.state(), State::failed);
    EXPECT_EQ(parser.error(), cut == 0 ? ParseError::empty : ParseError::truncated) << cut;
    EXPECT_FALSE(parser.keep_alive());
  }
}

TEST(ResponseParser, AfterTheEndNothingIsTaken) {
  ResponseParser parser;
  parser.reset(false);
  parser.feed(std::string_view("HTTP/1.1 204 None\r\n\r\n"));
  EXPECT_EQ(parser.feed(std::string_view("HTTP")), 0u);
  parser.end_of_stream();
  EXPECT_EQ(parser.state(), State::done);
  parser.reset(false);
  parser.feed(std::string_view("x"));
  EXPECT_EQ(parser.feed(std::string_view("y")), 0u);
  EXPECT_EQ(parser.error(), ParseError::bad_status_line);
}

TEST(ResponseParser, BodiesThatNobodyWantsCanBeSkipped) {
  ResponseParser parser;
  parser.reset(false);
  parser.feed(std::string_view("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab"));
  EXPECT_EQ(parser.skippable(), 8u);
  parser.skipped(3);
  EXPECT_EQ(parser.skippable(), 5u);
  EXPECT_EQ(parser.state(), State::reading_body);
  parser.skipped(5);
  EXPECT_EQ(parser.state(), State::done);
  EXPECT_EQ(parser.skippable(), 0u);
  EXPECT_EQ(parser.body_bytes(), 10u);
  EXPECT_TRUE(parser.keep_alive());

  parser.reset(false);
  parser.feed(std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na"));
  EXPECT_EQ(parser.skippable(), 4u);
  parser.skipped(4);
  EXPECT_EQ(parser.skippable(), 0u);
  parser.feed(std::string_view("\r\n0\r\n\r\n"));
  EXPECT_EQ(parser.state(), State::done);
  EXPECT_EQ(parser.body_bytes(), 5u);

  Recorder recorder;
  parser.reset(false, &recorder);
  parser.feed(std::string_view("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab"));
  EXPECT_EQ(parser.skippable(), 0u);
}

TEST(ResponseParser, ReasonAndLocationAreKeptUpToTheirLimits) {
  ResponseParser parser;
  parser.reset(true);
  parser.feed(std::string_view("HTTP/1.1 302 Found Elsewhere\r\nlocation: \t/a b \r\nLocation: /second\r\n\r\n"));
  EXPECT_EQ(parser.reason(), "Found Elsewhere");
  EXPECT_EQ(parser.location(), "/a b");
  parser.reset(true);
  EXPECT_EQ(parser.reason(), "");
  EXPECT_EQ(parser.location(), "");
  for (const std::size_t over : {std::size_t{0}, std::size_t{1}}) {
    const std::string location(kMaxLocation + over, 'l');
    parser.reset(true);
    parser.feed("HTTP/1.1 302 " + std::string(kMaxReason + over, 'r') + "\r\nLocation: " + location + "\r\n\r\n");
    EXPECT_EQ(parser.state(), State::done);
    EXPECT_EQ(parser.reason(), std::string(kMaxReason, 'r'));
    EXPECT_EQ(parser.location(), location);  // one byte more than the limit is enough to tell
  }
  parser.reset(true);
  parser.feed(std::string_view("HTTP/1.1 103 Early\r\nLocation: /not-yet\r\n\r\nHTTP/1.1 200\r\n\r\n"));
  EXPECT_EQ(parser.reason(), "");
  EXPECT_EQ(parser.location(), "");
}

TEST(ResponseParser, HeadersAreHandedOnAsWritten) {
  ResponseParser parser;
  Recorder recorder;
  parser.reset(false, &recorder);
  feed(parser,
       "HTTP/1.1 100 C\r\nX: interim\r\n\r\nHTTP/1.1 200 OK\r\nx-LOW:1\r\nX-E:\r\nSet-Cookie: a\r\nset-cookie: b\xe9 \r\nF: a \r\n\t b\r\n "
       "\r\n c\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: trailer\r\n\r\n",
       3);
  ASSERT_EQ(parser.state(), State::done);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"x-LOW", "1"}, {"X-E", ""}, {"Set-Cookie", "a"}, {"set-cookie", "b\xe9"}, {"F", "a b  c"}, {"Transfer-Encoding", "chunked"}};
  EXPECT_EQ(recorder.headers_, expected);
}

TEST(ResponseParser, EachErrorHasWords) {
  for (int e = 0; e <= static_cast<int>(ParseError::empty); ++e) {
    EXPECT_FALSE(describe(static_cast<ParseError>(e)).empty());
    EXPECT_NE(describe(static_cast<ParseError>(e)), "unknown error");
  }
}

}  // namespace
}  // namespace thrum::http
