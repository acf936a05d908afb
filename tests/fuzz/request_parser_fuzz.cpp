// Any bytes as requests to the server: fed whole, cut in two at every place, and byte by byte, they must mean the same, and
// what the parser says of them must hold. The first byte of the input is a limit for contents, in units of 16 bytes.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "require.hpp"
#include "serve/request_parser.hpp"

using thrum::fuzz::require;

namespace {

using thrum::serve::RequestError;
using thrum::serve::RequestHead;
using thrum::serve::RequestParser;
using State = RequestParser::State;

std::string show(const RequestHead& h) {
  std::string s = std::string(h.method) + " " + std::string(h.target) + " " + std::string(h.path) + " " + std::string(h.query);
  s += std::to_string(h.minor_version) + (h.keep_alive ? "k" : "c") + (h.is_chunked ? "t" : "-") + (h.expects_continue ? "e" : "-");
  if (h.content_length) s += std::to_string(*h.content_length);
  for (const auto& [name, value] : h.headers) s += "\n" + std::string(name) + ":" + std::string(value);
  return s;
}

// Requests one after the other, as a connection reads them, until the bytes or the parser end.
struct Reading {
  std::vector<std::string> requests;
  RequestError error = RequestError::none;
  bool in_the_middle = false;
  bool operator==(const Reading&) const = default;
};

class Reader {
 public:
  explicit Reader(std::uint64_t limit) : limit_(limit) {}

  void take(std::span<const char> piece) {
    std::vector<char> copy(piece.begin(), piece.end());  // gone afterwards, as a receive buffer is
    std::span<const char> bytes(copy);
    while (!bytes.empty() && parser_.state() != State::failed) {
      const bool was_head = parser_.state() == State::head;
      const std::size_t n = parser_.feed(bytes, head_, &content_);
      require(n <= bytes.size());
      bytes = bytes.subspan(n);
      if (was_head && parser_.state() == State::body) {
        require(head_.has_body());
        parser_.limit_content(limit_);
      } else if (parser_.state() == State::head || parser_.state() == State::body) {
        require(bytes.empty());
      }
      require(parser_.state() == State::failed || content_.size() <= limit_);
      if (parser_.state() == State::done) finish();
    }
    if (parser_.state() == State::body) parser_.keep_head(head_);
    head_ = RequestHead();
  }

  Reading reading() {
    reading_.error = parser_.error();
    reading_.in_the_middle = parser_.has_begun();
    return reading_;
  }

 private:
  void finish() {
    require(!head_.path.empty() && !head_.method.empty());
    require(head_.is_chunked || content_.size() == head_.content_length.value_or(0));
    require(head_.headers.size() <= thrum::serve::kMaxRequestHeaders && head_.raw.size() <= thrum::serve::kMaxRequestHead);
    reading_.requests.push_back(show(head_) + "\n\n" + content_);
    content_.clear();
    parser_.reset();
    require(!parser_.has_begun() && parser_.bytes_held() == 0);
  }

  const std::uint64_t limit_;
  RequestParser parser_;
  RequestHead head_;
  std::string content_;
  Reading reading_;
};

Reading read(std::span<const char> bytes, std::uint64_t limit, std::size_t first, std::size_t rest) {
  Reader reader(limit);
  for (std::size_t step = first; !bytes.empty(); step = rest) {
    const std::size_t n = std::min(step, bytes.size());
    reader.take(bytes.first(n));
    bytes = bytes.subspan(n);
  }
  return reader.reading();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint64_t limit = std::uint64_t{data[0]} * 16;
  const std::span<const char> bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Reading whole = read(bytes, limit, bytes.size(), bytes.size());
  require(read(bytes, limit, 1, 1) == whole);
  const std::size_t step = bytes.size() / 512 + 1;  // every place, unless the input is large
  for (std::size_t cut = 1; cut < bytes.size(); cut += step) require(read(bytes, limit, cut, bytes.size()) == whole);
  return 0;
}
