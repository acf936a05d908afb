// How this machine treats TCP connections. Paths are taken below `root`, which only tests set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace thrum::host {

struct TcpSettings {
  std::optional<std::uint64_t> time_wait_reuse;  // net.ipv4.tcp_tw_reuse: 0: never; 1: for any connection we open; 2: on loopback
  std::optional<std::uint64_t> timestamps;       // net.ipv4.tcp_timestamps, which that needs; 0: off
  std::optional<std::uint64_t> most_waiting;     // net.core.somaxconn: the longest queue a listener may have
  std::string congestion_control;                // of new connections; empty: unknown
};
TcpSettings tcp_settings(const std::string& root = {});

// Local ports that rest now, of connections that this machine closed first.
std::optional<std::uint64_t> time_waits(const std::string& root = {});

// Who listens on a port of this machine: how many connections wait to be accepted, and how many may. Of several listeners the one
// with the least room.
struct Listener {
  std::uint64_t waiting = 0;
  std::optional<std::uint64_t> room;  // only the kernel itself says so, not /proc
};
std::optional<Listener> listener_on(std::uint16_t port, const std::string& root = {});
std::optional<Listener> listener_in(const std::string& table, std::uint16_t port);  // the text of /proc/net/tcp or tcp6

}  // namespace thrum::host
