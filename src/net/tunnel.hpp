// What a proxy needs to hear before it passes bytes on to a link's endpoint, whatever language it speaks. One object per
// connection; the link sends what it says and feeds it what comes, and knows nothing else of proxies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "net/fault.hpp"

namespace thrum::net {

class Tunnel {
 public:
  enum class State : std::uint8_t { talking, open, refused };
  struct Step {
    State state = State::talking;
    std::string_view say = {};  // to be sent now; valid until the next call
    std::size_t used = 0;       // of the bytes given; what is left over when it is open comes from the endpoint
    Fault fault = {};           // why it was refused

    static Step refused(const Fault& fault) { return {State::refused, {}, 0, fault}; }
  };

  virtual ~Tunnel() = default;
  // Once, when the proxy can be spoken to.
  virtual Step begin() = 0;
  // While it is talking.
  virtual Step received(std::span<const char> bytes) = 0;
};

}  // namespace thrum::net
