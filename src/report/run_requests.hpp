// Single requests of a run, as far as they were kept: a line of JSON each.
#pragma once

#include <deque>
#include <string>

#include "measure/run_watch.hpp"

namespace thrum::report {

// Oldest first. Times are seconds from the run's start, or milliseconds. Of a response that was kept whole headers and body are there.
std::string run_requests_ndjson(const std::deque<RecentResult>& requests);

}  // namespace thrum::report
