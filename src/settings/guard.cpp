#include "settings/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace thrum::settings {
namespace {

// Case, brackets, a port and the dot of the root mean nothing here.
std::string bare_host(std::string_view host) {
  if (host.starts_with('[')) {
    host = host.substr(1, std::min(host.find(']'), host.size()) - 1);
  } else if (const std::size_t colon = host.find(':'); colon != host.npos) {
    const std::string_view port = host.substr(colon + 1);
    if (std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; })) host = host.substr(0, colon);
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  return lower(host);
}

bool is_within(std::span<const unsigned char> address, const net::Address& network, int bits) {
  if (address.size() != (network.is_v6 ? 16U : 4U)) return false;
  for (int i = 0; i < bits; i += 8) {
    const auto mask = static_cast<unsigned char>(bits - i >= 8 ? 0xff : 0xff << (8 - (bits - i)));
    const auto at = static_cast<std::size_t>(i / 8);
    if (((address[at] ^ network.bytes[at]) & mask) != 0) return false;
  }
  return true;
}

// ::ffff:10.0.0.1 is 10.0.0.1: the kernel goes there.
std::span<const unsigned char> unmapped(std::span<const unsigned char> address) {
  constexpr unsigned char kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return address.size() == 16 && std::equal(std::begin(kMapped), std::end(kMapped), address.begin()) ? address.subspan(12) : address;
}

template <class Visit>
Expected<void> for_each_item(std::string_view list, Visit&& visit) {
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (auto done = visit(trim(list.substr(0, comma))); !done) return done;
    if (comma == list.size()) return {};
    list.remove_prefix(comma + 1);
  }
}

// Whether each source that has entries has one that fits.
template <class Entries, class Fits>
bool all_sources_allow(const Entries& entries, Fits&& fits) {
  for (const auto& entry : entries) {
    const bool is_allowed = std::ranges::any_of(entries, [&](const auto& e) { return e.source == entry.source && fits(e); });
    if (!is_allowed) return false;
  }
  return true;
}

template <class Entries>
std::string listed(const Entries& entries) {
  std::string out;
  for (const auto& entry : entries) out += (out.empty() ? "" : ", ") + entry.text;
  return out;
}

std::string rate_text(double rate) { return fmt::format("{:g}/s", rate); }

}  // namespace

Expected<void> Guard::allow_hosts(std::string_view patterns) {
  return for_each_item(patterns, [&](std::string_view text) -> Expected<void> {
    const bool is_any = text == "*", is_tree = text.starts_with("*.") || text.starts_with('.');
    const std::string name = bare_host(is_tree ? text.substr(text.find('.') + 1) : text);
    if (name.empty() || (!is_any && name.find_first_of("*/ @?#") != name.npos))
      return usage_error(
          fmt::format("\"{}\" is no host: shop.test is one, .shop.test it and all below it, * any", printable_prefix(text, 60)));
    hosts_.push_back({source_, std::string(text), name, is_tree, is_any});
    return {};
  });
}

Expected<void> Guard::allow_networks(std::string_view networks) {
  return for_each_item(networks, [&](std::string_view text) -> Expected<void> {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto address = net::parse_address(text.substr(0, slash));
    const int most = address && address->is_v6 ? 128 : 32;
    int bits = most;
    const std::string_view digits = text.substr(std::min(slash + 1, text.size()));
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    const bool is_good =
        slash == text.size() || (failed == std::errc() && end == digits.data() + digits.size() && bits >= 0 && bits <= most);
    if (!address || !is_good)
      return usage_error(fmt::format("\"{}\" is no network, like 10.0.0.0/8, 192.0.2.7 or fd00::/8", printable_prefix(text, 60)));
    networks_.push_back({source_, std::string(text), *address, bits});
    return {};
  });
}

std::string Guard::host_fault(std::string_view host) const {
  if (hosts_.empty()) return {};
  const std::string name = bare_host(host);
  const auto fits = [&](const Pattern& p) {
    if (p.is_any || name == p.name) return true;
    return p.is_tree && name.size() > p.name.size() && name.ends_with(p.name) && name[name.size() - p.name.size() - 1] == '.';
  };
  if (!name.empty() && all_sources_allow(hosts_, fits)) return {};
  return fmt::format("host \"{}\" is outside of -allow-host={}", printable_prefix(host, 80), printable_prefix(listed(hosts_), 120));
}

Expected<void> Guard::check_host(std::string_view host) const {
  std::string fault = host_fault(host);
  if (!fault.empty()) return usage_error(std::move(fault));
  return {};
}

bool Guard::allows_address(std::span<const unsigned char> address) const {
  address = unmapped(address);
  return all_sources_allow(networks_, [&](const Network& n) { return is_within(address, n.address, n.bits); });
}

Expected<void> Guard::check_rate(std::optional<double> rate) const {
  if (!rate_) return {};
  if (!rate)
    return usage_error(fmt::format("-max-rate={} needs a rate, and without one requests go as fast as answers come", rate_text(*rate_)));
  // A rate is an exact fraction, of which this is the nearest number.
  if (*rate > *rate_ * (1 + 1e-12))
    return usage_error(fmt::format("the rate is up to {}, above -max-rate={}", rate_text(*rate), rate_text(*rate_)));
  return {};
}

Expected<void> Guard::check(const Extent& extent) const {
  if (requests_ != kUnlimited && !extent.requests)
    return usage_error(fmt::format("-max-requests={} needs an end that is known: a count, or a rate and a duration", requests_));
  if (extent.requests && *extent.requests > requests_)
    return usage_error(fmt::format("up to {} requests would be sent, more than -max-requests={}", *extent.requests, requests_));
  if (auto fine = check_rate(extent.rate); !fine) return fine;
  if (concurrency_ != kUnlimited && extent.concurrency > concurrency_)
    return usage_error(
        extent.concurrency == kUnlimited
            ? fmt::format("-max-concurrency={} needs a limit to the requests in flight", concurrency_)
            : fmt::format("up to {} requests would be in flight, more than -max-concurrency={}", extent.concurrency, concurrency_));
  return {};
}

std::string Guard::text() const {
  std::vector<std::string> parts;
  if (!hosts_.empty()) parts.push_back("hosts " + printable(listed(hosts_)));
  if (!networks_.empty()) parts.push_back("networks " + printable(listed(networks_)));
  if (requests_ != kUnlimited) parts.push_back(fmt::format("at most {} requests", requests_));
  if (rate_) parts.push_back("at most " + rate_text(*rate_));
  if (concurrency_ != kUnlimited) parts.push_back(fmt::format("at most {} in flight", concurrency_));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace thrum::settings
