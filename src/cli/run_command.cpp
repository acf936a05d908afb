#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "host/limits.hpp"
#include "mode/run.hpp"
#include "report/run_report.hpp"

namespace thrum::cli {
namespace {

Expected<ExitCode> carry_out(const Invocation& invocation, mode::RunRequest request) {
  if (request.is_curl)
    request.curl = invocation.arguments;
  else if (invocation.arguments.size() > 1)
    return usage_error("takes one URL; several targets are for thrum attack -targets=FILE");
  else if (!invocation.arguments.empty())
    request.url = invocation.arguments[0];
  auto run = mode::Run::prepare(std::move(request), {.print = print, .warn = [](std::string_view line) { say(Command::run, line); }});
  if (!run) return std::unexpected(run.error());
  InterruptibleBy target(**run);
  const Interrupts interrupts(target);
  (void)host::raise_descriptor_limit();
  const auto end = (*run)->run();
  if (!end) return std::unexpected(end.error());
  if (Interrupts::count() > 1) return ExitCode::interrupted;
  switch (*end) {
    case mode::RunEnd::unanswered:
      return ExitCode::failed;
    case mode::RunEnd::off_rate:
      return ExitCode::off_rate;
    case mode::RunEnd::gate:
      return ExitCode::gate;
    case mode::RunEnd::done:
      break;
  }
  return ExitCode::done;
}

}  // namespace

Expected<ExitCode> run_run(const Invocation& invocation) {
  mode::RunRequest request = invocation.options.run;
  request.attack = invocation.options.attack;
  return carry_out(invocation, std::move(request));
}

void print_run_error(const Error& error) {
  if (error.kind == ErrorKind::broken_pipe || error.text.empty()) return;
  (void)print(report::run_error_json(error.kind == ErrorKind::usage ? "usage" : "failed", error.text));
}

Expected<ExitCode> run_schema(const Invocation& invocation) {
  const std::string_view of = invocation.arguments.empty() ? "run" : std::string_view(invocation.arguments[0]);
  if (invocation.arguments.size() > 1 || of != "run") return usage_error("there is a schema of run; write thrum schema run");
  if (auto printed = print(report::run_schema()); !printed) return std::unexpected(printed.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
