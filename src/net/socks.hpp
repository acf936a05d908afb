// The client's side of SOCKS version 5 (RFC 1928), with user name and password (RFC 1929).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/address.hpp"
#include "net/tunnel.hpp"

namespace thrum::net {

struct SocksLogin {
  std::string user, password;  // 1 to 255 bytes each
};
inline constexpr std::size_t kLongestSocksText = 255;  // of a name, a user or a password

// Asks for `to`, by `address` if there is one, else by name: then the proxy looks it up.
std::unique_ptr<Tunnel> make_socks_tunnel(const Endpoint& to, const Address* address, const std::optional<SocksLogin>& login);

// Codes of Fault::Source::socks: the reply as RFC 1928 section 6 numbers it (1 … 8), or one of these.
inline constexpr std::int64_t kSocksNoMethod = 0x100;  // none of the ways to log in that we offer
inline constexpr std::int64_t kSocksNotLoggedIn = 0x101;
inline constexpr std::int64_t kSocksMalformed = 0x102;  // bytes that are not SOCKS 5
inline constexpr std::int64_t kSocksNameTooLong = 0x103;
std::string_view describe_socks(std::int64_t code);

}  // namespace thrum::net
