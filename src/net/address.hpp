// An IP address as a small value, and the acts on sockets that need one. Ports are kept apart: a name has addresses, not ports.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thrum::net {

struct Address {
  bool is_v6 = false;
  std::array<unsigned char, 16> bytes{};  // network order; the first four for IPv4
  std::uint32_t zone = 0;                 // interface index of a link-local IPv6 address; 0: none
  bool operator==(const Address&) const = default;

  static Address v4(std::uint32_t host_order);
  static Address loopback_v6();
};

// "127.0.0.1", "::1", "fe80::1%eth0", "fe80::1%2": strict forms only, no brackets. An interface that does not exist is no address.
std::optional<Address> parse_address(std::string_view text);
std::string format_address(const Address& a);

// The address and port as the kernel takes them; returns the length.
socklen_t fill_sockaddr(const Address& a, std::uint16_t port, sockaddr_storage& out);
std::optional<Address> address_of(const sockaddr* from);

}  // namespace thrum::net
