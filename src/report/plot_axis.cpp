#include "report/plot_axis.hpp"

#include <algorithm>
#include <array>

#include "report/saturating.hpp"

namespace thrum::report {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLate = 50'000'000;
constexpr std::size_t kMostBins = 2000, kMostBinsOfAll = 6000;

// Seconds that people count in.
std::int64_t wider(std::int64_t width) {
  constexpr std::array<std::int64_t, 18> kWidths{1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200};
  for (const std::int64_t next : kWidths)
    if (next * kSecond > width) return next * kSecond;
  return width <= INT64_MAX / 4 ? width * 2 : width;
}

}  // namespace

PlotSchedule::PlotSchedule(const PlotRun& run, std::span<const PlotSource> sources) {
  if (run.sources.size() != 1) return;
  const PlotSource& source = sources[run.sources.front()];
  if (!source.plan || !source.plan->asked || source.plan->asked->is_closed() || source.rate_changed) return;
  const Plan& plan = *source.plan;
  first_sent_ = run.start().since(plan.start).count();
  if (plan.summary) {
    hits_ = plan.summary->books.scheduled;
  } else {  // its end is not known: as far as results go
    const std::int64_t last_sent = saturating_add(first_sent_, saturating_subtract(run.last_sent, run.first_sent));
    const Nanos until(saturating_add(last_sent, 1));
    hits_ = std::min(plan.hits, plan.asked->hits_before(plan.duration > Nanos(0) ? std::min(plan.duration, until) : until));
  }
  if (hits_ > 0) shape_ = plan.asked;
}

std::optional<std::int64_t> PlotSchedule::last_due() const {
  if (!shape_) return std::nullopt;
  return saturating_subtract(shape_->due(hits_ - 1).count(), first_sent_);
}

std::optional<std::vector<std::uint32_t>> PlotSchedule::due(const PlotBins::Grid& grid) const {
  if (!shape_) return std::nullopt;
  std::vector<std::uint32_t> due(grid.bins);
  std::uint64_t before = 0;
  // A first hit that left a little late moves the axis by that little, but no hit into another bin than it was asked for in.
  const std::int64_t early_start = first_sent_ > kLate ? first_sent_ : 0;
  for (std::size_t i = 0; i < grid.bins; ++i) {
    const bool is_last = i + 1 == grid.bins;
    const std::int64_t end = is_last ? saturating_add(first_sent_, grid.end + 1)
                                     : saturating_add(early_start, static_cast<std::int64_t>(i + 1) * grid.width - grid.slack);
    const std::uint64_t hits = std::min(shape_->hits_before(Nanos(end)), hits_);
    due[i] = static_cast<std::uint32_t>(hits - before);
    before = hits;
  }
  return due;
}

PlotSpan span_of(const PlotRun& run, const PlotSchedule& schedule) {
  const std::int64_t sending = saturating_subtract(run.last_sent, run.first_sent);
  const std::int64_t answers = run.answered == 0 ? 0 : saturating_subtract(run.last_answer, run.first_sent);
  PlotSpan span;
  span.sending = std::max(sending, schedule.last_due().value_or(0));
  span.whole = std::max(span.sending, std::min(answers, saturating_add(sending, std::max(sending / 2, 5 * kSecond))));
  return span;
}

std::size_t bins_of(const PlotSpan& span, std::int64_t width) {
  // A few answers that came right after the last full bin don't get one of their own.
  const std::int64_t tail = std::max<std::int64_t>(span.whole - width / 20, 0);
  return static_cast<std::size_t>(std::max(span.sending, tail) / width) + 1;
}

std::int64_t bin_width(std::span<const PlotSpan> spans) {
  for (std::int64_t width = kSecond;; width = wider(width)) {
    std::size_t longest = 0, all = 0;
    for (const PlotSpan& span : spans) {
      longest = std::max(longest, bins_of(span, width));
      all += bins_of(span, width);
    }
    if ((longest <= kMostBins && all <= std::max(kMostBinsOfAll, spans.size() * 2)) || wider(width) == width) return width;
  }
}

}  // namespace thrum::report
