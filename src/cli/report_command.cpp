#include "cli/commands.hpp"
#include "cli/interrupts.hpp"

namespace thrum::cli {

Expected<ExitCode> run_report(const Invocation& invocation) {
  mode::ReportRequest request = invocation.options.report;
  request.inputs = invocation.arguments;
  const auto report = mode::Report::create(std::move(request), {.warn = [](std::string_view line) { say(Command::report, line); }});
  if (!report) return std::unexpected(report.error());
  InterruptibleBy target(**report);
  const Interrupts interrupts(target);
  const auto done = (*report)->run();
  const auto code = ended(Command::report, done);
  // A reader that left (report | head) doesn't make it pass.
  const bool is_done = code ? *code == ExitCode::done : code.error().kind == ErrorKind::broken_pipe;
  return is_done && (*report)->is_gate_crossed() ? ExitCode::gate : code;
}

}  // namespace thrum::cli
