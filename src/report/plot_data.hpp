// What a plot's page is made of, finished, and how it is written into the page: as JSON, which docs/plot.md describes, since
// people read it with other tools too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/plot_chart.hpp"
#include "report/plot_kinds.hpp"
#include "report/plot_names.hpp"
#include "report/plot_run.hpp"

namespace thrum::report {

struct PlotDataRun {
  RunName name = {};
  std::string attack = {};
  std::vector<std::string> files = {};
  Timestamp start = {};    // when its first request was sent
  double after_first = 0;  // seconds from the start of the run that began first
  double seconds = 0;      // until its last answer, or the end of its schedule
  std::uint64_t results = 0, succeeded = 0, answered = 0;
  std::string shape = {};                    // the rate asked for, as typed; empty: unknown
  std::optional<std::uint64_t> missed = {};  // none: unknown
  bool judged_by_response = false;
  std::optional<std::vector<std::uint32_t>> asked = {};  // hits that were due in each bin; none: unknown
  std::vector<PlotMark> marks = {};                      // from the run's start
  PlotChart chart;
};

struct PlotData {
  std::string title = {};
  std::int64_t bin_width = 1;          // nanoseconds
  std::vector<PlotDataRun> runs = {};  // in the order of the command line
  std::vector<std::uint16_t> codes = {};
  bool other_codes = false;
  std::vector<std::string> errors = {};
  bool other_errors = false;
};

// Vegeta's order of series: by name with "ERROR" or "OK" right behind it.
struct SeriesRef {
  std::size_t run = 0, series = 0;
};
std::vector<SeriesRef> vegetas_order(const PlotData& data);

std::string to_json(const PlotData& data);

// As Go's html/template escapes text.
std::string html_escaped(std::string_view text);

// The page: the template of web/plot with title and data put in.
std::string plot_page(const PlotData& data);

}  // namespace thrum::report
