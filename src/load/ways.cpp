#include "load/ways.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "net/local_addresses.hpp"
#include "net/resolver.hpp"
#include "net/socket.hpp"

namespace thrum::load {
namespace {

bool matches(const ConnectTo& entry, const http::Url& url) {
  return (entry.host.empty() || equal_ignoring_case(entry.host, url.host)) && (entry.port == 0 || entry.port == url.port);
}

bool is_for_the_same(const ConnectTo& a, const ConnectTo& b) { return equal_ignoring_case(a.host, b.host) && a.port == b.port; }

Expected<void> check_unix_socket(const AttackOptions& o) {
  const auto over_both = [](std::string_view flag) {
    return usage_error(fmt::format("-unix-socket and {} exclude each other: a unix socket has no network", flag));
  };
  if (!o.connect_to.empty()) return over_both("-connect-to");
  if (!o.local_addresses.empty()) return over_both("-laddr");
  if (!o.resolvers.empty()) return over_both("-resolvers");
  if (!o.proxy.url.empty()) return over_both("-proxy");
  if (o.unix_socket.size() > net::longest_unix_path())
    return usage_error(fmt::format("-unix-socket={} is longer than the {} bytes that a socket's path may have",
                                   printable_prefix(o.unix_socket, 40), net::longest_unix_path()));
  if (o.unix_socket.find('\0') != std::string::npos) return usage_error("-unix-socket: a path holds no zero byte");
  return {};
}

}  // namespace

Expected<void> check_ways(const AttackOptions& o) {
  if (!o.unix_socket.empty()) return check_unix_socket(o);
  if (!o.connect_to.empty() && !o.proxy.url.empty())
    return usage_error("-connect-to and -proxy exclude each other: what the one leads elsewhere would pass the other by");
  if (auto proxies = http::Proxies::create(o.proxy); !proxies) return std::unexpected(std::move(proxies.error()));
  if (auto local = local_addresses_of(o); !local) return std::unexpected(std::move(local.error()));
  net::ResolverOptions dns;
  dns.servers = o.resolvers;
  return net::Resolver::check(dns);
}

Expected<std::vector<net::Address>> local_addresses_of(const AttackOptions& o) {
  auto local = net::parse_local_addresses(o.local_addresses);
  if (!local) return std::unexpected(Error{local.error().kind, "-laddr: " + local.error().text});
  return local;
}

Ways::Ways(const AttackOptions& options)
    : unix_socket_(options.unix_socket),
      connect_to_(options.connect_to),
      http2_(options.http2),
      http2_only_(options.http2_only),
      h2c_(options.h2c) {
  if (auto proxies = http::Proxies::create(options.proxy)) proxies_ = std::move(*proxies);
}

void Ways::choose(const http::Url& url, Route& route) const {
  using Http2 = Route::Http2;
  if (url.tls)
    route.http2 = http2_only_ ? Http2::always : http2_ ? Http2::if_chosen : Http2::never;
  else
    route.http2 = h2c_ || http2_only_ ? Http2::always : Http2::never;
  net::Way& way = route.way;
  way.unix_path = unix_socket_;
  if (!way.unix_path.empty()) return;
  const auto first = std::ranges::find_if(connect_to_, [&](const ConnectTo& entry) { return matches(entry, url); });
  for (auto at = first; at != connect_to_.end(); ++at) {
    if (!is_for_the_same(*first, *at)) continue;
    way.places.push_back({at->to_host.empty() ? url.host : at->to_host, at->to_port == 0 ? url.port : at->to_port});
  }
  if (!way.places.empty()) return;
  const http::Proxy* proxy = proxies_.of(url);
  if (proxy == nullptr) return;
  route.proxy = proxy->shown;
  // A proxy takes requests by HTTP/1.1: HTTP/2 goes through it as TLS does.
  route.takes_whole_urls = route.http2 != Http2::always && http::takes_whole_urls(*proxy, url);
  way = proxies_.way_through(*proxy, url, route.takes_whole_urls ? http::Proxies::Through::as_requests : http::Proxies::Through::tunnel);
  if (route.takes_whole_urls) route.proxy_lines = proxies_.lines_for(*proxy);
}

}  // namespace thrum::load
