// How long the time axis of a plot is, what was due when along it, and how wide its bins are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/plot_bins.hpp"
#include "report/plot_run.hpp"
#include "thrum/shape.hpp"

namespace thrum::report {

// What was due when, where one source holds all of a run and says so.
class PlotSchedule {
 public:
  PlotSchedule(const PlotRun& run, std::span<const PlotSource> sources);

  // When the last hit was due, from run.start().
  std::optional<std::int64_t> last_due() const;
  // Hits that were due in each bin; what was due before the first request was sent counts in the first.
  std::optional<std::vector<std::uint32_t>> due(const PlotBins::Grid& grid) const;

 private:
  std::optional<Shape> shape_;   // none: not known
  std::uint64_t hits_ = 0;       // how many were scheduled, at least 1
  std::int64_t first_sent_ = 0;  // nanoseconds from t = 0 of the plan
};

// Nanoseconds from the run's start.
struct PlotSpan {
  std::int64_t sending = 0;  // until the last request was sent, or due
  std::int64_t whole = 0;    // until the last answer; one that came much later than all the rest doesn't stretch it
};
PlotSpan span_of(const PlotRun& run, const PlotSchedule& schedule);

// A second, or more where that would make too many bins.
std::int64_t bin_width(std::span<const PlotSpan> spans);
std::size_t bins_of(const PlotSpan& span, std::int64_t width);

}  // namespace thrum::report
