// A server and its clients on the test's own thread: the loop turns while a client waits, and time goes on only when told to.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "net/reactor.hpp"
#include "net/socket.hpp"
#include "net/timers.hpp"
#include "serve/demo_site.hpp"
#include "serve/server.hpp"
#include "support/io.hpp"

namespace thrum::serve {

// Simulated time for servers and sites: stands still until Loop::advance().
struct TestClock {
  static inline Instant instant = now();
  static Instant get() { return instant; }
};

class Loop {
 public:
  Loop() : reactor_(net::Reactor::create(support::io_of_tests()).value()) {}

  // `make` builds the handler from the loop's timers.
  template <class Make>
  void serve(Make make, ServerOptions options = {}) {
    options.clock = TestClock::get;
    handler_ = make(timers_);
    server_ = std::make_unique<Server>(*reactor_, timers_, *handler_, options);
    Fd socket = net::listen_on(net::Address::v4(0x7f000001), 0).value();
    port_ = net::local_port(socket.get());
    server_->listen(std::move(socket));
  }
  void serve_demo(DemoOptions site = {}, ServerOptions options = {}) {
    site.clock = TestClock::get;
    serve([&](net::Timers& timers) { return std::make_unique<DemoSite>(timers, site); }, options);
    demo().describe(*server_);
  }

  void turn() {
    reactor_->wait(now() + std::chrono::milliseconds(5));
    timers_.run_due(TestClock::instant);
  }
  // Turns until `done` says so; false after many seconds without.
  template <class F>
  bool until(F done) {
    const Instant end = now() + std::chrono::seconds(20);
    while (!done()) {
      if (now() > end) return false;
      turn();
    }
    return true;
  }
  void advance(Nanos d) {
    TestClock::instant += d;
    timers_.run_due(TestClock::instant);
  }

  Server& server() { return *server_; }
  const Counters& counters() const { return server_->counters(); }
  DemoSite& demo() { return static_cast<DemoSite&>(*handler_); }
  std::uint16_t port() const { return port_; }

 private:
  std::unique_ptr<net::Reactor> reactor_;
  net::Timers timers_;
  std::unique_ptr<Handler> handler_;
  std::unique_ptr<Server> server_;
  std::uint16_t port_ = 0;
};

class Client {
 public:
  explicit Client(Loop& loop, int receive_buffer = 0) : loop_(&loop), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (receive_buffer > 0) setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(loop.port());
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }

  // All of it, while the loop turns; false if it never went.
  bool send(std::string_view bytes) {
    loop_->until([&] {
      const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
      return bytes.empty() || (n < 0 && errno != EAGAIN);
    });
    return bytes.empty();
  }
  // What the kernel takes at once; how much that was.
  std::size_t push(std::string_view bytes) {
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  // What came so far and was not taken yet.
  const std::string& received() {
    char buffer[64 * 1024];
    ssize_t n;
    while ((n = ::recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT)) > 0) received_.append(buffer, static_cast<std::size_t>(n));
    if (n == 0) ended_ = true;
    if (n < 0 && errno != EAGAIN) error_ = errno;
    return received_;
  }
  bool is_over() {
    received();
    return ended_ || error_ != 0;
  }
  std::string read(std::size_t bytes) {
    loop_->until([&] { return is_over() || received_.size() >= bytes; });
    return take(bytes);
  }
  // A head and the body that its Content-Length tells (none: no body).
  std::string read_response(bool head_request = false) {
    std::size_t head = 0, body = 0;
    loop_->until([&] {
      const bool over = is_over();
      const std::size_t end = received_.find("\r\n\r\n");
      if (end == received_.npos) return over;
      head = end + 4;
      const std::size_t length = received_.find("Content-Length: ");
      body = length < head && !head_request ? std::stoul(received_.substr(length + 16)) : 0;
      return over || received_.size() >= head + body;
    });
    return take(head + body);
  }
  std::string read_to_end() {
    loop_->until([&] { return is_over(); });
    return take(received_.size());
  }
  std::string ask(std::string_view request) {
    EXPECT_TRUE(send(request));
    return read_response();
  }
  std::string get(std::string_view path) { return ask("GET " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n\r\n"); }

  // Waits for the end; true if the server closed in good order.
  bool is_closed() {
    loop_->until([&] { return is_over(); });
    return ended_;
  }
  int error() const { return error_; }
  void forget() { std::string().swap(received_); }  // what came, and its memory
  void finish_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  void reset() {
    const linger hard{1, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    fd_.reset();
  }

 private:
  std::string take(std::size_t bytes) {
    bytes = std::min(bytes, received_.size());
    std::string out = received_.substr(0, bytes);
    received_.erase(0, bytes);
    return out;
  }

  Loop* loop_;
  Fd fd_;
  std::string received_;
  bool ended_ = false;
  int error_ = 0;
};

inline int status_of(std::string_view response) {
  return response.size() > 12 && response.starts_with("HTTP/1.1 ") ? std::stoi(std::string(response.substr(9, 3))) : 0;
}
inline std::string body_of(const std::string& response) {
  const std::size_t end = response.find("\r\n\r\n");
  return end == response.npos ? "" : response.substr(end + 4);
}

}  // namespace thrum::serve
