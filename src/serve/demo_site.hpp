// The built-in target: a small believable API to attack, and endpoints that tests need. All that `thrum serve` answers is here;
// docs/serve.md lists it. It runs on the server's thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "serve/access_log.hpp"
#include "serve/counters.hpp"
#include "serve/server.hpp"
#include "serve/token.hpp"
#include "serve/work_pool.hpp"

namespace thrum::serve {

struct DemoOptions {
  unsigned workers = 4;      // of /api/report
  Nanos work{25'000'000};    // that each report takes one of them
  Instant (*clock)() = now;  // a seam for tests
  AccessLog* log = nullptr;  // of all requests; outlives the site
};

class DemoSite final : public Handler {
 public:
  static constexpr std::size_t kRoutes = 13;

  explicit DemoSite(net::Timers& timers, DemoOptions options = {});
  // Whose counters /stats tells; without it only the site's own.
  void describe(const Server& server) { server_ = &server; }

  BodyUse use_of_body(const RequestHead& head) override;
  void handle(Ticket ticket, const Request& request) override;

  // Requests by route; of unknown paths. From any thread.
  std::uint64_t requests(std::string_view route) const;  // as the table shows it: "/bytes/N"
  std::uint64_t unknown_paths() const { return by_route_[kRoutes].get(); }
  std::size_t delays_waiting() const { return delays_.waiting(); }

 private:
  struct Call {
    Ticket ticket;
    const Request& request;
    std::string_view rest;  // of the path, after the route's own
  };
  struct Route;
  static const Route kTable[kRoutes];
  static const Route* find_route(std::string_view path);

  void home(const Call& call);
  void products(const Call& call);
  void report(const Call& call);
  void login(const Call& call);
  void me(const Call& call);
  void status(const Call& call);
  void bytes(const Call& call);
  void delay(const Call& call);
  void echo(const Call& call);
  void redirect(const Call& call);
  void chunked(const Call& call);
  void close(const Call& call);
  void stats(const Call& call);

  const Server* server_ = nullptr;
  AccessLog* log_;
  const TokenMint mint_;
  const Instant started_ = now();
  WorkPool pool_;
  DelayLine delays_;
  std::array<Tally, kRoutes + 1> by_route_;
  std::string home_page_, unknown_path_;
};

}  // namespace thrum::serve
