#include "measure/anomaly_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/duration.hpp"

namespace thrum {
namespace {

constexpr double kLatencyLeap = 3, kLeastRate = 10, kRateFall = 0.5, kErrorShare = 0.05, kUsualErrors = 0.01;
constexpr Nanos kLeastLeap{5'000'000};

template <class Of, class Seconds>
auto median(const Seconds& seconds, Of of) {
  std::vector<decltype(of(seconds.front()))> values;
  for (const auto& s : seconds) values.push_back(of(s));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string shown(Nanos d) { return format_duration(round_for_report(d)); }

}  // namespace

std::string_view name_of(Anomaly::Kind kind) {
  switch (kind) {
    case Anomaly::Kind::latency:
      return "latency";
    case Anomaly::Kind::throughput:
      return "throughput";
    case Anomaly::Kind::errors:
      return "errors";
  }
  return "";
}

void AnomalyWatch::add(const RunSecond& second) {
  if (second.at < skip_before_) return;
  const double n = static_cast<double>(second.ended());
  const Seen seen{n, n > 0 ? static_cast<double>(second.failed) / n : 0, second.latencies.quantile(0.99)};
  if (before_.size() >= kFewest) {
    const Nanos p99 = median(before_, [](const Seen& s) { return s.p99; });
    const double rate = median(before_, [](const Seen& s) { return s.rate; });
    const double errors = median(before_, [](const Seen& s) { return s.errors; });
    const bool leapt = static_cast<double>(seen.p99.count()) >= kLatencyLeap * static_cast<double>(p99.count());
    if (n > 0 && leapt && seen.p99 - p99 >= kLeastLeap)
      tell(Anomaly::Kind::latency, second.at,
           fmt::format("latency leapt at {} s: p99 {} in that second, {} before", second.at, shown(seen.p99), shown(p99)));
    if (rate >= kLeastRate && n <= kRateFall * rate)
      tell(Anomaly::Kind::throughput, second.at,
           fmt::format("throughput fell at {} s: {:.0f}/s in that second, {:.0f}/s before", second.at, n, rate));
    if (n > 0 && seen.errors >= kErrorShare && errors < kUsualErrors)
      tell(Anomaly::Kind::errors, second.at,
           fmt::format("errors appeared at {} s: {:.0f} % failed in that second, {:.2g} % before", second.at, seen.errors * 100,
                       errors * 100));
  }
  if (n == 0) return;
  before_.push_back(seen);
  if (before_.size() > kLookedAt) before_.pop_front();
}

void AnomalyWatch::tell(Anomaly::Kind kind, std::int64_t at, std::string text) {
  auto& told = told_[static_cast<std::size_t>(kind)];
  if ((told && at - *told < kQuiet) || found_.size() >= kMostFound) return;
  told = at;
  found_.push_back({at, kind, std::move(text)});
}

}  // namespace thrum
