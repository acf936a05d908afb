// Numbers from results, in bounded memory whatever the number of results.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "thrum/result.hpp"

namespace thrum {

// A distribution of durations with a relative error of at most 0.05 %. Merging is exact.
class Histogram;

// Values of a finished Metrics, in nanoseconds and plain numbers; field by field what reports print.
// TO BE SETTLED by room `measure` (see src/measure).

}  // namespace thrum
