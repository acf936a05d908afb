#include "report/plot_bins.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "report/saturating.hpp"

namespace thrum::report {
namespace {

// The keys of `results` with most results, at most `most`; of equals the one with the lower key.
template <class Key>
std::vector<Key> most_frequent(const std::map<Key, std::uint64_t>& results, std::size_t most) {
  std::vector<std::pair<Key, std::uint64_t>> all(results.begin(), results.end());
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Key> keys;
  for (const auto& [key, count] : all)
    if (count > 0 && keys.size() < most) keys.push_back(key);
  return keys;
}

}  // namespace

PlotLines::PlotLines(const PlotKinds& kinds) {
  std::map<std::uint16_t, std::uint64_t> codes;
  std::map<std::uint32_t, std::uint64_t> errors;
  for (const PlotKinds::Kind& kind : kinds.kinds()) {
    codes[kind.code] += kind.results;
    if (kind.error > PlotKinds::kOtherErrors) errors[kind.error] += kind.results;
  }
  codes_ = most_frequent(codes, kMostCodes);
  errors_ = most_frequent(errors, kMostErrors);
  std::ranges::sort(codes_);
  for (const PlotKinds::Kind& kind : kinds.kinds()) {
    const auto code = static_cast<std::size_t>(std::ranges::find(codes_, kind.code) - codes_.begin());
    const auto error = static_cast<std::size_t>(std::ranges::find(errors_, kind.error) - errors_.begin());
    code_line_.push_back(code);
    error_line_.push_back(error);
    if (kind.results == 0) continue;
    other_codes_ |= code == codes_.size();
    other_errors_ |= kind.error != PlotKinds::kNoError && error == errors_.size();
  }
  for (std::size_t i = 0; i < error_line_.size(); ++i)
    if (kinds.kinds()[i].error == PlotKinds::kNoError) error_line_[i] = error_lines();
}

PlotQuantiles PlotQuantiles::of(const Histogram& h) {
  const auto at = [&](double q) { return h.quantile(q).count(); };
  return {at(0.5), at(0.9), at(0.95), at(0.99), at(0.999), h.max().count()};
}

PlotBins::PlotBins(const Grid& grid, const PlotKinds& kinds, const PlotLines& lines, bool by_response)
    : grid_(grid),
      kinds_(kinds),
      lines_(lines),
      by_response_(by_response),
      sent_(grid.bins),
      due_(grid.bins),
      answered_(grid.bins),
      codes_(lines.code_lines(), Counts(grid.bins)),
      errors_(lines.error_lines(), Counts(grid.bins)),
      latencies_(grid.bins),
      lags_(grid.bins) {}

std::size_t PlotBins::bin_of(std::int64_t offset) const {
  const std::int64_t into = std::max<std::int64_t>(saturating_add(offset, grid_.slack), 0);
  return std::min(static_cast<std::size_t>(into / grid_.width), size() - 1);
}

void PlotBins::add(const PlotPoint& point, std::int64_t offset) {
  if (const std::size_t bin = bin_of(offset); bin != bin_) {
    close_bin();
    bin_ = bin;
  }
  ++sent_[bin_];
  ++codes_[lines_.code_line(point.kind)][bin_];
  if (const std::size_t line = lines_.error_line(point.kind); line < errors_.size()) ++errors_[line][bin_];
  if (kinds_[point.kind].code != 0) {
    const std::int64_t end = saturating_add(offset, point.latency);
    if (end <= grid_.end)
      ++answered_[bin_of(end)];
    else
      ++answered_later_;
  }
  std::int64_t latency = point.latency;
  if (point.has_lag()) {
    ++due_[bin_of(saturating_subtract(offset, point.lag))];
    bin_lags_.record(Nanos(point.lag));
    if (by_response_) latency = saturating_add(latency, point.lag);
  }
  bin_latencies_.record(Nanos(latency));
}

void PlotBins::close_bin() {
  if (bin_latencies_.count() > 0) latencies_[bin_] = PlotQuantiles::of(bin_latencies_);
  if (bin_lags_.count() > 0) lags_[bin_] = PlotQuantiles::of(bin_lags_);
  all_latencies_.merge(bin_latencies_);
  all_lags_.merge(bin_lags_);
  bin_latencies_ = {};
  bin_lags_ = {};
}

void PlotBins::finish() { close_bin(); }

}  // namespace thrum::report
