// A plot of results: takes them in as they come, any number of them, and gives one HTML page that needs nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/plot_axis.hpp"
#include "report/plot_chart.hpp"
#include "report/plot_kinds.hpp"
#include "report/plot_run.hpp"
#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum::report {

inline constexpr std::uint64_t kPlotThreshold = 4000;

class Plot {
 public:
  // Attacks beyond these are plotted as one: a file could name a different one in every result.
  static constexpr std::size_t kMostRuns = 400;

  // `threshold`: how many points of a series are chosen (at least Lttb::kLeastThreshold), or 0: all.
  Plot(std::string title, std::uint64_t threshold) : title_(std::move(title)), threshold_(threshold) {}

  // The number of the source, for the following.
  std::size_t add_source(PlotSource source);
  PlotSource& source(std::size_t number) { return sources_[number]; }
  void add(std::size_t source, std::span<const Result> results);

  std::uint64_t results() const { return results_; }

  // The page, when there was at least one result. Nothing may be added afterwards. An error: points that were moved to disk
  // can't be read back.
  Expected<std::string> page();

 private:
  using Key = std::pair<std::string, std::string>;  // a run id, or the number of a source; and the attack's name

  PlotRun& run_of(std::size_t source, std::string_view attack);
  PlotScale scale_of(const PlotRun& run, const PlotSpan& span, std::int64_t bin_width) const;

  std::string title_;
  std::uint64_t threshold_;
  std::vector<PlotSource> sources_;
  PlotStore store_;
  std::vector<std::unique_ptr<PlotRun>> runs_;  // in the order first met
  std::map<Key, std::size_t> index_;            // into runs_
  PlotKinds kinds_;
  std::uint64_t results_ = 0;
  std::size_t last_source_ = SIZE_MAX, last_run_ = 0;
};

}  // namespace thrum::report
