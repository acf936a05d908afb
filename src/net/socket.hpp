// Making stream sockets: non-blocking, close-on-exec, over TCP with TCP_NODELAY; no other option of a connecting socket is
// touched, so that the host's own settings are what is measured.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.hpp"
#include "net/address.hpp"
#include "thrum/error.hpp"

namespace thrum::net {

struct Connecting {
  Fd socket;      // open when error is 0: connected or on its way (the reactor tells)
  int error = 0;  // errno
};
// `from`: the address of this host that it leaves from; null: the kernel's choice. The port is the kernel's in either case, and
// chosen for the whole connection, so that one local port serves towards many peers (IP_BIND_ADDRESS_NO_PORT).
Connecting start_connect(const Address& address, std::uint16_t port, const Address* from = nullptr);

// To a unix socket; "@name" is an abstract one. EAGAIN: as many wait there to be accepted as its listener lets wait; try again.
Connecting start_connect(const std::string& unix_path);
// The longest path that has a place in an address of a unix socket.
std::size_t longest_unix_path();

// True if EADDRNOTAVAIL from a connect to `address` means that this host has no local port left, not that it has no address
// of that family.
bool is_out_of_ports(const Address& address, const Address* from = nullptr);

// True if a connection ended at its own beginning: TCP lets a socket connect to itself when the kernel picks the asked port as
// the local one (RFC 9293 section 3.5, simultaneous open). Nobody listens there.
bool is_connected_to_itself(int fd, const Address& address, std::uint16_t port);

// A listening socket; port 0: chosen by the kernel. `share`: several sockets, one per thread, listen on the same port. IPv6
// sockets take IPv6 only.
Expected<Fd> listen_on(const Address& address, std::uint16_t port, bool share = false);
std::uint16_t local_port(int fd);

}  // namespace thrum::net
