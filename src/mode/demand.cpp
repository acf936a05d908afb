#include "mode/demand.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "http/url.hpp"
#include "load/ways.hpp"
#include "net/address.hpp"
#include "net/hosts_file.hpp"
#include "net/local_addresses.hpp"

namespace thrum::mode {
namespace {

bool is_here(const std::string& host) {
  if (const auto address = net::parse_address(host)) return net::is_of_this_machine(*address);
  const std::string name = lower(host);
  if (name == "localhost" || name.ends_with(".localhost")) return true;  // RFC 6761 section 6.3
  const net::HostsFile file = net::HostsFile::load("/etc/hosts");
  const auto* const known = file.find(name);
  return known != nullptr && std::ranges::all_of(*known, net::is_of_this_machine);
}

// Requests share connections of HTTP/2, so that their number says nothing of how many there will be.
bool may_share(const AttackOptions& o, std::span<const std::string> urls) {
  if (o.h2c || o.http2_only) return true;
  const auto is_tls = [](const std::string& url) { return lower(url.substr(0, 6)) == "https:"; };
  return o.http2 && (urls.empty() || std::ranges::any_of(urls, is_tls));
}

// How many may be open at once by what was asked for; 0: no telling.
std::uint64_t most_connections(const AttackOptions& o, std::span<const std::string> urls) {
  if (o.preconnect > 0) return o.preconnect;
  std::uint64_t most = o.max_connections;
  if (!may_share(o, urls)) most = std::min(most, o.max_workers);
  if (most == kUnlimited) return 0;
  if (!o.shape.is_closed() && o.timeout > Nanos(0)) {  // no more can be in flight, however slow the target is
    const double in_flight = std::ceil(o.shape.peak() * static_cast<double>(o.timeout.count()) / 1e9);
    if (in_flight < 1e18) most = std::min(most, static_cast<std::uint64_t>(std::max(1.0, in_flight)));
  }
  return std::min(most, o.hits);
}

}  // namespace

void place_target(Demand& demand, const http::Url& url) {
  demand.is_on_this_machine = is_here(url.host);
  demand.port = url.port;
}

Demand demand_of(const AttackRequest& request, std::span<const std::string> urls) {
  const AttackOptions& o = request.options;
  Demand d;
  d.rate = o.shape.is_closed() ? 0 : o.shape.peak();
  d.duration = o.duration;
  if (const auto length = o.shape.length()) d.duration = d.duration > Nanos(0) ? std::min(d.duration, *length) : *length;
  d.hits = o.hits;
  d.connections = most_connections(o, urls);
  d.keep_alive = o.keep_alive;
  if (const auto local = load::local_addresses_of(o)) d.local_addresses = std::max<std::size_t>(1, local->size());
  d.is_over_tcp = o.unix_socket.empty();
  const bool goes_elsewhere = !d.is_over_tcp || !o.connect_to.empty() || !o.proxy.url.empty();
  if (goes_elsewhere || urls.empty()) return d;
  for (const std::string& text : urls) {
    const auto url = http::parse_url(text);
    if (!url) return d;
    place_target(d, *url);
    if (!d.is_on_this_machine) return d;
  }
  return d;
}

}  // namespace thrum::mode
