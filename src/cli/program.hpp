// The whole program, from argv to exit code.
#pragma once

#include <span>
#include <string_view>

namespace thrum::cli {

// `args` without the program's name. Errors go to stderr, one line each.
int run_program(std::span<const std::string_view> args);

}  // namespace thrum::cli
