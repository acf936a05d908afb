// Making TCP sockets: non-blocking, close-on-exec, TCP_NODELAY; no other option of a connecting socket is touched, so that the
// host's own settings are what is measured.
#pragma once

#include <cstdint>

#include "base/fd.hpp"
#include "net/address.hpp"
#include "thrum/error.hpp"

namespace thrum::net {

struct Connecting {
  Fd socket;      // open when error is 0: connected or on its way (the reactor tells)
  int error = 0;  // errno
};
Connecting start_connect(const Address& address, std::uint16_t port);

// True if EADDRNOTAVAIL from a connect to `address` means that this host has no local port left, not that it has no address
// of that family.
bool is_out_of_ports(const Address& address);

// True if a connection ended at its own beginning: TCP lets a socket connect to itself when the kernel picks the asked port as
// the local one (RFC 9293 section 3.5, simultaneous open). Nobody listens there.
bool is_connected_to_itself(int fd, const Address& address, std::uint16_t port);

// A listening socket; port 0: chosen by the kernel. `share`: several sockets, one per thread, listen on the same port. IPv6
// sockets take IPv6 only.
Expected<Fd> listen_on(const Address& address, std::uint16_t port, bool share = false);
std::uint16_t local_port(int fd);

}  // namespace thrum::net
