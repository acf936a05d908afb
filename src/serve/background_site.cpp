#include "serve/background_site.hpp"

#include <utility>

#include "serve/listen_address.hpp"

namespace thrum::serve {

Expected<std::unique_ptr<BackgroundSite>> BackgroundSite::start(BackgroundOptions options) {
  const auto address = parse_listen_address(options.addr, "addr");
  if (!address) return std::unexpected(address.error());
  Expected<Listening> listening = listen_on(*address, "addr");
  if (!listening) return std::unexpected(listening.error());
  auto reactor = net::Reactor::create();
  if (!reactor) return std::unexpected(reactor.error());
  std::unique_ptr<BackgroundSite> site(new BackgroundSite(std::move(*reactor), options));
  for (Fd& socket : listening->sockets) site->server_.listen(std::move(socket));
  site->port_ = listening->port;
  site->authority_ = std::move(listening->authority);
  site->thread_ = std::thread([s = site.get()] { s->run(); });
  return site;
}

BackgroundSite::BackgroundSite(std::unique_ptr<net::Reactor> reactor, const BackgroundOptions& options)
    : reactor_(std::move(reactor)), site_(timers_, options.site), server_(*reactor_, timers_, site_, options.server) {
  site_.describe(server_);
}

BackgroundSite::~BackgroundSite() {
  stopping_.store(true, std::memory_order_relaxed);
  reactor_->wake();
  if (thread_.joinable()) thread_.join();
}

std::string BackgroundSite::url(std::string_view path) const { return "http://" + authority_ + std::string(path); }

void BackgroundSite::run() {
  while (!stopping_.load(std::memory_order_relaxed)) {
    reactor_->wait(timers_.next());
    timers_.run_due(now());
  }
}

}  // namespace thrum::serve
