// Where results of a plot come from, and what is gathered of each run until all have been read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/input.hpp"
#include "report/plot_points.hpp"
#include "report/saturating.hpp"
#include "thrum/metrics.hpp"
#include "thrum/result.hpp"

namespace thrum::report {

// A moment worth a mark: a stage, a pause, the stop.
struct PlotMark {
  Nanos at{0};  // from t = 0 of the plan
  std::string text;
};

// A stream of results: most often a file.
struct PlotSource {
  std::string file;                 // as the user named it
  std::string run_id;               // sources of the same id hold one run together; empty: unknown
  bool judged_by_response = false;  // latencies in the table and the percentiles count from when hits were due
  StatusSet success;
  // These may be filled in after the results have been added.
  std::optional<Plan> plan;
  bool rate_changed = false;  // on the way: the plan doesn't say what was due when
  std::vector<PlotMark> marks;
};

// What a source holds of one attack: a row of the page's table, a series for successes and one for failures.
struct PlotRun {
  explicit PlotRun(PlotStore& store) : points(store) {}

  std::string attack;                // its name, as results give it
  std::vector<std::size_t> sources;  // ascending
  Timestamp origin;                  // points count from here: the first result met, which need not be the first sent
  PlotPoints points;
  std::int64_t first_sent = INT64_MAX, last_sent = INT64_MIN, last_answer = INT64_MIN;  // nanoseconds from origin
  std::uint64_t succeeded = 0, answered = 0;
  std::uint64_t without_error = 0, with_error = 0;

  void add(const Result& result, std::uint32_t kind, bool succeeded);
  Timestamp start() const { return origin.plus(Nanos(first_sent)); }
  // How much before start() bins of time begin. Where requests leave every 10 ms and one is a microsecond early, it still falls
  // into the bin it was meant for.
  std::int64_t slack() const;
  // When a point was sent, from start().
  std::int64_t offset_of(const PlotPoint& point) const { return saturating_subtract(point.sent, first_sent); }
};

}  // namespace thrum::report
