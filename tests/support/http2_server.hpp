// A small HTTP/2 server for tests, by nghttp2's server side: with TLS and ALPN, or in clear text to clients that know. A
// thread per connection. It does what it is told, stream by stream, and remembers what came.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tls_server.hpp"

namespace thrum::support {

using Http2Fields = std::vector<std::pair<std::string, std::string>>;

struct Http2Seen {
  std::size_t connection = 0;  // in the order in which they were accepted, from 0
  std::size_t number = 0;      // of the request on its connection, from 0
  Http2Fields fields;
  std::string body;
  std::string field(const std::string& name) const;  // "" for none
};

struct Http2Answer {
  int status = 200;
  std::string body = "ok";
  Http2Fields fields = {};
  Http2Fields trailers = {};
  int interims = 0;                               // 103 before it
  std::optional<std::uint32_t> reset = {};        // RST_STREAM instead of it
  bool resets_after_head = false;                 // `reset` comes when the head has
  bool stays_silent = false;                      // no answer, ever
  bool ends_connection = false;                   // FIN instead of it
  std::optional<std::uint32_t> goaway_code = {};  // with ends_connection: GOAWAY first
};

struct Http2ServerOptions {
  std::optional<Pem> identity = {};                          // with TLS, and "h2" in ALPN
  std::uint32_t most_streams = 100;                          // that it announces
  std::uint32_t window = 65'535;                             // what a client may send before the server says more
  std::size_t goaway_after = 0;                              // requests of a connection; 0: never
  bool is_gated = false;                                     // answers nothing until open_gate()
  bool answers_before_body = false;                          // as soon as the head is there
  bool says_continue = false;                                // to each head that has a body coming
  std::function<Http2Answer(const Http2Seen&)> answer = {};  // on a connection's thread; none: 200 and "ok"
};

class Http2Server {
 public:
  explicit Http2Server(Http2ServerOptions options = {});
  ~Http2Server();
  Http2Server(const Http2Server&) = delete;
  Http2Server& operator=(const Http2Server&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(std::string_view path = "/") const;
  void open_gate() { gate_is_open_ = true; }

  std::vector<Http2Seen> seen() const;  // whole requests that it processed
  std::size_t requests() const { return seen().size(); }
  std::size_t accepted() const;
  std::size_t most_in_flight() const { return most_in_flight_; }  // on one connection
  std::vector<std::uint32_t> resets() const;                      // that clients sent, by code
  // Waits until `done`, for ten seconds at most.
  bool await(const std::function<bool()>& done) const;

 private:
  friend struct Http2Connection;
  void accept_all();
  void serve(int fd, std::size_t index);

  const Http2ServerOptions options_;
  ssl_ctx_st* context_ = nullptr;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> gate_is_open_;
  std::atomic<std::size_t> most_in_flight_{0};
  mutable std::mutex mutex_;
  bool ending_ = false;
  std::vector<int> open_;
  std::size_t accepted_ = 0;
  std::vector<Http2Seen> seen_;
  std::vector<std::uint32_t> resets_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace thrum::support
