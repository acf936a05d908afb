#include "report/plot_chart.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace thrum::report {
namespace {

// Seconds as Go's Duration.Seconds() has them: whole seconds and the rest are divided apart.
double seconds(std::int64_t nanos) { return static_cast<double>(nanos / 1'000'000'000) + static_cast<double>(nanos % 1'000'000'000) / 1e9; }

// Vegeta keeps times in whole milliseconds.
PlotPlace place_of(std::int64_t offset, std::int64_t latency) { return {seconds(offset / 1'000'000 * 1'000'000), seconds(latency) * 1000}; }

// Draws one series: first look() at each of its points, then choose() at each.
class SeriesDrawing {
 public:
  SeriesDrawing(bool failed, std::uint64_t results, const PlotScale& scale, double length)
      : failed_(failed), results_(results), lttb_(results, scale.threshold), extremes_(keeps_all() ? 1 : scale.stretches, length) {}

  bool keeps_all() const { return lttb_.keeps_all(); }
  // Gives the point its number in the series.
  PlotSample look(PlotPlace place) {
    const PlotSample point{looked_at_++, place};
    if (!keeps_all()) extremes_.add(point);
    lttb_.look(place);
    return point;
  }
  void choose(PlotPlace place) { lttb_.choose(place); }
  void must_show(const PlotSample& point) { must_show_.emplace(point.index, point.place); }

  PlotSeries finish() {
    PlotSeries series{failed_, results_, {}, {}};
    if (!keeps_all())
      for (const PlotSample& point : extremes_.points()) must_show(point);
    for (const PlotSample& point : lttb_.chosen()) {
      must_show_.erase(point.index);
      series.points.push_back(point.place);
    }
    for (const auto& [index, place] : must_show_) series.extremes.push_back(place);
    return series;
  }

 private:
  bool failed_;
  std::uint64_t results_;
  Lttb lttb_;
  Extremes extremes_;
  std::uint64_t looked_at_ = 0;
  std::map<std::uint64_t, PlotPlace> must_show_;  // by number
};

}  // namespace

PlotChart draw(const PlotRun& run, const PlotScale& scale, const PlotKinds& kinds, const PlotLines& lines, bool by_response) {
  const double length = seconds(saturating_subtract(run.last_sent, run.first_sent));
  SeriesDrawing ok(false, run.without_error, scale, length), failures(true, run.with_error, scale, length);
  Spikes spikes(scale.spikes);
  PlotBins bins(scale.grid, kinds, lines, by_response);
  run.points.each([&](const PlotPoint& point) {
    const std::int64_t offset = run.offset_of(point);
    const bool failed = kinds[point.kind].error != PlotKinds::kNoError;
    SeriesDrawing& drawing = failed ? failures : ok;
    const PlotSample sample = drawing.look(place_of(offset, point.latency));
    if (!drawing.keeps_all()) spikes.add({sample, failed});
    bins.add(point, offset);
  });
  bins.finish();
  for (const Spikes::Spike& spike : spikes.spikes()) (spike.failed ? failures : ok).must_show(spike.point);
  run.points.each([&](const PlotPoint& point) {
    const bool failed = kinds[point.kind].error != PlotKinds::kNoError;
    (failed ? failures : ok).choose(place_of(run.offset_of(point), point.latency));
  });

  PlotChart chart{{}, std::move(bins)};
  if (run.with_error > 0) chart.series.push_back(failures.finish());
  if (run.without_error > 0) chart.series.push_back(ok.finish());
  return chart;
}

}  // namespace thrum::report
