// The text report: vegeta's layout to the byte and, below it after an empty line, what thrum has to say beyond.
#pragma once

#include <string>

#include "report/input.hpp"

namespace thrum::report {

std::string text(const Input& input);

}  // namespace thrum::report
