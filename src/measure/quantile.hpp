// The one rule by which every distribution here answers "below which value does the share q lie".
#pragma once

#include <algorithm>
#include <cstdint>

#include "thrum/result.hpp"

namespace thrum {

// With n values sorted as x[0] … x[n-1], x[i] stands at place i + 1/2 of n; the answer for q is the straight line between the
// values whose places surround q * n, cut to whole nanoseconds and held within [min, max]. value_of_rank(i) is x[i] or an
// estimate of it, as a double. n > 0.
template <class Value>
Nanos quantile_of(double q, std::uint64_t count, Nanos min, Nanos max, Value&& value_of_rank) {
  const double n = static_cast<double>(count), place = std::clamp(q, 0.0, 1.0) * n;
  if (place <= 0.5) return min;
  if (place >= n - 0.5) return max;
  const auto rank = std::min(static_cast<std::uint64_t>(place - 0.5), count - 2);
  const double below = value_of_rank(rank), above = value_of_rank(rank + 1);
  const double after = place - (static_cast<double>(rank) + 0.5), before = static_cast<double>(rank) + 1.5 - place;
  const double value = std::clamp((below * before + above * after) / (before + after), below, std::max(below, above));
  if (value <= static_cast<double>(min.count())) return min;
  if (value >= static_cast<double>(max.count())) return max;
  return Nanos(static_cast<std::int64_t>(value));
}

}  // namespace thrum
