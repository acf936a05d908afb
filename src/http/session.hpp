// A protocol on a connection. The owner (a connection of the load generator) feeds it bytes and asks it to send requests;
// nothing above knows which protocol it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "http/request.hpp"
#include "http/response_parser.hpp"
#include "net/link.hpp"
#include "thrum/watcher.hpp"

namespace thrum::http {

// How long a body waits for "100 Continue" before it is sent all the same (RFC 9110 section 10.1.1).
inline constexpr std::chrono::seconds kContinueWait{1};

// The owner's name for an exchange that a session carries.
using StreamId = std::uint32_t;

enum class Protocol : std::uint8_t { http1, http2 };
inline constexpr std::size_t kProtocols = 2;

// How far a request got, for deciding whether it may be sent again when its connection is lost.
enum class Reach : std::uint8_t {
  unsent,  // nothing of it has left
  silent,  // it left, or may have, and nothing has come from the peer since
  heard,   // something has
};

// How an exchange ended, as far as the protocol knows. Views live until the call returns.
struct Response {
  int status = 0;  // of the final status line, 0 if none came
  std::string_view reason;
  std::uint64_t body_bytes = 0;
  std::string_view location;
  ParseError error = ParseError::none;
  bool has_begun = false;       // something of it came before it ended
  bool is_unprocessed = false;  // the request has not been looked at, by the server's own word: it may be sent again, whatever it is
  bool is_left_out = false;     // so it is because the server is going away, and it took others of this connection
  std::uint32_t code = 0;       // HTTP/2's error code, where `error` is one of HTTP/2's; the errno for not_sent
};

class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  virtual void on_first_byte(StreamId stream) = 0;
  // The exchange is over, well or not; the stream's name is free again.
  virtual void on_response(StreamId stream, const Response& response) = 0;
  // There may be something to flush(), for another reason than a call of the owner's or bytes that came in.
  virtual void on_unflushed() = 0;
  // Who wants to see the bytes; null: nobody. The same throughout.
  virtual ConnectionWatcher* watcher() const { return nullptr; }
};

class Session {
 public:
  virtual ~Session() = default;
  // Sends a request. `request` and `capture` (may be null) live until on_response() or cancel().
  virtual net::SendOutcome submit(StreamId stream, const PreparedRequest& request, std::uint64_t sequence, ResponseCapture* capture) = 0;
  // Sends what submit(), cancel() and what came in have left to be sent, if that waits for it (is_multiplexed()). Once per turn
  // of the loop, so that the requests of many streams leave together. May end exchanges.
  virtual net::SendOutcome flush() { return {}; }
  // Gives up an exchange without a word to the owner. False: the connection can't be used any more and must be closed.
  virtual bool cancel(StreamId stream) = 0;
  virtual Protocol protocol() const = 0;
  virtual std::size_t streams_free() const = 0;
  virtual std::size_t most_streams() const = 0;  // at once
  // False once the connection can't carry another request: the peer said so, or bytes came that nobody asked for.
  virtual bool is_reusable() const = 0;
  virtual bool has_begun(StreamId stream) const = 0;   // a byte of its response has come
  virtual int status_seen(StreamId stream) const = 0;  // 0 if the status line has not come
  virtual bool has_head(StreamId stream) const = 0;    // its headers are complete
  virtual std::uint64_t body_bytes(StreamId stream) const = 0;
  virtual bool is_sent(StreamId stream) const = 0;  // the whole request has left
  virtual Reach reach(StreamId stream) const = 0;

  virtual void on_bytes(std::span<const char> bytes) = 0;
  virtual void on_skipped(std::size_t n) = 0;
  virtual void on_sent() = 0;  // what submit() could not get rid of at once has left
  // The peer ended the stream in good order (`clean`) or not; streams still open are answered with an error.
  virtual void on_end(bool clean) = 0;
};

// What the HTTP/1.1 sessions of a thread share.
struct Http1Shared {
  std::vector<char> scratch;  // room for a request's head until it is sent; grows as needed
  KnownHeads known;
};
// HTTP/1.1. `shared` outlives the session.
std::unique_ptr<Session> make_http1_session(net::Link& link, SessionOwner& owner, Http1Shared& shared);

class Http2Memory;
struct Http2Options {
  std::size_t most_streams = 250;      // at once; fewer if the server allows fewer
  std::size_t expected_streams = 100;  // what the server is taken to allow until it says so
  Http2Memory* memory = nullptr;       // the thread's, which outlives the session; null: the heap
};
// HTTP/2 by nghttp2, on a link that is up: after ALPN, or with prior knowledge. `out` is the thread's room for what flush()
// sends and grows as needed; no session keeps anything in it.
std::unique_ptr<Session> make_http2_session(net::Link& link, SessionOwner& owner, std::vector<char>& out, const Http2Options& options);

}  // namespace thrum::http
