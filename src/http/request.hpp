// A target made ready to be sent: everything that is the same for each hit is rendered once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/http2_head.hpp"
#include "http/url.hpp"
#include "thrum/error.hpp"
#include "thrum/target.hpp"

namespace thrum::http {

// What every request of an attack has in common.
struct RequestDefaults {
  std::string attack_name;                                   // X-Thrum-Attack, when not empty
  std::vector<std::pair<std::string, std::string>> headers;  // -header; a target's own header of that name (any case) wins
  SharedBytes body;                                          // for targets that name none
  bool keep_alive = true;                                    // false: Connection: close
  bool chunked = false;                                      // bodies are sent with Transfer-Encoding: chunked
  bool compression = true;                                   // Accept-Encoding: gzip
};

struct PreparedRequest {
  Url url;
  std::string method;
  std::string url_text;  // as the user wrote it, for results
  // The request up to and with "X-Thrum-Seq: "; the hit number and "\r\n\r\n" follow, then the body.
  std::string head;
  std::string proxied_head;       // what goes out instead where a proxy takes it; empty: `head` does
  Http2Head http2;                // the same for HTTP/2, where that may be spoken: add_http2_head()
  SharedBytes body;               // null: none
  bool is_head = false;           // the response has no body whatever its headers say
  bool is_idempotent = true;      // may be sent again on a stale connection: safe methods, or an Idempotency-Key header
  bool referer_is_ours = false;   // a redirect added it: the next one replaces it
  bool asks_close = false;        // the connection ends with this request: Connection: close, or defaults without keep-alive
  bool is_chunked = false;        // the body, and there is one
  bool expects_continue = false;  // the body waits for the server's word (RFC 9110 section 10.1.1)
  const std::string& head_to_send() const { return proxied_head.empty() ? head : proxied_head; }
  std::string_view body_bytes() const { return *body; }
};

// Rules (docs/sending.md): header names keep their case and order; Host, User-Agent, Accept-Encoding: gzip (not for HEAD or
// with Range) and Content-Length are added unless the target has them (any case); a user's Host replaces ours (one line only);
// an empty value removes a default (User-Agent, Accept-Encoding); the user's Content-Length and Transfer-Encoding are
// dropped; any method may carry a body; Content-Length: 0 for POST, PUT and PATCH without one.
// Errors: a bad URL, a method or header name that is no token, a control character in a value.
Expected<PreparedRequest> prepare(const Target& target, const RequestDefaults& defaults);

// The value of Authorization for a URL's "user:password" (RFC 7617).
std::string basic_credentials(std::string_view user_info);

// Makes `proxied_head`: the whole URL in the request line (RFC 9112 section 3.2.2), and `lines`, each with its CRLF.
void address_to_proxy(PreparedRequest& request, std::string_view lines);

// Makes `http2` of `head`.
void add_http2_head(PreparedRequest& request);

// Writes the hit's bytes (head, sequence number, blank line) to `to`, with room for head_to_send().size() + kSequenceRoom.
inline constexpr std::size_t kSequenceRoom = 24;
std::size_t render_head(const PreparedRequest& request, std::uint64_t sequence, char* to);

}  // namespace thrum::http
