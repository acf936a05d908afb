// HTTP/1.0 and 1.1 requests (RFC 9112), parsed in place and without allocation when a head comes in one piece, however it is
// cut otherwise. One parser per connection, small while idle; the parsed head is a view that one thread's connections share.
// Malformed or oversized requests give an error with the status to answer; what follows them is never looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thrum::serve {

enum class RequestError : std::uint8_t {
  none,
  bad_request_line,
  bad_header,
  bad_host,  // none or several in HTTP/1.1
  bad_length,
  bad_chunk,
  head_too_large,
  body_too_large,
  unknown_coding,
  unknown_expectation,
  unknown_version,
};
int status_of(RequestError e);              // 400, 413, 417, 431, 501, 505
std::string_view describe(RequestError e);  // one line for the response's body

inline constexpr std::size_t kMaxRequestHead = 64 * 1024;  // request line and headers; trailers likewise
inline constexpr std::size_t kMaxRequestHeaders = 256;

struct Header {
  std::string_view name, value;
};

// Views into the bytes that were fed, or into the parser (see RequestParser::keep_head).
struct RequestHead {
  std::string_view raw;     // from the request line to the blank line, as received
  std::string_view method;  // case kept
  std::string_view target;  // as received
  std::string_view path;    // without query; of an absolute-form target what follows the authority, at least "/"
  std::string_view query;   // without '?'
  int minor_version = 1;
  std::vector<Header> headers;
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;
  bool keep_alive = true;
  bool expects_continue = false;

  bool is_head() const { return method == "HEAD"; }
  bool has_body() const { return is_chunked || content_length.value_or(0) > 0; }
  // The first of that name, case ignored; none if there is none.
  std::optional<std::string_view> header(std::string_view name) const;
};

class RequestParser {
 public:
  enum class State : std::uint8_t { head, body, done, failed };

  // Takes bytes of this request and returns how many; stops when the head is complete (state body or done), when the request
  // is, and on an error. `head` must be the same object for one request unless keep_head() was called. Content, chunk framing
  // removed, is appended to `content` if there is one.
  std::size_t feed(std::span<const char> bytes, RequestHead& head, std::string* content);

  // In state body, before the bytes that hold the head go away: copies them. When the request is done, feed() fills its `head`
  // anew from the copy.
  void keep_head(const RequestHead& head);
  // In state body: content beyond this is body_too_large, at once if its length was announced.
  void limit_content(std::uint64_t most);
  void reset();  // for the next request

  State state() const { return state_; }
  RequestError error() const { return error_; }
  bool has_begun() const { return state_ != State::head || !held_.empty(); }
  std::size_t bytes_held() const { return held_.size(); }

 private:
  enum class Line : std::uint8_t { inside, after_lf, after_lf_cr };
  enum class Chunk : std::uint8_t { size_start, size, extension, size_lf, data, data_cr, data_lf, trailer };

  std::size_t feed_head(std::span<const char> bytes, RequestHead& head);
  std::size_t feed_length(std::span<const char> bytes, std::string* content);
  std::size_t feed_chunked(std::span<const char> bytes, std::string* content);
  bool feed_chunk_byte(char c);
  bool feed_trailer_byte(char c);
  void begin(RequestHead& head, std::string_view raw);
  void fail(RequestError e);

  std::string held_;                         // a head that came in pieces, or was kept
  std::uint64_t remaining_ = 0;              // of the content, or of the current chunk
  std::uint64_t content_left_ = UINT64_MAX;  // of what limit_content() allows
  std::uint32_t line_bytes_ = 0;             // of the chunk-size line, or of all trailers
  State state_ = State::head;
  Line line_ = Line::inside;
  Chunk chunk_ = Chunk::size_start;
  bool chunked_ = false;
  bool kept_ = false;
  RequestError error_ = RequestError::none;
};

// Parses one complete head, blank line included. RequestParser does it for what it was fed.
RequestError parse_head(std::string_view raw, RequestHead& head);

}  // namespace thrum::serve
