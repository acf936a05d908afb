// `-type=csv`: a line for each second, for spreadsheets and other programs. Named columns, durations in nanoseconds.
#pragma once

#include <string>

#include "report/input.hpp"

namespace thrum::report {

// Of input.series (without one: the names of the columns alone). Seconds in which nothing was sent and nothing was asked for stand there,
// too, unless that lasts longer than an hour.
std::string seconds(const Input& input);

}  // namespace thrum::report
