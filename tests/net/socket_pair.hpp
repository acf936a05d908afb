// A connected pair of sockets, and a handler that writes down all that it is told.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "net/reactor.hpp"
#include "net/socket.hpp"

namespace thrum::net {

const inline Address kV4 = Address::v4(0x7f000001);

// A connected pair of TCP sockets on loopback; `far` is used by plain calls.
struct Pair {
  Pair() {
    const auto listener = listen_on(kV4, 0);
    near = start_connect(kV4, local_port(listener->get())).socket;
    pollfd ready{listener->get(), POLLIN, 0};
    ::poll(&ready, 1, 10'000);
    far = Fd(::accept(listener->get(), nullptr, nullptr));
  }
  void say(std::string_view s) const { EXPECT_EQ(::write(far.get(), s.data(), s.size()), static_cast<ssize_t>(s.size())); }
  void reset() {
    const linger hard{1, 0};
    setsockopt(far.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    far.reset();
  }
  // Until the near side has it: loopback delivers at once, but let no test depend on that.
  void await(short what) const {
    pollfd ready{near.get(), what, 0};
    EXPECT_EQ(::poll(&ready, 1, 10'000), 1);
  }
  Fd near, far;
};

// Writes down everything that it is told.
struct Log : SocketHandler {
  void on_connected(int error) override { note("connected " + std::to_string(error), when_connected); }
  void on_received(std::span<char> b) override {
    bytes.append(b.begin(), b.end());
    note("received " + std::to_string(b.size()), when_received);
  }
  void on_skipped(std::size_t n) override {
    skipped += n;
    note("skipped " + std::to_string(n), when_skipped);
  }
  void on_sent() override { note("sent", when_sent); }
  void on_end(int error) override { note("end " + std::to_string(error), when_end); }

  void note(std::string what, const std::function<void()>& then) {
    lines.push_back(std::move(what));
    if (then) then();
  }
  bool saw(const std::string& line) const { return std::ranges::find(lines, line) != lines.end(); }

  SocketId id;
  std::string bytes;
  std::size_t skipped = 0;
  std::vector<std::string> lines;
  std::function<void()> when_connected, when_received, when_skipped, when_sent, when_end;
};

}  // namespace thrum::net
