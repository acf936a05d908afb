// How a link gets to its endpoint when it does not simply go there. Made once per route; links only read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
};

}  // namespace thrum::net
