#include "report/seconds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/timestamp.hpp"
#include "report/judgement.hpp"

namespace thrum::report {
namespace {

// Hits of one run that were due in [from, to); none: the run doesn't say.
std::optional<std::uint64_t> due_between(const RunInput& run, Timestamp from, Timestamp to) {
  if (!run.plan || !run.plan->asked) return {};
  const Plan& p = *run.plan;
  // What was carried out of the schedule, or what is known of it so far.
  const Nanos length = p.summary               ? p.summary->sending
                       : p.duration > Nanos(0) ? p.duration
                                               : Nanos(std::numeric_limits<std::int64_t>::max());
  const auto hits_before = [&](Timestamp time) {
    const Nanos at = time.since(p.start);
    return at <= Nanos(0) ? 0 : std::min(p.asked->hits_before(std::min(at, length)), p.hits);
  };
  return hits_before(to) - hits_before(from);
}

std::optional<std::uint64_t> asked_in(const Input& input, std::int64_t second) {
  std::uint64_t sum = 0;
  for (const RunInput& run : input.runs) {
    const auto asked = due_between(run, input.series->start_of(second), input.series->start_of(second + 1));
    if (!asked) return {};
    sum += *asked;
  }
  return sum;
}

// Of the last second of sending, only as much counts as there was.
double length_of(const Input& input, std::int64_t second) {
  double covered = 0;
  for (const RunInput& run : input.runs)
    covered = std::max(covered, static_cast<double>(sending_end(run).since(input.series->start_of(second)).count()) / 1e9);
  return covered > 0 ? std::min(covered, 1.0) : 1;
}

}  // namespace

std::string seconds(const Input& input) {
  constexpr std::int64_t kLongestGap = 3'600;
  static const Series::Second kNothing;
  std::string out = "second,time,asked,sent,ok,failed,rate,min_ns,mean_ns,p50_ns,p90_ns,p95_ns,p99_ns,max_ns\n";
  if (input.series == nullptr || input.series->seconds().empty()) return out;
  const Series& series = *input.series;
  const std::int64_t first = series.seconds().begin()->first;
  std::int64_t expected = first;
  const auto row = [&](std::int64_t second, const Series::Second& s) {
    const auto asked = asked_in(input, second);
    out += fmt::format("{},{},{},{},{},{},", second - first, format_rfc3339(series.start_of(second)), asked ? std::to_string(*asked) : "",
                       s.sent(), s.ok, s.failed);
    const SparseHistogram& l = s.latencies;
    out += fmt::format("{:.2f},", static_cast<double>(s.sent()) / length_of(input, second));
    if (s.sent() == 0)
      out += ",,,,,,\n";  // no number where there is none
    else
      out += fmt::format("{},{},{},{},{},{},{}\n", l.min().count(), l.mean().count(), l.quantile(0.5).count(), l.quantile(0.9).count(),
                         l.quantile(0.95).count(), l.quantile(0.99).count(), l.max().count());
  };
  for (const auto& [second, s] : series.seconds()) {
    if (second - expected <= kLongestGap)
      for (; expected < second; ++expected) row(expected, kNothing);
    row(second, s);
    expected = second + 1;
  }
  return out;
}

}  // namespace thrum::report
