#include "measure/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace thrum {
namespace {

constexpr double kFailing = 0.05, kDegraded = 0.005;        // shares of failed requests
constexpr double kLongTail = 10, kTail = 5;                 // p99 / p50
constexpr double kRateChange = 0.25, kSwing = 0.25;         // of throughput
constexpr double kLatencyDoubled = 2, kLatencyGrew = 1.25;  // last third / first third
constexpr double kPhaseShare = 0.25;                        // of the median latency
constexpr std::uint64_t kConnectionsEach = 3, kFewConnections = 20;
constexpr Nanos kSlowDns{50'000'000};
constexpr double kLargeBody = 32 * 1024;
constexpr double kCached = 0.5;
constexpr double kBusy = 0.9;
constexpr double kNotCarried = 0.02;
constexpr Nanos kQueued{1'000'000};
constexpr double kQueuedShare = 0.1;
constexpr std::size_t kCausesTold = 2, kBodyShown = 72;

std::string shown(Nanos d) { return format_duration(round_for_report(d)); }
double ratio(Nanos a, Nanos b) { return b.count() <= 0 ? 0 : static_cast<double>(a.count()) / static_cast<double>(b.count()); }
double share_of(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }
std::string rate_text(double rate) { return rate < 10 ? fmt::format("{:.2f}/s", rate) : fmt::format("{:.0f}/s", rate); }

std::string_view code_of(Anomaly::Kind kind) {
  switch (kind) {
    case Anomaly::Kind::latency:
      return "anomaly_latency";
    case Anomaly::Kind::throughput:
      return "anomaly_throughput";
    case Anomaly::Kind::errors:
      return "anomaly_errors";
  }
  return "";
}

class Judging {
 public:
  explicit Judging(const RunFacts& facts) : f_(facts) {}

  Verdict run() {
    if (f_.requests == 0) {
      add(Level::failing, "nothing_completed", "no request completed");
      return std::move(verdict_);
    }
    failures();
    latencies();
    if (f_.server_times) server_times();
    trends();
    if (!f_.aborted_by.empty())
      add(Level::degraded, "aborted", "ended early by -abort-if: " + f_.aborted_by);
    else if (f_.is_interrupted)
      add(Level::healthy, "stopped_early", "stopped before its end; the figures are of what came until then");
    if (f_.succeeded > 0) phases();
    for (const Anomaly& a : f_.anomalies) add(Level::degraded, code_of(a.kind), a.text);
    generator();
    return std::move(verdict_);
  }

 private:
  void add(Level level, std::string_view code, std::string text) {
    verdict_.level = std::max(verdict_.level, level);
    verdict_.findings.push_back({level, code, std::move(text)});
  }

  void failures();
  void causes(Level level);
  std::string commonest_failure() const;
  void latencies();
  void server_times();
  void trends();
  void throughput_trend(std::span<const RunPoint> points);
  void latency_trend(std::span<const RunPoint> points);
  void phases();
  void generator();

