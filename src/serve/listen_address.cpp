#include "serve/listen_address.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "net/socket.hpp"

namespace thrum::serve {
namespace {

std::vector<net::Address> addresses_of(std::string_view host) {
  net::Address any_v6;
  any_v6.is_v6 = true;
  if (host.empty() || host == "*") return {net::Address::v4(0), any_v6};
  if (equal_ignoring_case(host, "localhost")) return {net::Address::v4(0x7f000001), net::Address::loopback_v6()};
  const auto address = net::parse_address(host);
  return address ? std::vector{*address} : std::vector<net::Address>();
}

// How this machine reaches what listens there: all interfaces include the loopback one.
std::string authority_of(net::Address a, std::uint16_t port) {
  net::Address any;
  any.is_v6 = a.is_v6;
  if (a == any) a = a.is_v6 ? net::Address::loopback_v6() : net::Address::v4(0x7f000001);
  const std::string host = net::format_address(a);
  return a.is_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

bool says(const Error& error, int code) { return error.text.ends_with(std::strerror(code)); }

// What to do about it, after the error's own words.
std::string advice(const Error& error, std::uint16_t port, std::string_view flag) {
  if (says(error, EADDRINUSE))
    return fmt::format("; something listens there already: stop it, or give another port ({}=127.0.0.1:0 takes a free one)", flag);
  if (says(error, EACCES)) return fmt::format("; ports below 1024 are for root: give a higher one than {} with {}", port, flag);
  if (says(error, EADDRNOTAVAIL)) return fmt::format("; this machine has no such address: give one of its own with {}", flag);
  return "";
}

}  // namespace

Expected<ListenAddress> parse_listen_address(std::string_view text, std::string_view flag) {
  const auto wrong = [&](std::string_view what) {
    return usage_error(fmt::format("{} \"{}\": {}; it should be HOST:PORT, such as 127.0.0.1:18080, [::1]:18080 or :0", flag,
                                   printable_prefix(text, 80), what));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return wrong("no port");
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (bracketed != (host.find(':') != host.npos)) return wrong("an IPv6 address stands in brackets");

  ListenAddress out;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) return wrong("the port is no number up to 65535");
  out.addresses = addresses_of(host);
  if (out.addresses.empty()) return wrong("the host is neither an IP address of this machine nor localhost");
  return out;
}

// With port 0 the families share the port that the first one got; a machine without IPv6 is served on IPv4.
Expected<Listening> listen_on(const ListenAddress& address, std::string_view flag) {
  Listening out;
  out.port = address.port;
  std::optional<Error> failed;
  for (const net::Address& a : address.addresses) {
    Expected<Fd> socket = net::listen_on(a, out.port);
    if (!socket) {
      const bool taken = says(socket.error(), EADDRINUSE);
      failed = std::move(socket.error());
      failed->text += advice(*failed, out.port, flag);
      if (taken) break;
      continue;
    }
    if (out.port == 0) out.port = net::local_port(socket->get());
    if (out.authority.empty()) out.authority = authority_of(a, out.port);
    out.sockets.push_back(std::move(*socket));
    failed.reset();
  }
  if (failed && (out.sockets.empty() || failed->text.find(std::strerror(EADDRINUSE)) != std::string::npos))
    return std::unexpected(std::move(*failed));
  return out;
}

}  // namespace thrum::serve
