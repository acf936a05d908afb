#include "serve/background_site.hpp"

#include <utility>

#include "serve/listen_address.hpp"

namespace thrum::serve {

Expected<std::unique_ptr<BackgroundSite>> BackgroundSite::start(BackgroundOptions options) {
  auto reactor = net::Reactor::create(Io::epoll);
  if (!reactor) return std::unexpected(reactor.error());
  std::unique_ptr<BackgroundSite> site(new BackgroundSite(std::move(*reactor), options));
  if (auto good = site->listen(options.addr, nullptr); !good) return std::unexpected(good.error());
  if (options.tls) {
    if (auto good = site->listen_tls(); !good) return std::unexpected(good.error());
  }
  site->thread_ = std::thread([s = site.get()] { s->run(); });
  return site;
}

Expected<void> BackgroundSite::listen(const std::string& addr, net::TlsServer* tls) {
  const auto address = parse_listen_address(addr, "addr");
  if (!address) return std::unexpected(address.error());
  Expected<Listening> listening = listen_on(*address, "addr");
  if (!listening) return std::unexpected(listening.error());
  for (Fd& socket : listening->sockets) server_.listen(std::move(socket), tls);
  (tls != nullptr ? tls_port_ : port_) = listening->port;
  if (tls == nullptr) authority_ = std::move(listening->authority);
  return {};
}

Expected<void> BackgroundSite::listen_tls() {
  const auto identity = net::TlsIdentity::self_signed({"127.0.0.1", "::1", "localhost"});
  if (!identity) return std::unexpected(identity.error());
  auto tls = net::TlsServer::create(*identity);
  if (!tls) return std::unexpected(tls.error());
  certificate_ = identity->certificate;
  tls_ = std::move(*tls);
  return listen("127.0.0.1:0", tls_.get());
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
