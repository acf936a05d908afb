#include <fmt/format.h>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"

namespace thrum::cli {

Expected<ExitCode> run_help(const Invocation& invocation) {
  Command about = Command::none;
  if (!invocation.arguments.empty()) {
    const std::string& name = invocation.arguments[0];
    for (const CommandInfo& c : command_table())
      if (c.name == name) about = c.command;
    if (about == Command::none)
      return usage_error(fmt::format("there is no command \"{}\"; thrum help lists them", printable_prefix(name, 60)));
  }
  if (auto printed = print(help_text(about)); !printed) return std::unexpected(printed.error());
  return ExitCode::done;
}

// Line by line as vegeta prints it.
Expected<ExitCode> run_version(const Invocation&) {
  const auto printed = print(fmt::format("Version: v{}\nCommit: {}\nRuntime: {}\nDate: {}\n", kVersion, commit(), runtime(), build_date()));
  if (!printed) return std::unexpected(printed.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
