// The demo site on a thread of its own, for tests and examples: serves from construction to destruction, on loopback.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "serve/demo_site.hpp"
#include "serve/server.hpp"
#include "thrum/error.hpp"

namespace thrum::serve {

struct BackgroundOptions {
  std::string addr = "127.0.0.1:0";
  bool tls = false;  // on a second port too, with a certificate made for 127.0.0.1, ::1 and localhost
  DemoOptions site = {};
  ServerOptions server = {};
};

class BackgroundSite {
 public:
  static Expected<std::unique_ptr<BackgroundSite>> start(BackgroundOptions options = {});
  ~BackgroundSite();
  BackgroundSite(const BackgroundSite&) = delete;
  BackgroundSite& operator=(const BackgroundSite&) = delete;

  std::uint16_t port() const { return port_; }
  const std::string& authority() const { return authority_; }  // "127.0.0.1:40123"
  std::string url(std::string_view path) const;                // "http://127.0.0.1:40123/bytes/16"

  std::uint16_t tls_port() const { return tls_port_; }             // 0: none
  const std::string& certificate() const { return certificate_; }  // PEM, to be trusted by clients

  // From any thread.
  const Counters& counters() const { return server_.counters(); }
  const DemoSite& site() const { return site_; }

 private:
  BackgroundSite(std::unique_ptr<net::Reactor> reactor, const BackgroundOptions& options);
  void run();

  Expected<void> listen(const std::string& addr, net::TlsServer* tls);
  Expected<void> listen_tls();

  std::unique_ptr<net::Reactor> reactor_;
  std::unique_ptr<net::TlsServer> tls_;
  net::Timers timers_;
  DemoSite site_;
  Server server_;
  std::uint16_t port_ = 0, tls_port_ = 0;
  std::string authority_, certificate_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace thrum::serve
