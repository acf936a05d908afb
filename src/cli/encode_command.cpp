#include "cli/commands.hpp"

namespace thrum::cli {

// Signals are left to do what they do to a filter: what was written so far is whole.
Expected<ExitCode> run_encode(const Invocation& invocation) {
  mode::EncodeOptions options = invocation.options.encode;
  options.inputs = invocation.arguments;
  const auto results = mode::run_encode(options, {.warn = [](std::string_view line) { say(Command::encode, line); }});
  if (!results) return std::unexpected(results.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
