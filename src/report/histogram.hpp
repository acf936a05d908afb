// `-type=hist[…]`: how many results took how long, a row for each bucket with a bar.
#pragma once

#include <string>

#include "report/input.hpp"

namespace thrum::report {

// By input.buckets if there are some, else by input.rows: then bounds are chosen so that the bulk of the results spreads over
// several rows, however far the slowest lie, and empty stretches take one row.
std::string histogram(const Input& input);

// `-type=hdrplot`: value, quantile, number of results up to the value and 1/(1 - quantile), as HdrHistogram's plotter reads it.
std::string hdrplot(const Input& input);

}  // namespace thrum::report