  const RunFacts& f_;
  Verdict verdict_;
};

void Judging::failures() {
  const std::uint64_t failed = f_.requests - f_.succeeded;
  if (failed == 0) return add(Level::healthy, "none_failed", "no request failed");
  if (f_.succeeded == 0) {
    add(Level::failing, "all_failed", f_.requests == 1 ? "the only request failed" : fmt::format("all {} requests failed", f_.requests));
    return causes(Level::failing);
  }
  const double share = share_of(failed, f_.requests);
  const Level level = share >= kFailing ? Level::failing : share >= kDegraded ? Level::degraded : Level::healthy;
  add(level, "some_failed", fmt::format("{} of requests failed, most often by {}", percent_text(share), commonest_failure()));
  causes(level);
}

std::string Judging::commonest_failure() const {
  if (f_.http_errors >= f_.timeouts && f_.http_errors >= f_.connection_errors) {
    const auto status = std::ranges::find_if(f_.causes, [](const FailureCauses::Cause& c) { return c.status != 0; });
    return status == f_.causes.end() ? "HTTP errors" : fmt::format("status {}", status->status);
  }
  return f_.timeouts >= f_.connection_errors ? "timeouts" : "errors without a response";
}

void Judging::causes(Level level) {
  for (const FailureCauses::Cause& c : std::span(f_.causes).first(std::min(kCausesTold, f_.causes.size()))) {
    std::string text = fmt::format("{} × {}", c.text, c.count);
    if (!trim(c.body).empty()) text += ": " + printable_prefix(trim(c.body), kBodyShown);
    add(level, "cause", std::move(text));
  }
}

void Judging::latencies() {
  if (f_.groups)
    return add(Level::degraded, "two_latency_groups",
               fmt::format("latencies fall into two groups: one around {}, and {} of requests around {}", shown(f_.groups->lower),
                           percent_text(f_.groups->upper_share), shown(f_.groups->upper)));
  if (f_.p50 <= Nanos(0)) return;
  const double tail = ratio(f_.p99, f_.p50);
  if (tail >= kTail)
    return add(tail >= kLongTail ? Level::degraded : Level::healthy, "long_tail",
               fmt::format("a long tail: p99 is {:.3g} times the median", tail));
  add(Level::healthy, "tight_latency", fmt::format("latency is tight: p99 is {:.2g} times the median", tail));
}

void Judging::server_times() {
  const double share = std::min(1.0, ratio(f_.server_times->total_median, f_.p50));
  std::string text = fmt::format("by its own account (Server-Timing) the server took {} of the median", percent_text(share));
  if (!f_.server_times->largest.empty()) text += ", most of it in " + printable_prefix(f_.server_times->largest, 40);
  add(Level::healthy, "server_time", std::move(text));
}

void Judging::trends() {
  std::span<const RunPoint> points = f_.points;
  while (!points.empty() && points.back().requests == 0) points = points.first(points.size() - 1);
  if (points.size() < 5) return;  // the first and the last are not whole; three have to be left
  points = points.subspan(1, points.size() - 2);
  throughput_trend(points);
  latency_trend(points);
}

template <class Of>
double mean(std::span<const RunPoint> points, Of of) {
  double sum = 0;
  for (const RunPoint& p : points) sum += of(p);
  return sum / static_cast<double>(points.size());
}

void Judging::throughput_trend(std::span<const RunPoint> points) {
  const auto rate = [](const RunPoint& p) { return p.rate; };
  const std::size_t third = points.size() / 3;
  const double first = mean(points.first(third), rate), last = mean(points.last(third), rate), all = mean(points, rate);
  if (first <= 0 || all <= 0) return;
  const double change = last / first - 1;
  if (change <= -kRateChange)
    return add(Level::degraded, "throughput_fell",
               fmt::format("throughput fell by {}, from {} to {}", percent_text(-change), rate_text(first), rate_text(last)));
  if (change >= kRateChange)
    return add(Level::healthy, "throughput_rose",
               fmt::format("throughput rose by {}, from {} to {}", percent_text(change), rate_text(first), rate_text(last)));
  const double deviation = std::sqrt(mean(points, [&](const RunPoint& p) { return (p.rate - all) * (p.rate - all); }));
  if (deviation / all > kSwing) {
    const auto [lowest, highest] = std::ranges::minmax(points, {}, rate);
    return add(Level::healthy, "throughput_swung",
               fmt::format("throughput swung between {} and {}", rate_text(lowest.rate), rate_text(highest.rate)));
  }
  add(Level::healthy, "throughput_steady", fmt::format("throughput was steady at {} ± {}", rate_text(all), percent_text(deviation / all)));
}

void Judging::latency_trend(std::span<const RunPoint> points) {
  const auto median = [](const RunPoint& p) { return static_cast<double>(p.p50.count()); };
  const std::size_t third = points.size() / 3;
  const double first = mean(points.first(third), median), last = mean(points.last(third), median);
  if (first <= 0) return;
  const double factor = last / first;
  if (factor >= kLatencyDoubled)
    add(Level::degraded, "latency_multiplied", fmt::format("latency grew {:.2g}-fold in the course of the run (medians)", factor));
  else if (factor >= kLatencyGrew)
    add(Level::healthy, "latency_grew", fmt::format("latency grew by {} in the course of the run (medians)", percent_text(factor - 1)));
}

void Judging::phases() {
  const double connecting = ratio(f_.connect_median, f_.p50);
  if (!f_.keeps_alive && connecting >= kPhaseShare)
    add(Level::healthy, "connecting_dominates",
        fmt::format("connecting took {} of the median: each request opens a connection", percent_text(std::min(1.0, connecting))));
  if (f_.keeps_alive && f_.concurrency > 0 && f_.connections_opened >= kConnectionsEach * f_.concurrency &&
      f_.connections_opened >= kFewConnections)
    add(Level::degraded, "keepalive_not_holding",
        fmt::format("keep-alive doesn't hold: {} connections were opened for {} requests in flight; the server closes them",
                    f_.connections_opened, f_.concurrency));
  if (f_.dns_mean && *f_.dns_mean >= kSlowDns)
    add(Level::degraded, "slow_dns", fmt::format("looking up the name took {} on average", shown(*f_.dns_mean)));
  const double downloading = ratio(f_.download_median, f_.p50);
  if (downloading >= kPhaseShare && f_.body_mean >= kLargeBody)
    add(Level::healthy, "download_dominates",
        fmt::format("downloading took {} of the median: bodies are {:.0f} KiB on average", percent_text(std::min(1.0, downloading)),
                    f_.body_mean / 1024));
  const double cached = share_of(f_.cache_hits, f_.requests);
  if (cached >= kCached)
    add(Level::healthy, "cached",
        fmt::format("{} of answers came from a cache: of those, the origin was not measured", percent_text(cached)));
}

void Judging::generator() {
  if (f_.peak_busy >= kBusy)
    add(Level::healthy, "generator_busy",
        fmt::format("thrum's busiest thread used {:.0f} % of a core: the figures are thrum's as much as the target's; try -threads={}",
                    f_.peak_busy * 100, f_.threads + 1));
  if (f_.asked_rate <= 0) return;
  const bool is_short = f_.achieved_rate < f_.asked_rate * (1 - kNotCarried);
  if (is_short || f_.missed > 0) {
    std::string text =
        fmt::format("the rate was not carried: {} were asked for, {} sent", rate_text(f_.asked_rate), rate_text(f_.achieved_rate));
    if (f_.missed > 0) text += fmt::format(", {} missed", f_.missed);
    if (f_.concurrency > 0)
      text += fmt::format("; -c={} would", concurrency_for(f_.asked_rate, f_.service_p95, f_.concurrency));
    else if (!f_.limit.empty())
      text += "; the limit was " + f_.limit;
    add(Level::degraded, "rate_not_carried", std::move(text));
  }
  if (f_.fell_behind) {
    std::string text = fmt::format("answers fell behind: mean latency grew from {} in the first quarter of the sending to {} in the last",
                                   shown(f_.fell_behind->early), shown(f_.fell_behind->late));
    if (!f_.limit.empty()) text += "; the limit was " + f_.limit;
    add(Level::degraded, "fell_behind", std::move(text));
  }
  if (f_.lag_p99 >= kQueued && ratio(f_.lag_p99, f_.p99) >= kQueuedShare)
    add(Level::degraded, "queued_before_sending",
        fmt::format("requests queued {} at p99 before being sent; latencies count from when they were due", shown(f_.lag_p99)));
}

}  // namespace

std::string_view name_of(Level level) {
  switch (level) {
    case Level::healthy:
      return "healthy";
    case Level::degraded:
      return "degraded";
    case Level::failing:
      return "failing";
  }
  return "";
}

std::string_view symbol_of(Level level) {
  switch (level) {
    case Level::healthy:
      return "✔";
    case Level::degraded:
      return "▲";
    case Level::failing:
      return "✖";
  }
  return "";
}

std::string percent_text(double share) {
  const double percent = share * 100;
  return percent != 0 && percent < 1 ? fmt::format("{:.2f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::uint64_t concurrency_for(double rate, Nanos p95, std::uint64_t concurrency) {
  const double needed = std::ceil(rate * static_cast<double>(p95.count()) / 1e9 * 1.2);
  return std::max(concurrency + 1, needed > 1e9 ? std::uint64_t{1'000'000'000} : static_cast<std::uint64_t>(std::max(0.0, needed)));
}

Verdict judge(const RunFacts& facts) { return Judging(facts).run(); }

}  // namespace thrum
