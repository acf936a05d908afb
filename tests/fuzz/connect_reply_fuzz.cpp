// Any bytes as a proxy's answer to CONNECT, in pieces, and as the text of a proxy and of a NO_PROXY list.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/connect_tunnel.hpp"
#include "http/proxy.hpp"

namespace {

using thrum::net::Tunnel;

std::string outcome(std::span<const char> answer, std::size_t piece) {
  const auto tunnel = thrum::http::make_connect_tunnel("shop.test:443", "");
  Tunnel::Step step = tunnel->begin();
  step.say = {};
  while (step.state == Tunnel::State::talking && !answer.empty()) {
    const auto bytes = answer.first(std::min(piece, answer.size()));
    step = tunnel->received(bytes);
    if (step.used > bytes.size() || !step.say.empty()) std::abort();
    answer = answer.subspan(step.used);
  }
  return std::to_string(static_cast<int>(step.state)) + " " + std::to_string(step.fault.code) + " " +
         (step.state == Tunnel::State::open ? std::to_string(answer.size()) : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (outcome({text.data(), size}, 1) != outcome({text.data(), size}, 4096)) std::abort();
  if (const auto proxy = thrum::http::parse_proxy(text)) {
    if (proxy->host.empty() || proxy->port == 0) std::abort();
    const auto again = thrum::http::parse_proxy(proxy->shown);
    if (again && (again->port != proxy->port || again->kind != proxy->kind)) std::abort();
  }
  for (const char* url : {"http://shop.test/", "https://10.1.2.3/", "http://[fd00::1]:8080/"})
    thrum::http::is_excepted(text, *thrum::http::parse_url(url));
  return 0;
}
