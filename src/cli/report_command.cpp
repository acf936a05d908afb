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
  if (const auto done = (*report)->run(); !done) return std::unexpected(done.error());
  return Interrupts::count() > 1 ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace thrum::cli
