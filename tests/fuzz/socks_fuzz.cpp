// Any bytes as a SOCKS server's replies, in pieces: the tunnel takes no more than there is, never stands still, and says the same
// whatever the pieces.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "net/socks.hpp"

namespace {

using thrum::net::Tunnel;

std::string talk(std::span<const char> server, std::size_t piece) {
  const auto tunnel = thrum::net::make_socks_tunnel({"shop.test", 80, false, {}}, nullptr, thrum::net::SocksLogin{"user", "password"});
  Tunnel::Step step = tunnel->begin();
  std::string said(step.say);
  while (step.state == Tunnel::State::talking && !server.empty()) {
    const auto bytes = server.first(std::min(piece, server.size()));
    step = tunnel->received(bytes);
    if (step.used > bytes.size() || (step.used == 0 && step.state == Tunnel::State::talking)) std::abort();
    said += step.say;
    server = server.subspan(step.used);
  }
  if (step.state == Tunnel::State::refused) said += thrum::net::describe(step.fault, {});
  return said + std::to_string(static_cast<int>(step.state)) + (step.state == Tunnel::State::open ? std::to_string(server.size()) : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const char*>(data), size);
  if (talk(bytes, 1) != talk(bytes, 4096)) std::abort();
  return 0;
}
