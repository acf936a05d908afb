// A run second by second: what the panels below a plot's main chart show. Long runs get wider bins than a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/plot_kinds.hpp"
#include "report/plot_points.hpp"
#include "thrum/histogram.hpp"

namespace thrum::report {

// Which codes and errors have a line of their own: those with most results. What has none is gathered in the last line.
class PlotLines {
 public:
  static constexpr std::size_t kMostCodes = 9, kMostErrors = 8;
  explicit PlotLines(const PlotKinds& kinds);

  const std::vector<std::uint16_t>& codes() const { return codes_; }    // ascending; 0: no answer came
  const std::vector<std::uint32_t>& errors() const { return errors_; }  // most frequent first
  bool has_other_codes() const { return other_codes_; }
  bool has_other_errors() const { return other_errors_; }
  std::size_t code_lines() const { return codes_.size() + (other_codes_ ? 1 : 0); }
  std::size_t error_lines() const { return errors_.size() + (other_errors_ ? 1 : 0); }
  std::size_t code_line(std::uint32_t kind) const { return code_line_[kind]; }
  // error_lines(): the kind has no error.
  std::size_t error_line(std::uint32_t kind) const { return error_line_[kind]; }

 private:
  std::vector<std::uint16_t> codes_;
  std::vector<std::uint32_t> errors_;
  std::vector<std::size_t> code_line_, error_line_;  // by kind
  bool other_codes_ = false, other_errors_ = false;
};

struct PlotQuantiles {
  std::int64_t p50 = 0, p90 = 0, p95 = 0, p99 = 0, p999 = 0, max = 0;  // nanoseconds
  static PlotQuantiles of(const Histogram& h);
};

class PlotBins {
 public:
  struct Grid {
    std::int64_t width = 1;  // of a bin, nanoseconds
    std::int64_t slack = 0;  // how much before the run's start bins begin, so that what leaves a little early is where it belongs
    std::size_t bins = 1;
    std::int64_t end = 0;  // of the last bin: it may be a little longer, or shorter, than the others
  };
  // `by_response`: latencies are judged from when hits were due.
  PlotBins(const Grid& grid, const PlotKinds& kinds, const PlotLines& lines, bool by_response);

  // `offset`: when the point was sent, from the run's start. Points come in order of it.
  void add(const PlotPoint& point, std::int64_t offset);
  void finish();  // no more are added

  using Counts = std::vector<std::uint32_t>;
  const Grid& grid() const { return grid_; }
  std::size_t size() const { return sent_.size(); }
  const Counts& sent() const { return sent_; }
  const Counts& due() const { return due_; }                        // all zero unless has_lags()
  const Counts& answered() const { return answered_; }              // when the answer came
  std::uint64_t answered_later() const { return answered_later_; }  // after the last bin
  const std::vector<Counts>& codes() const { return codes_; }       // by line, when sent
  const std::vector<Counts>& errors() const { return errors_; }     // the same
  // Of what was sent in each bin; none: nothing was.
  const std::vector<std::optional<PlotQuantiles>>& latencies() const { return latencies_; }
  const std::vector<std::optional<PlotQuantiles>>& lags() const { return lags_; }

  // Of the whole run.
  const Histogram& all_latencies() const { return all_latencies_; }
  const Histogram& all_lags() const { return all_lags_; }
  bool has_lags() const { return all_lags_.count() > 0; }

 private:
  std::size_t bin_of(std::int64_t offset) const;
  void close_bin();

  Grid grid_;
  const PlotKinds& kinds_;
  const PlotLines& lines_;
  bool by_response_;
  Counts sent_, due_, answered_;
  std::uint64_t answered_later_ = 0;
  std::vector<Counts> codes_, errors_;
  std::vector<std::optional<PlotQuantiles>> latencies_, lags_;
  Histogram all_latencies_, all_lags_;
  std::size_t bin_ = 0;  // that these two are of
  Histogram bin_latencies_, bin_lags_;
};

}  // namespace thrum::report
