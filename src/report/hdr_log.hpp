// `-type=hdrlog`: latencies as a log of HdrHistogram (format 1.3), a line per run, each with the histogram in the standard
// base64 form (V2, compressed), which every implementation of HdrHistogram reads, adds and compares.
#pragma once

#include <string>

#include "report/input.hpp"
#include "thrum/histogram.hpp"

namespace thrum::report {

std::string hdr_log(const Input& input);

// One histogram: nanoseconds, three significant digits. Negative values, which HdrHistogram has no place for, are left out.
std::string hdr_base64(const Histogram& histogram);

}  // namespace thrum::report
