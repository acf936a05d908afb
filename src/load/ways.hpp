// How targets are reached, by what the attack's options say of it. The first that applies wins: the unix socket, for every
// target; a -connect-to entry that matches the target's host and port; a proxy; else straight.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "http/proxy.hpp"
#include "http/url.hpp"
#include "load/record.hpp"
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
  // Of options that check_ways() has found to be right.
  explicit Ways(const AttackOptions& options);
  void choose(const http::Url& url, Route& route) const;

 private:
  std::string unix_socket_;
  std::vector<ConnectTo> connect_to_;
  http::Proxies proxies_;
  bool http2_, http2_only_, h2c_;
};

}  // namespace thrum::load
