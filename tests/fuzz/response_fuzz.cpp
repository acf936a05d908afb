// Any bytes as a response: fed whole, cut in two at every place, and byte by byte, they must mean the same,
// whether the head is known or not.
// The first byte of the input chooses: bit 0 a HEAD request, bit 1 the stream ends after the bytes, bit 2 nobody captures.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "http/response_parser.hpp"
#include "require.hpp"

using thrum::fuzz::require;

namespace {

using thrum::http::ParseError;
using thrum::http::ResponseParser;

class Recorder : public thrum::http::ResponseCapture {
 public:
  void on_header(std::string_view name, std::string_view value) override { headers_.append(name).append(":").append(value).append("\n"); }
  void on_body(std::span<const char> bytes) override { body_.append(bytes.data(), bytes.size()); }
  std::string headers_, body_;
};

struct Outcome {
  ResponseParser::State state;
  ParseError error;
  int status;
  std::string reason, location, headers, body;
  std::uint64_t body_bytes;
  bool keep_alive;
  std::size_t taken;  // of a response that was read to its end
  bool operator==(const Outcome&) const = default;
};

// One parser for many responses, as on a connection; and one that knows heads.
ResponseParser& plain_parser() {
  static ResponseParser parser;
  return parser;
}
ResponseParser& knowing_parser() {
  static thrum::http::KnownHeads known;
  static ResponseParser parser(&known);
  return parser;
}

Outcome run(ResponseParser& parser, std::span<const char> bytes, std::uint8_t options, std::size_t first, std::size_t rest) {
  Recorder recorder;
  const bool captures = (options & 4) == 0;
  parser.reset((options & 1) != 0, captures ? &recorder : nullptr);
  std::size_t taken = 0;
  for (std::size_t step = first; taken < bytes.size(); step = rest) {
    const std::span<const char> piece = bytes.subspan(taken, std::min(step, bytes.size() - taken));
    const std::size_t n = parser.feed(piece);
    require(n <= piece.size());
    taken += n;
    if (parser.state() == ResponseParser::State::done || parser.state() == ResponseParser::State::failed) break;
    require(n == piece.size());
    require(parser.skippable() == 0 || (!captures && parser.state() == ResponseParser::State::reading_body));
  }
  if ((options & 2) != 0) parser.end_of_stream();
  require((parser.state() == ResponseParser::State::failed) == (parser.error() != ParseError::none));
  require(!captures || recorder.body_.size() == parser.body_bytes());
  const bool done = parser.state() == ResponseParser::State::done;
  require(done || !parser.keep_alive());
  return {parser.state(),    parser.error(), parser.status(),     std::string(parser.reason()), std::string(parser.location()),
          recorder.headers_, recorder.body_, parser.body_bytes(), parser.keep_alive(),          done ? taken : 0};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t options = data[0];
  const std::span<const char> bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = run(plain_parser(), bytes, options, bytes.size(), bytes.size());
  require(run(plain_parser(), bytes, options, 1, 1) == whole);
  for (int i = 0; i < 2; ++i) require(run(knowing_parser(), bytes, options, bytes.size(), bytes.size()) == whole);
  const std::size_t step = bytes.size() / 2048 + 1;  // every place, unless the input is huge
  for (std::size_t cut = 1; cut < bytes.size(); cut += step) {
    require(run(plain_parser(), bytes, options, cut, bytes.size()) == whole);
    require(run(knowing_parser(), bytes, options, cut, bytes.size()) == whole);
  }
  return 0;
}
