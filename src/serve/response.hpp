// What a handler answers with, and where a long body comes from. Everything here is a view that only has to live during
// Ticket::answer(), except the stream, which the server takes over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace thrum::serve {

// A body that is made as it is sent. The server asks for a piece when the one before has left, so that a client that does not
// read holds back the source and costs no memory.
class BodySource {
 public:
  struct Piece {
    std::span<const char> bytes;  // valid until the next call or the end of the source
    bool is_last = false;         // nothing comes after these bytes
  };
  virtual ~BodySource() = default;
  // No bytes and not the last: nothing to say yet; Ticket::resume() makes the server ask again.
  virtual Piece next() = 0;
  // Whole lines ("Name: value\r\n"), sent after the last piece of a body of unknown length.
  virtual std::string_view trailers() { return {}; }
};

struct Response {
  int status = 200;
  std::string_view type = "text/plain";             // Content-Type; empty: none
  std::string_view headers = {};                    // more lines, each with its CRLF
  std::string_view body = {};                       // copied
  std::unique_ptr<BodySource> stream = nullptr;     // instead of `body`
  std::optional<std::uint64_t> stream_length = {};  // none: each piece becomes a chunk (until-close for HTTP/1.0)
  bool close = false;                               // the connection ends with this response
  int interim = 0;                                  // a 1xx status to be sent first
};

// "HTTP/1.1 404 Not Found\r\n". The reason is empty for a status that nobody registered.
std::string_view status_line(int status);
// 1xx, 204 and 304 (RFC 9112 section 6.3).
bool status_has_body(int status);
// "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n" for seconds since the epoch.
std::string date_header(std::int64_t unix_seconds);

}  // namespace thrum::serve
