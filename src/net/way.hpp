// How a link gets to its endpoint when it does not simply go there. Made once per route; links only read it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/address.hpp"
#include "net/tunnel.hpp"

namespace thrum::net {

// Where a TCP connection ends: a name or an IP literal, without brackets.
struct Place {
  std::string host;
  std::uint16_t port = 0;
  bool operator==(const Place&) const = default;
};

struct Way {
  std::string unix_path;      // not empty: over this socket ("@name": an abstract one), and no name is looked up
  std::vector<Place> places;  // connections end here, at each in turn; empty: at the endpoint's own host and port

  bool is_proxied = false;     // the places are a proxy's
  bool proxy_tls = false;      // which is spoken to over TLS
  bool needs_address = false;  // the endpoint's name is looked up for the tunnel, which gets an address then
  // What leads from the proxy to the endpoint; none: the proxy itself takes what is sent.
  std::function<std::unique_ptr<Tunnel>(const Endpoint& to, const Address* address)> tunnel;
};

}  // namespace thrum::net
