// The guardrails: which hosts and networks may be sent to, how many requests, how fast, how many at once. Guards only ever add up: of two
// files' limits the lower one holds, and a host has to be in each of two lists. Pure; who is about to send asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/address.hpp"
#include "thrum/attacker.hpp"
#include "thrum/error.hpp"

namespace thrum::settings {

// What a run is going to do at most.
struct Extent {
  std::optional<std::uint64_t> requests;  // none: no telling
  std::optional<double> rate;             // the highest, per second; none: as fast as answers come
  std::uint64_t concurrency = kUnlimited;
};

class Guard final : public Boundary {
 public:
  // "shop.test" is that host, ".shop.test" and "*.shop.test" are it and all below it, "*" is any. Commas between several.
  Expected<void> allow_hosts(std::string_view patterns);
  // "10.0.0.0/8", "192.0.2.7", "fd00::/8".
  Expected<void> allow_networks(std::string_view networks);
  void cap_requests(std::uint64_t most) { requests_ = std::min(requests_, most); }
  void cap_rate(double most) { rate_ = rate_ ? std::min(*rate_, most) : most; }
  void cap_concurrency(std::uint64_t most) { concurrency_ = std::min(concurrency_, most); }
  // Hosts and networks from now on are of another source: they restrict those before them.
  void next_source() { ++source_; }

  bool is_set() const { return !hosts_.empty() || !networks_.empty() || rate_ || requests_ != kUnlimited || concurrency_ != kUnlimited; }
  bool has_hosts() const { return !hosts_.empty(); }
  bool has_networks() const { return !networks_.empty(); }
  std::uint64_t most_requests() const { return requests_; }
  std::optional<double> most_rate() const { return rate_; }
  std::uint64_t most_concurrency() const { return concurrency_; }

  // Errors are of usage: nothing has been sent.
  Expected<void> check(const Extent& extent) const;
  Expected<void> check_host(std::string_view host) const;
  // Of a rate that is asked for while a run goes on.
  Expected<void> check_rate(std::optional<double> rate) const;
  std::string host_fault(std::string_view host) const override;
  bool allows_address(std::span<const unsigned char> address) const override;
  // "hosts .shop.test; at most 100 requests, 10/s"; empty: none is set.
  std::string text() const;

 private:
  struct Pattern {
    int source;
    std::string text;  // as typed
    std::string name;  // lower case, without what means more than the name
    bool is_tree, is_any;
  };
  struct Network {
    int source;
    std::string text;
    net::Address address;
    int bits;
  };

  std::vector<Pattern> hosts_;
  std::vector<Network> networks_;
  std::uint64_t requests_ = kUnlimited, concurrency_ = kUnlimited;
  std::optional<double> rate_;
  int source_ = 0;
};

}  // namespace thrum::settings
