#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "load/ways.hpp"
#include "mode/attack.hpp"
#include "mode/open_attacker.hpp"
#include "ui/metrics_page.hpp"

namespace thrum::mode {
namespace {

// They say how to attack, or what becomes of results; -once does neither.
constexpr auto kNotForOnce = std::to_array<std::string_view>({"lazy",
                                                              "order",
                                                              "rate",
                                                              "seed",
                                                              "warmup",
                                                              "duration",
                                                              "n",
                                                              "workers",
                                                              "max-workers",
                                                              "connections",
                                                              "max-connections",
                                                              "streams",
                                                              "preconnect",
                                                              "connect-rate",
                                                              "abort-if",
                                                              "control",
                                                              "latency",
                                                              "catch-up",
                                                              "grace",
                                                              "spin",
                                                              "cpus",
                                                              "strict-rate",
                                                              "fail-if",
                                                              "junit",
                                                              "output",
                                                              "encoding",
                                                              "capture",
                                                              "sample-failures",
                                                              "progress",
                                                              "prometheus-addr",
                                                              "prometheus-linger"});

// A closed loop has no schedule that could be kept or missed.
const char* schedule_flag(const AttackRequest& request) {
  const AttackOptions& o = request.options;
  if (request.strict_rate) return "-strict-rate";
  if (o.catch_up.mode != CatchUp::Mode::all) return "-catch-up";
  return o.spin ? "-spin" : nullptr;
}

}  // namespace

Expected<void> check(const AttackRequest& request) {
  const AttackOptions& o = request.options;
  if (request.once)
    for (const auto& [flag, value] : std::span(request.typed).subspan(request.settled))
      if (std::ranges::find(kNotForOnce, flag) != kNotForOnce.end())
        return usage_error(
            fmt::format("-once sends each target one time and prints the exchange, -{} is for an attack; leave one out", flag));
  if (o.shape.is_closed() && o.max_workers == kUnlimited)
    return usage_error(
        "-rate=0 sends as fast as -max-workers allow, so give -max-workers=N too: how many requests may be in flight at once");
  if (const char* const flag = schedule_flag(request); o.shape.is_closed() && flag != nullptr)
    return usage_error(fmt::format("{} is about hits that are due at a time, and with -rate=0 none is; leave one out", flag));
  if (o.shape.is_closed() && !request.control.empty())
    return usage_error("-control changes the rate, and with -rate=0 there is none; leave one out");
  if (!o.unix_socket.empty() && request.guard.has_networks())
    return usage_error("-allow-net is about addresses, and -unix-socket has none; leave one out");
  if (!request.junit.empty() && request.fail_if.empty())
    return usage_error("-junit holds the verdicts on -fail-if, so give a gate too, as in -fail-if='p99>250ms'");
  const bool is_in_sequence = request.lazy || o.order == Order::sequence;  // else the targets may have weights
  if (request.seed && !o.shape.is_random() && is_in_sequence) return seed_of_nothing();
  if (request.lazy && o.warmup > Nanos(0)) return usage_error("-warmup would use up targets that -lazy sends once each; leave one out");
  if (o.tls.cert_file.empty() && !o.tls.key_file.empty()) return usage_error("-key is the key of -cert, so give -cert=FILE too");
  if (request.capture_body && request.max_body == 0)
    return usage_error("-capture=body keeps bodies and -max-body=0 keeps none of them; leave one out");
  if (request.lazy && o.order.value_or(Order::sequence) != Order::sequence)
    return usage_error(fmt::format(
        "-order={} has to know all targets before the attack, -lazy reads them in the course of it; leave one out", name_of(*o.order)));
  if (request.lazy && o.preconnect > 0)
    return usage_error(
        "-preconnect has to know the targets' hosts before the attack, -lazy reads targets in the course of it; leave one out");
  if (auto fine = load::check_ways(o); !fine) return fine;
  if (!request.metrics_addr.empty()) return ui::check_metrics_address(request.metrics_addr, "-prometheus-addr");
  if (request.metrics_linger > Nanos(0))
    return usage_error("-prometheus-linger is for the metrics page, so give its address too, as in -prometheus-addr=127.0.0.1:8880");
  return {};
}

std::vector<std::string_view> without_effect(const AttackRequest& request) {
  const AttackOptions& o = request.options;
  std::vector<std::string_view> lines;
  if (!o.proxy.headers.empty() && o.proxy.url.empty() && o.proxy.for_http.empty() && o.proxy.for_https.empty())
    lines.emplace_back("-proxy-header changes nothing: there is no proxy, neither by -proxy nor by HTTP_PROXY and the like");
  if (!o.unix_socket.empty() && o.dns_ttl != Nanos(0))
    lines.emplace_back("-dns-ttl changes nothing: with -unix-socket no name is looked up");
  if (!o.tls.verify && !o.tls.root_cert_files.empty())
    lines.emplace_back("-root-certs changes nothing: with -insecure any certificate is accepted");
  return lines;
}

}  // namespace thrum::mode
