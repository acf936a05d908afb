// Whether latency keeps growing over a stretch of time: what a target that answers less than it is sent cannot hide, long before
// anything fails. By medians of eight parts, so that a few slow answers, or a pause, make no trend.
#pragma once

#include <array>
#include <cstdint>

#include "thrum/histogram.hpp"
#include "thrum/result.hpp"

namespace thrum {

class Trend {
 public:
  // Of a stretch of that length, from 0.
  explicit Trend(Nanos length) : length_(length) {}
  void add(Nanos at, Nanos latency);

  // Nanoseconds of latency gained per nanosecond: what answers 80 % of what is sent gains 0.25 per second of sending. The median of the
  // slopes between all parts; 0 when there are too few results to say.
  double slope() const;
  // It grows steadily, by enough to matter, and by more than a queue of random lengths would.
  bool is_growing() const;

 private:
  static constexpr std::size_t kParts = 8;
  static constexpr std::uint64_t kFewest = 3;  // results in a part
  bool is_known() const;
  double wandering() const;
  std::array<double, kParts> medians() const;

  Nanos length_;
  std::array<Histogram, kParts> parts_;
};

}  // namespace thrum
