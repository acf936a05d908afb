// What tests of links and reactors share: an owner and a handler that keep what they are told, and a plain server on the loop.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "net/network.hpp"
#include "net/socket.hpp"
#include "support/io.hpp"

namespace thrum::net {

inline std::unique_ptr<OwnNetwork> make_network(NetworkOptions options = {}) {
  if (options.io == Io::automatic) options.io = support::io_of_tests();
  auto made = OwnNetwork::create(std::move(options));
  EXPECT_TRUE(made) << made.error().text;
  return std::move(*made);
}

// Turns the loop until `done`, or fails after ten seconds.
inline void run_until(OwnNetwork& own, const std::function<bool()>& done) {
  const Instant limit = now() + std::chrono::seconds(10);
  while (!done()) {
    ASSERT_LT(now(), limit) << "nothing came";
    own.turn(limit);
  }
}

// Turns the loop until all that is under way on this host has been told: nothing came at a look, several times over.
inline void settle(OwnNetwork& own) {
  for (int i = 0; i < 20; ++i) own.turn(now());
}

inline std::span<const char> span_of(std::string_view s) { return {s.data(), s.size()}; }

// Keeps what its link tells.
struct Owner : LinkOwner {
  void on_up() override {
    ++ups;
    if (when_up) when_up();
  }
  void on_bytes(std::span<const char> b) override {
    bytes.append(b.begin(), b.end());
    if (when_bytes) when_bytes();
  }
  void on_skipped(std::size_t n) override { skipped += n; }
  void on_sent() override { ++sents; }
  void on_down(const Fault& f) override {
    ++downs;
    fault = f;
    if (when_down) when_down();
  }

  int ups = 0, downs = 0, sents = 0;
  std::string bytes;
  std::size_t skipped = 0;
  Fault fault;
  std::function<void()> when_up, when_bytes, when_down;
};

// Accepts on a port of the kernel's choice and keeps what comes.
struct Server : ListenHandler {
  struct Peer : SocketHandler {
    void on_connected(int) override {}
    void on_received(std::span<char> b) override {
      bytes.append(b.begin(), b.end());
      if (!echo) return;
      EXPECT_NE(reactor->send(id, b).state, SendOutcome::State::failed);
    }
    void on_skipped(std::size_t) override {}
    void on_sent() override {}
    void on_end(int e) override {
      ended = true;
      error = e;
      reactor->close(id);
    }
    Reactor* reactor = nullptr;
    SocketId id;
    std::string bytes;
    bool echo = false, ended = false;
    int error = 0;
  };

  Server(OwnNetwork& own, const Address& at, std::uint16_t wanted = 0) : reactor(own.network().reactor) {
    auto socket = listen_on(at, wanted);
    if (!socket) return;
    port = local_port(socket->get());
    listener = reactor.listen(std::move(*socket), *this);
  }
  ~Server() override {
    reactor.close(listener);
    for (const Peer& p : peers) reactor.close(p.id);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void on_accepted(Fd socket) override {
    Peer& p = peers.emplace_back();
    p.reactor = &reactor;
    p.echo = echo;
    p.id = reactor.adopt(std::move(socket), p, false);
    if (when_accepted) when_accepted(p);
  }
  void on_accept_error(int e) override { accept_error = e; }

  Reactor& reactor;
  SocketId listener;
  std::uint16_t port = 0;
  std::deque<Peer> peers;
  bool echo = false;
  int accept_error = 0;
  std::function<void(Peer&)> when_accepted;
};

// A port of the kernel's choice on which nobody listens (any more).
inline std::uint16_t free_port(const Address& at) {
  auto socket = listen_on(at, 0);
  return socket ? local_port(socket->get()) : std::uint16_t{0};
}

}  // namespace thrum::net
