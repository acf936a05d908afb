// A command's product must not fall on one of its own inputs: opening the output would empty it before it is read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "thrum/error.hpp"

namespace thrum::mode {

struct Input {
  std::string_view flag;  // as the user would know it: "-targets", "-body"; for messages
  std::string_view path;  // "stdin": standard input; empty: none
};

// An error when `output` is the same file as one of `inputs`, whatever each is called. An output that isn't there yet, and
// those that can't lose anything (terminals, pipes, /dev/null), are fine.
Expected<void> guard_output(const std::string& output, std::span<const Input> inputs);

}  // namespace thrum::mode
