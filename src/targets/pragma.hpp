// Pragmas: comment lines that begin with "#: " and say something of the target that follows. Vegeta passes over them.
//
//   #: name login
//   #: weight 5
//   #: expect status 200,404
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "thrum/error.hpp"
#include "thrum/target.hpp"
#include "thrum/targets.hpp"

namespace thrum::targets {

// Of a line without blanks at its ends.
bool is_pragma(std::string_view line);
// Takes what the line says into `into`. Errors are in words, for whoever knows file and line.
Expected<void> read_pragma(std::string_view line, TargetRules rules, Target& into);

// The same for each thing that can be said, in whatever format. Said twice of one target is an error.
Expected<void> set_name(std::string_view name, Target& into);
Expected<void> set_weight(std::string_view digits, TargetRules rules, Target& into);

}  // namespace thrum::targets
