// HTTP/1.1 responses (RFC 9112), parsed in place, byte by byte if they come so, without allocation on the usual path.
// One parser per connection; reset() before each response. Hostile bytes give an error, never trouble.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thrum::http {

enum class ParseError : std::uint8_t {
  none,
  bad_status_line,     // not HTTP/1.x
  bad_header,          // no colon, bad name, obs-fold, control characters
  head_too_large,      // over kMaxHeadBytes
  bad_content_length,  // not a number, or several that disagree
  bad_transfer_encoding,
  bad_chunk,         // size line or its end
  too_many_interim,  // over kMaxInterim 1xx responses
  truncated,         // the stream ended before the response did
  empty,             // the stream ended before its first byte
};
std::string_view describe(ParseError e);  // "malformed status line", …

inline constexpr std::size_t kMaxHeadBytes = 256 * 1024;  // of one response: status line, headers; trailers likewise
inline constexpr int kMaxInterim = 64;

// Receives what somebody wants to keep. Null pointers in the parser mean that nobody does, and nothing is copied.
class ResponseCapture {
 public:
  virtual ~ResponseCapture() = default;
  virtual void on_header(std::string_view name, std::string_view value) = 0;  // not of 1xx responses; trailers left out
  virtual void on_body(std::span<const char> bytes) = 0;                      // chunk framing removed
};

class ResponseParser {
 public:
  enum class State : std::uint8_t { reading_head, reading_body, done, failed };

  // Before each response. `head_request`: it has no body. `capture` may be null.
  void reset(bool head_request, ResponseCapture* capture = nullptr);

  // Takes bytes up to the end of this response; returns how many. What is left belongs to nobody (or to the next response).
  // Stops early only at the end or on an error; call state() after.
  std::size_t feed(std::span<const char> bytes);
  // The stream ended: until-close bodies are done, everything else is truncated.
  void end_of_stream();
  // Bytes that were dropped unread by the kernel, at most skippable().
  void skipped(std::size_t n);

  State state() const { return state_; }
  ParseError error() const { return error_; }
  bool has_begun() const;                                   // a byte of it (or of an interim response) has come
  int status() const { return status_; }                    // 0 until the final status line is read
  std::string_view reason() const;                          // of the final status line, at most 256 bytes; valid until reset()
  std::uint64_t body_bytes() const { return body_bytes_; }  // content so far, without chunk framing
  // Body bytes still to come that nobody wants: known length, no capture; 0 otherwise.
  std::uint64_t skippable() const;
  // After done: whether the connection may carry another request, as far as the response says.
  bool keep_alive() const;
  // After the head: the value of Location, "" if none (kept up to 8 KiB, for redirects); valid until reset().
  std::string_view location() const;

 private:
  // The author's to fill in: keep this public face.
  State state_ = State::reading_head;
  ParseError error_ = ParseError::none;
  int status_ = 0;
  std::uint64_t body_bytes_ = 0;
};

}  // namespace thrum::http
