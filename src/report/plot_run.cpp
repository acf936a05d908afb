#include "report/plot_run.hpp"

#include <algorithm>

namespace thrum::report {

void PlotRun::add(const Result& result, std::uint32_t kind, bool success) {
  if (points.count() == 0) origin = result.timestamp;
  const PlotPoint point{result.timestamp.since(origin).count(), result.latency.count(), result.lag.count(), result.seq, kind};
  points.add(point);
  first_sent = std::min(first_sent, point.sent);
  last_sent = std::max(last_sent, point.sent);
  succeeded += success ? 1 : 0;
  if (result.code != 0) {
    last_answer = std::max(last_answer, result.end().since(origin).count());
    ++answered;
  }
  ++(result.error.empty() ? without_error : with_error);
}

std::int64_t PlotRun::slack() const {
  const std::int64_t sending = saturating_subtract(last_sent, first_sent);
  const std::int64_t between = points.count() < 2 ? 0 : sending / static_cast<std::int64_t>(points.count() - 1);
  return std::min<std::int64_t>(between / 2, 5'000'000);
}

}  // namespace thrum::report
