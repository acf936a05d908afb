// Proxies: how one is written, which targets go by which, and what is said to one. The environment's rules are those of Go's
// net/http, which vegeta follows; ALL_PROXY is curl's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/url.hpp"
#include "net/way.hpp"
#include "thrum/attacker.hpp"
#include "thrum/error.hpp"

namespace thrum::http {

struct Proxy {
  enum class Kind : std::uint8_t {
    http,
    https,
    socks5,   // we look up the target's name
    socks5h,  // the proxy does
  } kind = Kind::http;
  std::string host;  // a name or an IP literal, without brackets
  std::uint16_t port = 0;
  std::string user_info;  // "user:password", empty if none
  std::string shown;      // as a person may see it: the password is "***"

  bool is_socks() const { return kind == Kind::socks5 || kind == Kind::socks5h; }
};

// "http://user:password@host:3128", "socks5h://host"; without a scheme it is http. Errors name no password.
Expected<Proxy> parse_proxy(std::string_view text);

// Whether `url` is one of those that NO_PROXY excepts: "*", or a list of IP addresses, networks (10.0.0.0/8), names (and all
// below them), names with a leading dot or "*." (only those below), each with a port if only that one is meant.
bool is_excepted(std::string_view no_proxy, const Url& url);

class Proxies {
 public:
  Proxies() = default;
  // Errors: a proxy that is none, headers that can't be sent.
  static Expected<Proxies> create(const ProxyOptions& options);

  // By which proxy a target goes; null: straight.
  const Proxy* of(const Url& url) const;
  // The header lines for a request to `proxy` itself: credentials and what -proxy-header adds, each line with its CRLF.
  std::string lines_for(const Proxy& proxy) const;
  // How a link gets to `url` through `proxy`, or, as requests, to `proxy` itself.
  enum class Through : std::uint8_t { as_requests, tunnel };
  net::Way way_through(const Proxy& proxy, const Url& url, Through through) const;

 private:
  std::optional<Proxy> always_, for_http_, for_https_;
  std::string except_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

// Requests for http:// URLs can go to an HTTP proxy as they are, with the whole URL in their first line.
inline bool takes_whole_urls(const Proxy& proxy, const Url& url) { return !url.tls && !proxy.is_socks(); }

}  // namespace thrum::http
