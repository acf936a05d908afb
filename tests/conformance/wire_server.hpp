// The answering server of the recorded wire cases: does after each request what its script says, and keeps each request's bytes as
// they came, body included. Plain sockets (or OpenSSL), a thread per connection; it shares no code with what it tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace thrum::golden {

struct WireStep {
  enum class Kind : std::uint8_t { send, sleep, close, reset } kind = Kind::send;
  std::string bytes;
  int milliseconds = 0;
};

struct WireConnection {
  enum class Start : std::uint8_t { reads, closes, resets } start = Start::reads;
  std::vector<std::vector<WireStep>> requests;  // the steps after each; the last are for all that follow
};

struct WireOptions {
  std::string unix_path;         // listens there instead of on a port
  std::string certificate, key;  // PEM; none: no TLS
  bool demands_certificate = false;
  bool asks_for_certificate = false;
  bool is_proxy = false;  // CONNECT opens a tunnel to where it says
  // By prior knowledge, without TLS. Requests are kept as if they were of HTTP/1.1, "GET /a HTTP/2", with names in capitals; of the
  // steps the sleeps and the bytes sent count, which are one response with a Content-Length.
  bool speaks_http2 = false;
  // What follows a request, whatever the script says.
  std::function<std::vector<WireStep>(const std::string& request)> answer;
};

// How a connection came.
struct WireArrival {
  std::string peer;  // "127.0.0.1"
  std::chrono::steady_clock::time_point at;
  std::vector<std::string> protocols;  // that TLS's ALPN offered
  bool was_resumed = false;
  bool showed_certificate = false;
};

class WireServer {
 public:
  // The last of the connections' scripts is for all that follow.
  explicit WireServer(std::vector<WireConnection> script, const WireOptions& options = {});
  ~WireServer();
  WireServer(const WireServer&) = delete;
  WireServer& operator=(const WireServer&) = delete;

  std::uint16_t port() const { return port_; }
  // Ends all connections; then, the requests of each connection in the order in which they were accepted.
  std::vector<std::vector<std::string>> finish();
  // Of those connections; to be read once it has finished.
  const std::vector<WireArrival>& arrivals() const { return arrivals_; }

 private:
  struct Link;
  void accept_all();
  void serve(int fd, std::size_t number);
  bool shake_hands(Link& link, std::size_t number);
  bool take_request(Link& link, std::string& request);
  void serve_http2(Link& link, std::size_t number);
  void tunnel(Link& link, const std::string& request);
  bool do_steps(Link& link, const std::vector<WireStep>& steps);

  const std::vector<WireConnection> script_;
  const std::function<std::vector<WireStep>(const std::string&)> answer_;
  const bool is_proxy_, speaks_http2_;
  ssl_ctx_st* tls_ = nullptr;
  int listener_ = -1;
  int ending_[2] = {-1, -1};  // a pipe that is closed at the end, to end sleeps
  std::uint16_t port_ = 0;

  std::mutex mutex_;
  bool is_over_ = false;
  std::vector<int> open_;
  std::vector<std::vector<std::string>> requests_;
  std::vector<WireArrival> arrivals_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace thrum::golden
