// The JSON report: vegeta's object, field by field in its order and spelling, and thrum's own fields after them. Nothing is
// added where there is nothing to say beyond vegeta (one run, not recorded by thrum, without failures).
#pragma once

#include <string>

#include "report/input.hpp"
#include "thrum/error.hpp"

namespace thrum::report {

// One line. An error, as in vegeta, if a time lies beyond the years that RFC 3339 can write.
Expected<std::string> json(const Input& input);

}  // namespace thrum::report
