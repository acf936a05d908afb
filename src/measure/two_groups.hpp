// Whether latencies fall into two groups that are far apart: a cache that answers some and misses others, two servers behind one
// address, a retry. Seen in a histogram of 24 bins to a power of ten.
#pragma once

#include <optional>

#include "thrum/histogram.hpp"

namespace thrum {

struct TwoGroups {
  Nanos lower{0}, upper{0};  // their centres
  double upper_share = 0;    // of all latencies, 0 … 1
};

std::optional<TwoGroups> two_groups(const Histogram& latencies);

}  // namespace thrum
