#include "measure/send_peaks.hpp"

#include <algorithm>

namespace thrum {

void SendPeaks::add(std::span<const Result> results) {
  while (!results.empty()) {
    const std::int64_t tenth = tenth_of(results[0].timestamp);
    std::size_t n = 1;
    while (n < results.size() && tenth_of(results[n].timestamp) == tenth) ++n;
    count(tenth, static_cast<std::uint32_t>(n));
    results = results.subspan(n);
  }
}

void SendPeaks::merge(const SendPeaks& other) {
  busiest_tenth_ = std::max(busiest_tenth_, other.busiest_tenth_);
  busiest_second_ = std::max(busiest_second_, other.busiest_second_);
  for (std::int64_t t = other.first_; t < other.end_; ++t)
    if (const std::uint32_t hits = other.at(t); hits > 0) count(t, hits);
}

std::uint32_t SendPeaks::at(std::int64_t tenth) const {
  return tenth < first_ || tenth >= end_ ? 0 : tenths_[static_cast<std::uint64_t>(tenth) % kKept];
}

// A tenth that has left the ring is no more told apart; what comes for it late is not counted.
void SendPeaks::count(std::int64_t tenth, std::uint32_t hits) {
  constexpr auto kMost = static_cast<std::int64_t>(kKept);
  if (tenths_.empty()) tenths_.assign(kKept, 0), first_ = end_ = tenth;
  if (tenth < first_) {
    if (end_ - tenth > kMost) return;
    while (first_ > tenth) tenths_[static_cast<std::uint64_t>(--first_) % kKept] = 0;
  }
  if (tenth - end_ >= kMost) first_ = end_ = tenth;
  for (; end_ <= tenth; ++end_) tenths_[static_cast<std::uint64_t>(end_) % kKept] = 0;
  first_ = std::max(first_, end_ - kMost);
  std::uint32_t& own = tenths_[static_cast<std::uint64_t>(tenth) % kKept];
  own += hits;
  busiest_tenth_ = std::max(busiest_tenth_, static_cast<double>(own));
  // The ten windows of a second that this tenth is part of.
  std::uint64_t sum = 0;
  for (std::int64_t t = tenth - 9; t < tenth; ++t) sum += at(t);
  for (std::int64_t t = tenth; t < tenth + 10; ++t) {
    sum += at(t);
    busiest_second_ = std::max(busiest_second_, static_cast<double>(sum));
    sum -= at(t - 9);
  }
}

}  // namespace thrum
