#include "measure/two_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace thrum {
namespace {

constexpr std::size_t kBins = 168, kPerDecade = 24;
constexpr double kFirst = 10'000;  // ns, where the first bin begins
constexpr std::uint64_t kFewest = 100;
constexpr double kLeastPeak = 0.02, kLeastSide = 0.02;
constexpr std::size_t kApart = 12;  // bins: about a factor of 3

using Bins = std::array<std::uint64_t, kBins>;

std::size_t bin_of(double ns) {
  if (ns <= kFirst) return 0;
  return std::min(kBins - 1, static_cast<std::size_t>(std::log10(ns / kFirst) * kPerDecade));
}

Nanos centre_of(std::size_t bin) {
  return Nanos(static_cast<std::int64_t>(kFirst * std::pow(10, (static_cast<double>(bin) + 0.5) / kPerDecade)));
}

// Each bin with its two neighbours, so that what lies at a bin's edge makes one peak.
Bins smooth(const Bins& bins) {
  Bins out{};
  for (std::size_t i = 0; i < kBins; ++i) out[i] = bins[i] + (i > 0 ? bins[i - 1] : 0) + (i + 1 < kBins ? bins[i + 1] : 0);
  return out;
}

}  // namespace

std::optional<TwoGroups> two_groups(const Histogram& latencies) {
  const std::uint64_t total = latencies.count();
  if (total < kFewest) return std::nullopt;
  Bins bins{};
  for (const Histogram::Bin& b : latencies.bins())
    bins[bin_of((static_cast<double>(b.lowest) + static_cast<double>(b.highest)) / 2)] += b.count;
  const Bins smoothed = smooth(bins);
  const auto at = [&](std::size_t i) { return smoothed[i]; };
  const double n = static_cast<double>(total);
  std::optional<std::size_t> first, second;  // the two highest peaks
  for (std::size_t i = 0; i < kBins; ++i) {
    const bool is_peak = at(i) > (i > 0 ? at(i - 1) : 0) && at(i) >= (i + 1 < kBins ? at(i + 1) : 0);
    if (!is_peak || static_cast<double>(at(i)) < kLeastPeak * n) continue;
    if (!first || at(i) > at(*first))
      second = std::exchange(first, i);
    else if (!second || at(i) > at(*second))
      second = i;
  }
  if (!second) return std::nullopt;
  const std::size_t low = std::min(*first, *second), high = std::max(*first, *second);
  if (high - low < kApart) return std::nullopt;
  const std::size_t valley = static_cast<std::size_t>(
      std::min_element(smoothed.begin() + static_cast<std::ptrdiff_t>(low), smoothed.begin() + static_cast<std::ptrdiff_t>(high)) -
      smoothed.begin());
  if (2 * at(valley) > std::min(at(low), at(high))) return std::nullopt;
  std::uint64_t above = 0;
  for (std::size_t i = valley; i < kBins; ++i) above += bins[i];
  const double share = static_cast<double>(above) / n;
  if (share < kLeastSide || share > 1 - kLeastSide) return std::nullopt;
  return TwoGroups{centre_of(low), centre_of(high), share};
}

}  // namespace thrum
