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
  const auto code = ended(Command::report, (*report)->run());
  return code && *code == ExitCode::done && (*report)->is_gate_crossed() ? ExitCode::gate : code;
}

}  // namespace thrum::cli
