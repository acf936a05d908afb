// A server for tests that does what it is told, byte for byte and pause for pause, and remembers what came. Plain sockets and
// poll() on a thread of its own, on a loopback port of the kernel's choice: it shares no code with what it tests.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "script.hpp"

namespace thrum::support {

struct ServerOptions {
  bool ipv6 = false;               // on ::1 alone, instead of 127.0.0.1 alone
  std::string unix_path = {};      // on this unix socket, instead of on loopback; "@name": an abstract one
  std::size_t accepts = SIZE_MAX;  // so many connections; then it stops listening, and more are refused
};

class ScriptedServer {
 public:
  // `scripts(i)` is what the i-th accepted connection does. Called on the server's thread.
  using Scripts = std::function<Script(std::size_t connection)>;
  explicit ScriptedServer(Scripts scripts, ServerOptions options = {});
  explicit ScriptedServer(Script script, ServerOptions options = {}) : ScriptedServer([script](std::size_t) { return script; }, options) {}
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string authority() const { return (options_.ipv6 ? "[::1]:" : "127.0.0.1:") + std::to_string(port_); }
  std::string url(std::string_view path = "/") const { return "http://" + authority() + std::string(path); }

  // What it saw; from any thread.
  std::vector<Seen> seen() const;
  std::size_t requests() const;
  std::size_t accepted() const;
  std::size_t open() const;       // now
  std::size_t open_peak() const;  // most at once, by what clients had open: one that they had closed doesn't count
  std::size_t received() const;   // bytes, whether a script took them or not
  std::size_t resets() const;     // connections that the client ended with RST
  // Waits until `done`, asked again whenever something happens. False after ten seconds (a minute under a sanitizer's weight).
  bool await(const std::function<bool()>& done) const;

  void open_gate();       // for those that wait at a gate, and all that come
  void stop_listening();  // connections stay
  void listen_again();    // on the same port
  void reset_all();       // RST to every connection

 private:
  struct Connection;

  void run();
  void accept_one();
  void note_peak();
  bool receive(Connection& c);
  bool go_on(Connection& c);
  bool flush(Connection& c);
  bool take_request(Connection& c);
  bool take_head(Connection& c);
  bool take_body(Connection& c);
  void note(Connection& c, Seen seen);
  void close(Connection& c, bool hard);
  void command(std::function<void()> action);
  int timeout() const;

  const Scripts scripts_;
  const ServerOptions options_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wakeup_[2] = {-1, -1};

  // The server's thread alone.
  std::vector<std::unique_ptr<Connection>> connections_;
  std::chrono::steady_clock::time_point frozen_until_{};
  bool was_frozen_ = false, gate_is_open_ = false, ending_ = false;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Seen> seen_;
  std::size_t accepted_ = 0, open_ = 0, open_peak_ = 0, resets_ = 0, received_ = 0;
  std::vector<std::function<void()>> commands_;

  std::thread thread_;
};

// A port whose listener never accepts and whose queue is full: connecting to it takes for ever.
class FullBacklog {
 public:
  FullBacklog();
  ~FullBacklog();
  FullBacklog(const FullBacklog&) = delete;
  FullBacklog& operator=(const FullBacklog&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int listener_ = -1;
  std::vector<int> fillers_;
  std::uint16_t port_ = 0;
};

// A loopback port that is taken, so that nobody else gets it, and on which nobody listens: connections are refused.
class RefusingPort {
 public:
  RefusingPort();
  ~RefusingPort();
  RefusingPort(const RefusingPort&) = delete;
  RefusingPort& operator=(const RefusingPort&) = delete;
  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace thrum::support
