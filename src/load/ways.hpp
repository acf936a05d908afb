// How targets are reached, by what the attack's options say of it. The first that applies wins: the unix socket, for every
// target; a -connect-to entry that matches the target's host and port; else straight.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "http/url.hpp"
#include "net/address.hpp"
#include "net/way.hpp"
#include "thrum/attacker.hpp"

namespace thrum::load {

// What contradicts itself among the options that say where connections go and come from, or can't be. The errors name flags.
Expected<void> check_ways(const AttackOptions& options);
// The addresses of ours that -laddr means.
Expected<std::vector<net::Address>> local_addresses_of(const AttackOptions& options);

class Ways {
 public:
  explicit Ways(const AttackOptions& options) : unix_socket_(options.unix_socket), connect_to_(options.connect_to) {}
  net::Way way_to(const http::Url& url) const;

 private:
  std::string unix_socket_;
  std::vector<ConnectTo> connect_to_;
};

}  // namespace thrum::load
