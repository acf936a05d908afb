// From argv to an Invocation, by the rules of Go's flag package, relaxed: -flag and --flag, -flag=value and -flag value,
// -switch and -switch=false, "--" ends the flags; flags, the command and files may come in any order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/flag.hpp"
#include "cli/options.hpp"
#include "settings/setting.hpp"

namespace thrum::cli {

struct Invocation {
  Command command = Command::none;
  Options options;
  std::vector<std::string> arguments;  // what is neither flag nor command, in order
  std::vector<std::string> words;      // all of the line, to be read again with other settings
  std::string run;                     // thrum run NAME: the table of settings it is told by; empty: none
};

// What was wrong, and with which command, so that the error can be introduced by its name.
struct ParseFailure {
  Command command = Command::none;
  Error error;
};

// `args` without the program's name. When help is asked for anywhere, what else is wrong with the line doesn't matter. `settings` are what
// files and variables say: what the line says of the same flag wins, but for guards, which hold all of them.
std::expected<Invocation, ParseFailure> parse(std::span<const std::string_view> args, std::span<const settings::Setting> settings = {});

// Whether the command takes as many arguments as it was given.
Expected<void> check_arguments(const Invocation& invocation);

}  // namespace thrum::cli
