// One run drawn: of its many points the few that show it, and its seconds.
#pragma once

#include <cstdint>
#include <vector>

#include "report/plot_bins.hpp"
#include "report/plot_run.hpp"
#include "report/plot_sampling.hpp"

namespace thrum::report {

// Vegeta's series: the results of a run without an error, or those with one.
struct PlotSeries {
  bool failed = false;
  std::uint64_t results = 0;
  std::vector<PlotPlace> points;
  std::vector<PlotPlace> extremes;  // what the eye must not miss and is not among `points`; in order of time
};

struct PlotChart {
  std::vector<PlotSeries> series;  // failures first, as vegeta has them; those without a result are left out
  PlotBins bins;
};

struct PlotScale {
  std::uint64_t threshold = 0;  // points of a series to choose; 0: all
  std::size_t stretches = 1;    // of which each series shows the lowest and the highest point
  std::size_t spikes = 0;       // how many of the run's highest points are shown
  PlotBins::Grid grid;
};

PlotChart draw(const PlotRun& run, const PlotScale& scale, const PlotKinds& kinds, const PlotLines& lines, bool by_response);

}  // namespace thrum::report
