// A run's charts as SVG that stands in a page: latency over time as a heatmap, throughput, percentiles. Numbers only; no text that
// anybody else has written.
#pragma once

#include <string>
#include <vector>

#include "measure/run_seconds.hpp"

namespace thrum::report {

// Each is empty where there is nothing to draw.
std::string heatmap_chart(const RunSeconds& seconds);
// `width`: seconds that a point is of.
std::string throughput_chart(const std::vector<RunPoint>& points, std::int64_t width);
std::string percentile_chart(const std::vector<RunPoint>& points, std::int64_t width);

}  // namespace thrum::report
