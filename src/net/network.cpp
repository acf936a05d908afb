#include "net/network.hpp"

#include <algorithm>

namespace thrum::net {

Expected<std::unique_ptr<OwnNetwork>> OwnNetwork::create(NetworkOptions options) {
  if (auto ok = Resolver::check(options.dns); !ok) return std::unexpected(ok.error());
  auto reactor = Reactor::create(options.io);
  if (!reactor) return std::unexpected(reactor.error());
  return std::unique_ptr<OwnNetwork>(new OwnNetwork(std::move(*reactor), std::move(options)));
}

OwnNetwork::OwnNetwork(std::unique_ptr<Reactor> reactor, NetworkOptions options)
    : reactor_(std::move(reactor)),
      resolver_(*reactor_, timers_, std::move(options.dns)),
      tls_(std::move(options.tls)),
      local_(options.local_addresses, options.first_turn),
      network_{*reactor_, timers_, resolver_, tls_, local_, tcp_, options.boundary} {}

void OwnNetwork::turn(Instant until) {
  reactor_->wait(std::min(until, timers_.next()));
  timers_.run_due(now());
}

}  // namespace thrum::net
