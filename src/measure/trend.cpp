#include "measure/trend.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace thrum {
namespace {

constexpr double kSlope = 0.004;  // four milliseconds a second: half a percent too much is seen within seconds
constexpr double kGrowth = 1.2;   // of the last part over the first
constexpr double kOrdered = 0.7;  // (pairs that grow - pairs that fall) / pairs
constexpr double kDeviations = 2.5;

}  // namespace

void Trend::add(Nanos at, Nanos latency) {
  if (at < Nanos(0) || at >= length_) return;
  const auto part = static_cast<std::size_t>(static_cast<__int128>(at.count()) * static_cast<__int128>(kParts) / length_.count());
  parts_[part].record(latency);
}

bool Trend::is_known() const {
  return std::ranges::all_of(parts_, [](const Histogram& h) { return h.count() >= kFewest; });
}

std::array<double, Trend::kParts> Trend::medians() const {
  std::array<double, kParts> out{};
  for (std::size_t i = 0; i < kParts; ++i) out[i] = static_cast<double>(parts_[i].quantile(0.5).count());
  return out;
}

double Trend::slope() const {
  if (!is_known()) return 0;
  const auto m = medians();
  const double part = static_cast<double>(length_.count()) / kParts;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < kParts; ++i)
    for (std::size_t k = i + 1; k < kParts; ++k) slopes.push_back((m[k] - m[i]) / (part * static_cast<double>(k - i)));
  std::ranges::sort(slopes);
  return slopes[slopes.size() / 2];
}

// Answers that take random times make queues that wander: over n of them by their times' deviation times the root of n. As a share of
// the mean, that deviation is no more than what is seen in the calmest part.
double Trend::wandering() const {
  double least = 1;
  std::uint64_t count = 0;
  for (const Histogram& h : parts_) {
    constexpr double kQuartiles = 1.35;  // between them lie so many deviations
    const double middle = std::max(1.0, static_cast<double>(h.quantile(0.5).count()));
    least = std::min(least, static_cast<double>((h.quantile(0.75) - h.quantile(0.25)).count()) / kQuartiles / middle);
    count += h.count();
  }
  return least / std::sqrt(static_cast<double>(count));
}

bool Trend::is_growing() const {
  if (!is_known() || slope() < std::max(kSlope, kDeviations * wandering())) return false;
  const auto m = medians();
  int growing = 0, pairs = 0;
  for (std::size_t i = 0; i < kParts; ++i)
    for (std::size_t k = i + 1; k < kParts; ++k) growing += m[k] > m[i] ? 1 : -1, ++pairs;
  return growing >= kOrdered * pairs && m[kParts - 1] > kGrowth * m[0];
}

}  // namespace thrum
