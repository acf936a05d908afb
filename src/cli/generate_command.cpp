#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/help.hpp"

namespace thrum::cli {
namespace {

Expected<std::string> generated(std::string_view what, std::string_view of) {
  if (what == "completion") {
    auto script = completion_script(of);
    if (!script) return usage_error("completion: write thrum completion bash, zsh or fish");
    return std::move(*script);
  }
  Command command = Command::none;
  for (const CommandInfo& c : command_table())
    if (c.name == of) command = c.command;
  if (!of.empty() && command == Command::none)
    return usage_error(fmt::format("{}: there is no command \"{}\"", what, printable_prefix(of, 60)));
  return what == "man" ? man_page(command) : manual_table(command);
}

}  // namespace

bool is_generator(std::string_view word) { return word == "man" || word == "completion" || word == "flags"; }

Expected<ExitCode> run_generator(std::span<const std::string_view> args) {
  const auto text = generated(args[0], args.size() > 1 ? args[1] : "");
  if (!text) return std::unexpected(text.error());
  if (auto printed = print(*text); !printed) return std::unexpected(printed.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
