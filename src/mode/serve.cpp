#include "mode/serve.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "net/reactor.hpp"
#include "net/timers.hpp"
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
  return {};
}

void announce(const ServeHooks& hooks, std::string_view url) {
  hooks.say(fmt::format("serving on {} until Ctrl-C; to attack it, paste:", url));
  hooks.say(fmt::format("echo \"GET {}/api/products\" | thrum attack -rate=100 -duration=10s | thrum report", url));
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
  const auto address = serve::parse_listen_address(options.addr, "-addr");
  if (!address) return std::unexpected(address.error());
  Expected<serve::Listening> listening = serve::listen_on(*address, "-addr");
  if (!listening) return std::unexpected(listening.error());
  auto reactor = net::Reactor::create();
  if (!reactor) return std::unexpected(reactor.error());

  net::Timers timers;
  serve::DemoSite site(timers, {options.workers, options.work});
  serve::Server server(**reactor, timers, site);
  site.describe(server);
  for (Fd& socket : listening->sockets) server.listen(std::move(socket));
  announce(hooks, "http://" + listening->authority);

  StopWatch watch;
  (*reactor)->watch(stop.descriptor(), watch, true, false);
  bool warned = false;
  while (!watch.stopped) {
    (*reactor)->wait(timers.next());
    timers.run_due(now());
    if (!warned && server.counters().accept_errors.get() > 0) {
      warned = true;
      hooks.warn(fmt::format("out of descriptors with {} connections open: more clients have to wait; raise the limit (ulimit -n)",
                             server.counters().connections_open.get()));
    }
  }
  (*reactor)->watch(stop.descriptor(), watch, false, false);
  return {};
}

}  // namespace thrum::mode
