// HTTP/1.1 responses (RFC 9112), parsed in place, byte by byte if they come so, without allocation on the usual path.
// One parser per connection; reset() before each response. Hostile bytes give an error, never trouble.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/known_heads.hpp"

namespace thrum::http {

enum class ParseError : std::uint8_t {
  none,
  bad_status_line,     // not HTTP/x.y and three digits
  bad_header,          // no colon, a name that is none, control characters
  head_too_large,      // over kMaxHeadBytes
  bad_content_length,  // not a number, or several that disagree
  bad_transfer_encoding,
  bad_chunk,         // size line or its end
  too_many_interim,  // over kMaxInterim 1xx responses
  truncated,         // the stream ended before the response did
  empty,             // the stream ended before its first byte
  not_sent,          // the request's body could not be read to its end; told by HTTP/2 only, where the connection goes on
  // HTTP/2's own: describe_http2() has words for them.
  stream_reset,     // by the server
  stream_refused,   // not processed: refused, or above the last stream of a GOAWAY
  goaway,           // the server ended the connection with an error
  not_http2,        // what came was something else, or nothing
  protocol_broken,  // by the server, so that the connection had to be given up
  bad_response,     // headers that make no sense
  wrong_length,     // content-length says another length than the body has
};
std::string_view describe(ParseError e);  // "malformed status line", …

inline constexpr std::size_t kMaxHeadBytes = 256 * 1024;  // of one response: status line, headers; trailers likewise
inline constexpr int kMaxInterim = 64;
inline constexpr std::size_t kMaxLocation = 8 * 1024;
inline constexpr std::size_t kMaxReason = 256;
inline constexpr std::size_t kMaxChunkLine = 4096;  // a chunk's size with its extensions

// Receives what somebody wants to keep. Null pointers in the parser mean that nobody does, and nothing is copied.
class ResponseCapture {
 public:
  virtual ~ResponseCapture() = default;
  virtual void on_header(std::string_view name, std::string_view value) = 0;  // not of 1xx responses; trailers left out
  virtual void on_body(std::span<const char> bytes) = 0;                      // chunk framing removed
  virtual bool wants_body() const { return true; }                            // false: what is still to come may be dropped unread
};

class ResponseParser {
 public:
  enum class State : std::uint8_t { reading_head, reading_body, done, failed };

  // `known`, if there is one, outlives the parser: heads that it knows are not read again.
  explicit ResponseParser(KnownHeads* known = nullptr) : known_(known) {}

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
  bool says_continue() const { return says_continue_; }     // 100 (Continue) came: the server wants the request's body
  std::string_view reason() const;                          // of the final status line, at most 256 bytes; valid until reset()
  std::uint64_t body_bytes() const { return body_bytes_; }  // content so far, without chunk framing
  // Body bytes still to come that nobody wants: of a length that is known; 0 otherwise.
  std::uint64_t skippable() const;
  // After done: whether the connection may carry another request, as far as the response says.
  bool keep_alive() const;
  // After the head: the value of Location, "" if there is none; of one longer than kMaxLocation just enough to tell. Valid until reset().
  std::string_view location() const;

 private:
  // What the next byte is part of. Three phases read lines, two read a body, the others the framing around chunks.
  enum class Phase : std::uint8_t {
    status_line,
    headers,
    trailers,
    body_of_length,
    body_until_close,
    chunk_size,       // hexadecimal digits
    chunk_blank,      // spaces after them
    chunk_extension,  // from ';' to the end of the line
    chunk_size_lf,
    chunk_data,
    chunk_data_cr,
    chunk_data_lf,
  };

  const char* read_first(const char* p, const char* end);
  void adopt(const KnownHeads::Head& head);
  const char* read_line(const char* p, const char* end);
  const char* keep_partial_line(const char* from, const char* to);
  void read_kept_field();
  void read_status_line(std::string_view text);
  void read_field(std::string_view text);
  void note_field(std::string_view name, std::string_view value);
  void note_length(std::string_view digits);
  void end_head();
  void begin_body();
  const char* read_body(const char* p, const char* end);
  const char* read_chunk_framing(const char* p, const char* end);
  void add_chunk_digit(int digit);
  void end_chunk_size();
  void pass_body(std::size_t n);
  void fail(ParseError e);
  const char* fail_at(const char* p, ParseError e);

  State state_ = State::reading_head;
  ParseError error_ = ParseError::none;
  Phase phase_ = Phase::status_line;
  bool head_request_ = false;
  bool begun_ = false;
  bool after_cr_ = false;      // the line's CR has come, its LF not yet
  bool line_waits_ = false;    // line_ is whole, but the next byte may say that it goes on (obs-fold)
  bool line_folded_ = false;   // line_ has LFs in it, each of which stands for a fold
  bool chunk_digits_ = false;  // the chunk size has at least one
  bool says_continue_ = false;
  int status_ = 0;
  int interims_ = 0;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t left_ = 0;  // bytes of the body, or of the chunk, to come
  std::size_t head_bytes_ = 0;
  std::size_t chunk_line_bytes_ = 0;
  Framing framing_;  // what the head read so far says
  KnownHeads* known_;
  ResponseCapture* capture_ = nullptr;
  std::string line_;  // a line that came in pieces
  std::string location_;
  std::size_t reason_at_ = 0;  // in the status line
  std::size_t reason_size_ = 0;
  std::array<char, kMaxReason> reason_;
};

}  // namespace thrum::http
