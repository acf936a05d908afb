// The program: argv to the cli room.
#include <string_view>
#include <vector>

#include "cli/program.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return thrum::cli::run_program(args);
}
