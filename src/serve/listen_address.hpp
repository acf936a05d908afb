// HOST:PORT of something that listens here: -addr, -tls, a metrics page. Numeric addresses and localhost only: what to listen
// on is not to be looked up. "" and "*" are all interfaces of both families; port 0 is chosen by the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "net/address.hpp"
#include "thrum/error.hpp"

namespace thrum::serve {

struct ListenAddress {
  std::vector<net::Address> addresses;  // tried in turn; more than one: those of both families
  std::uint16_t port = 0;
};

// "127.0.0.1:8080", "[::1]:0", "localhost:8080", ":8080". `flag` is named in the error.
Expected<ListenAddress> parse_listen_address(std::string_view text, std::string_view flag);

struct Listening {
  std::vector<Fd> sockets;
  std::uint16_t port = 0;
  std::string authority;  // how a client on this machine reaches it: "127.0.0.1:8080"
};

// Errors say what to do: a port in use, one that only root may take, an address this machine does not have.
Expected<Listening> listen_on(const ListenAddress& address, std::string_view flag);

}  // namespace thrum::serve
