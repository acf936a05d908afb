#include "mode/serve.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "net/reactor.hpp"
#include "net/timers.hpp"
#include "net/tls.hpp"
#include "serve/demo_site.hpp"
#include "serve/listen_address.hpp"
#include "serve/server.hpp"

namespace thrum::mode {
namespace {

constexpr unsigned kMaxWorkers = 100'000;

class StopWatch final : public net::WatchHandler {
 public:
  void on_ready(int, bool, bool) override { stopped = true; }
  bool stopped = false;
};

Expected<void> check(const ServeOptions& o) {
  if (o.workers < 1 || o.workers > kMaxWorkers)
    return usage_error(fmt::format("-workers {}: it should be 1 to {}", o.workers, kMaxWorkers));
  if (o.work < Nanos(0)) return usage_error("-work: it should not be negative, as in -work=25ms");
  if (o.tls_addr.empty()) {
    const char* alone = !o.cert_file.empty() ? "-cert" : !o.key_file.empty() ? "-key" : !o.cert_out.empty() ? "-cert-out" : nullptr;
    if (alone != nullptr) return usage_error(fmt::format("{} is for HTTPS: give its address too, as in -tls=127.0.0.1:18443", alone));
  }
  if (o.cert_file.empty() && !o.key_file.empty()) return usage_error("-key without -cert: give the certificate that goes with the key");
  if (!o.cert_file.empty() && !o.cert_out.empty())
    return usage_error("-cert-out writes the certificate that is made at start: with -cert there is none");
  return {};
}

// Everybody may read a certificate: it is what the server shows to everybody.
Expected<void> write_certificate(const std::string& path, const std::string& pem) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << pem << std::flush;
  if (!file) return failure(fmt::format("-cert-out {}: {}", printable(path), std::strerror(errno)));
  return {};
}

Expected<net::TlsIdentity> make_identity(const ServeOptions& o) {
  if (!o.cert_file.empty()) return net::TlsIdentity::load(o.cert_file, o.key_file);
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  const auto add = [&](std::string name) {
    const bool is_any = name == "0.0.0.0" || name == "::";
    if (!name.empty() && !is_any && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) == 0) add(host);
  if (const auto at = serve::parse_listen_address(o.tls_addr, "-tls"))
    for (const net::Address& a : at->addresses) add(net::format_address(a));
  Expected<net::TlsIdentity> made = net::TlsIdentity::self_signed(names);
  if (!made || o.cert_out.empty()) return made;
  if (auto written = write_certificate(o.cert_out, made->certificate); !written) return std::unexpected(written.error());
  return made;
}

// Listens, and says how to attack what listens there.
Expected<void> listen(serve::Server& server, const std::string& addr, std::string_view flag, net::TlsServer* tls,
                      std::string_view attack_flags, std::vector<std::string>& words) {
  const auto address = serve::parse_listen_address(addr, flag);
  if (!address) return std::unexpected(address.error());
  Expected<serve::Listening> listening = serve::listen_on(*address, flag);
  if (!listening) return std::unexpected(listening.error());
  for (Fd& socket : listening->sockets) server.listen(std::move(socket), tls);
  const std::string url = fmt::format("{}://{}", tls != nullptr ? "https" : "http", listening->authority);
  words.push_back(fmt::format("serving on {} until Ctrl-C; to attack it, paste:", url));
  words.push_back(fmt::format("echo \"GET {}/api/products\" | thrum attack {}-rate=100 -duration=10s | thrum report", url, attack_flags));
  return {};
}

// As a shell reads it back.
std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : printable(text)) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

void loop(net::Reactor& reactor, net::Timers& timers, const serve::Server& server, const ServeStop& stop, const ServeHooks& hooks) {
  StopWatch watch;
  reactor.watch(stop.descriptor(), watch, true, false);
  bool warned = false;
  while (!watch.stopped) {
    reactor.wait(timers.next());
    timers.run_due(now());
    if (!warned && server.counters().accept_errors.get() > 0) {
      warned = true;
      hooks.warn(fmt::format("out of descriptors with {} connections open: more clients have to wait; raise the limit (ulimit -n)",
                             server.counters().connections_open.get()));
    }
  }
  reactor.watch(stop.descriptor(), watch, false, false);
}

}  // namespace

ServeStop::ServeStop() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void ServeStop::stop() noexcept {
  const int saved = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = ::write(event_.get(), &one, sizeof one);
  errno = saved;
}

Expected<void> run_serve(const ServeOptions& options, const ServeStop& stop, const ServeHooks& hooks) {
  if (auto good = check(options); !good) return good;
  if (stop.descriptor() < 0) return failure("no descriptor left to be stopped by: raise the limit (ulimit -n)");
  auto reactor = net::Reactor::create(Io::epoll);
  if (!reactor) return std::unexpected(reactor.error());
  std::unique_ptr<net::TlsServer> tls;
  net::Timers timers;
  std::unique_ptr<serve::AccessLog> log;
  if (!options.log.empty()) {
    auto made = serve::AccessLog::create(options.log, timers);
    if (!made) return std::unexpected(made.error());
    log = std::move(*made);
  }
  serve::DemoSite site(timers, {.workers = options.workers, .work = options.work, .log = log.get()});
  serve::Server server(**reactor, timers, site);
  site.describe(server);

  std::vector<std::string> words;  // said when all of it listens
  if (auto good = listen(server, options.addr, "-addr", nullptr, "", words); !good) return good;
  if (!options.tls_addr.empty()) {
    const auto identity = make_identity(options);
    if (!identity) return std::unexpected(identity.error());
    auto made = net::TlsServer::create(*identity);
    if (!made) return std::unexpected(made.error());
    tls = std::move(*made);
    const std::string trust = options.cert_out.empty() ? "-insecure " : fmt::format("-root-certs={} ", shell_word(options.cert_out));
    if (auto good = listen(server, options.tls_addr, "-tls", tls.get(), trust, words); !good) return good;
  }
  for (const std::string& line : words) hooks.say(line);
  loop(**reactor, timers, server, stop, hooks);
  if (log && log->lost() > 0)
    hooks.warn(fmt::format("-log {}: {} requests are not in it: the disk did not take them", printable(options.log), log->lost()));
  return {};
}

}  // namespace thrum::mode
