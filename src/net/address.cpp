#include "net/address.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace thrum::net {
namespace {

constexpr std::size_t kMaxText = INET6_ADDRSTRLEN + IF_NAMESIZE;

// RFC 4007 section 11.2: a zone is an index or an interface's name.
std::optional<std::uint32_t> parse_zone(const std::string& text) {
  if (text.empty() || text.size() >= IF_NAMESIZE) return std::nullopt;
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc() && end == text.data() + text.size()) return index == 0 ? std::nullopt : std::optional(index);
  index = if_nametoindex(text.c_str());
  return index == 0 ? std::nullopt : std::optional(index);
}

}  // namespace

Address Address::v4(std::uint32_t host_order) {
  Address a;
  for (int i = 0; i < 4; ++i) a.bytes[static_cast<std::size_t>(i)] = static_cast<unsigned char>(host_order >> (24 - 8 * i));
  return a;
}

Address Address::loopback_v6() {
  Address a;
  a.is_v6 = true;
  a.bytes[15] = 1;
  return a;
}

std::optional<Address> parse_address(std::string_view text) {
  if (text.empty() || text.size() > kMaxText || text.find('\0') != text.npos) return std::nullopt;
  Address a;
  const std::size_t percent = text.find('%');
  const std::string plain(text.substr(0, percent));
  if (percent == text.npos && inet_pton(AF_INET, plain.c_str(), a.bytes.data()) == 1) return a;
  if (inet_pton(AF_INET6, plain.c_str(), a.bytes.data()) != 1) return std::nullopt;
  a.is_v6 = true;
  if (percent != text.npos) {
    const auto zone = parse_zone(std::string(text.substr(percent + 1)));
    if (!zone) return std::nullopt;
    a.zone = *zone;
  }
  return a;
}

std::string format_address(const Address& a) {
  char text[INET6_ADDRSTRLEN];
  inet_ntop(a.is_v6 ? AF_INET6 : AF_INET, a.bytes.data(), text, sizeof text);
  std::string out = text;
  if (a.zone != 0) {
    char name[IF_NAMESIZE];
    out += '%';
    out += if_indextoname(a.zone, name) != nullptr ? std::string(name) : std::to_string(a.zone);
  }
  return out;
}

socklen_t fill_sockaddr(const Address& a, std::uint16_t port, sockaddr_storage& out) {
  out = {};
  if (a.is_v6) {
    auto& in = reinterpret_cast<sockaddr_in6&>(out);
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    in.sin6_scope_id = a.zone;
    std::memcpy(&in.sin6_addr, a.bytes.data(), 16);
    return sizeof in;
  }
  auto& in = reinterpret_cast<sockaddr_in&>(out);
  in.sin_family = AF_INET;
  in.sin_port = htons(port);
  std::memcpy(&in.sin_addr, a.bytes.data(), 4);
  return sizeof in;
}

std::optional<Address> address_of(const sockaddr* from) {
  Address a;
  if (from->sa_family == AF_INET) {
    std::memcpy(a.bytes.data(), &reinterpret_cast<const sockaddr_in*>(from)->sin_addr, 4);
    return a;
  }
  if (from->sa_family != AF_INET6) return std::nullopt;
  const auto& in = *reinterpret_cast<const sockaddr_in6*>(from);
  a.is_v6 = true;
  a.zone = in.sin6_scope_id;
  std::memcpy(a.bytes.data(), &in.sin6_addr, 16);
  return a;
}

}  // namespace thrum::net
