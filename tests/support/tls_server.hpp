// A small HTTPS server for tests: OpenSSL on blocking sockets, a thread per connection. It shares no code with what it tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct ssl_ctx_st;

namespace thrum::support {

struct Pem {
  std::string certificate, key;
};

// Signed by itself, for these DNS names and IPv4 addresses, valid between these days from now.
Pem make_certificate(const std::vector<std::string>& names, int from_day = -1, int to_day = 30);

// What the servers of tests share: an identity to show, and a port that the kernel chose.
void show_identity(ssl_ctx_st* context, const Pem& identity);
int listen_on_loopback(std::uint16_t& port);

struct TlsServerOptions {
  std::function<std::string(const std::string& request)> answer;  // none: 200 and "ok"
  bool ends_after_answer = false;                                 // each connection
  bool ends_politely = true;                                      // with close_notify
};

class TlsServer {
 public:
  explicit TlsServer(const Pem& identity, TlsServerOptions options = {});
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  std::string url(std::string_view host = "127.0.0.1") const { return "https://" + std::string(host) + ":" + std::to_string(port_) + "/"; }
  std::size_t handshakes() const { return handshakes_; }  // that were completed
  std::size_t requests() const { return requests_; }
  std::vector<std::string> names() const;  // that clients asked for (SNI), "" for none

 private:
  void accept_all();
  void serve(int fd);

  const TlsServerOptions options_;
  ssl_ctx_st* context_ = nullptr;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> handshakes_{0}, requests_{0};
  mutable std::mutex mutex_;
  bool ending_ = false;
  std::vector<int> open_;
  std::vector<std::string> names_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace thrum::support
