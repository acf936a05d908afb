// A rate over time, drawn for a terminal, with its totals and a table of its stages.
#pragma once

#include <string>

#include "thrum/shape.hpp"

namespace thrum::report {

// The first `until` of it, in at most `columns` columns. Not for closed shapes.
std::string shape_text(const Shape& shape, Nanos until, std::size_t columns);

}  // namespace thrum::report
