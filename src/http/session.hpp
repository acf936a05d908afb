// A protocol on a connection. The owner (a connection of the load generator) feeds it bytes and asks it to send requests;
// nothing above knows which protocol it is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "http/request.hpp"
#include "http/response_parser.hpp"
#include "net/link.hpp"

namespace thrum::http {

// The owner's name for an exchange that a session carries.
using StreamId = std::uint32_t;

// How an exchange ended, as far as the protocol knows. Views live until the call returns.
struct Response {
  int status = 0;  // of the final status line, 0 if none came
  std::string_view reason;
  std::uint64_t body_bytes = 0;
  std::string_view location;
  ParseError error = ParseError::none;
  bool has_begun = false;  // something of it came before it ended
};

class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  virtual void on_first_byte(StreamId stream) = 0;
  // The exchange is over, well or not; the stream's name is free again.
  virtual void on_response(StreamId stream, const Response& response) = 0;
};

class Session {
 public:
  virtual ~Session() = default;
  // Sends a request. `request` and `capture` (may be null) live until on_response() or cancel().
  virtual net::SendOutcome submit(StreamId stream, const PreparedRequest& request, std::uint64_t sequence, ResponseCapture* capture) = 0;
  // Gives up an exchange without a word to the owner. False: the connection can't be used any more and must be closed.
  virtual bool cancel(StreamId stream) = 0;
  virtual std::size_t streams_free() const = 0;
  // False once the connection can't carry another request: the peer said so, or bytes came that nobody asked for.
  virtual bool is_reusable() const = 0;
  virtual bool has_begun(StreamId stream) const = 0;   // a byte of its response has come
  virtual int status_seen(StreamId stream) const = 0;  // 0 if the status line has not come
  virtual bool has_head(StreamId stream) const = 0;    // its headers are complete
  virtual std::uint64_t body_bytes(StreamId stream) const = 0;

  virtual void on_bytes(std::span<const char> bytes) = 0;
  virtual void on_skipped(std::size_t n) = 0;
  virtual void on_sent() = 0;  // what submit() could not get rid of at once has left
  // The peer ended the stream in good order (`clean`) or not; streams still open are answered with an error.
  virtual void on_end(bool clean) = 0;
};

// HTTP/1.1. `scratch` is the thread's room for rendering a request's head and grows as needed.
std::unique_ptr<Session> make_http1_session(net::Link& link, SessionOwner& owner, std::vector<char>& scratch);

}  // namespace thrum::http
