// Everything that the links of one thread share, made and owned together.
#pragma once

#include <memory>

#include "net/link.hpp"
#include "net/local_addresses.hpp"
#include "net/resolver.hpp"
#include "net/tcp_tally.hpp"
#include "net/tls.hpp"

namespace thrum::net {

struct NetworkOptions {
  Io io = Io::automatic;
  ResolverOptions dns{};
  TlsOptions tls{};
  std::vector<Address> local_addresses{};  // to connect from, in turn; empty: the kernel chooses
  std::uint32_t first_turn = 0;            // with which of them to begin
  const Boundary* boundary = nullptr;      // addresses outside of it are not connected to
};

class OwnNetwork {
 public:
  // Errors: no descriptors left for the reactor; name servers that make no sense.
  static Expected<std::unique_ptr<OwnNetwork>> create(NetworkOptions options = {});
  OwnNetwork(const OwnNetwork&) = delete;
  OwnNetwork& operator=(const OwnNetwork&) = delete;

  Network& network() { return network_; }
  // One turn of the loop: waits for sockets and timers, at most until `until`, and hands out what came.
  void turn(Instant until = kNever);

 private:
  OwnNetwork(std::unique_ptr<Reactor> reactor, NetworkOptions options);

  std::unique_ptr<Reactor> reactor_;  // first: it goes last
  Timers timers_;
  Resolver resolver_;
  TlsClient tls_;
  LocalAddresses local_;
  TcpTally tcp_;
  Network network_;
};

}  // namespace thrum::net
