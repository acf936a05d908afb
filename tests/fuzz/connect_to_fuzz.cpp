// Any text as the value of -connect-to: what is taken reads the same again when it is written out.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/connect_to.hpp"

namespace {

std::string side(const std::string& host, std::uint16_t port) {
  const bool needs_brackets = host.find(':') != std::string::npos;
  return (needs_brackets ? "[" + host + "]" : host) + ":" + (port == 0 ? "" : std::to_string(port));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entries = thrum::http::parse_connect_to({reinterpret_cast<const char*>(data), size});
  if (!entries) {
    if (entries.error().text.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  for (const auto& e : *entries) {
    const auto again = thrum::http::parse_connect_to(side(e.host, e.port) + ":" + side(e.to_host, e.to_port));
    if (!again || again->size() != 1) std::abort();
    const auto& same = again->front();
    if (same.host != e.host || same.port != e.port || same.to_host != e.to_host || same.to_port != e.to_port) std::abort();
  }
  return 0;
}
