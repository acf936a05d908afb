#include "cli/commands.hpp"
#include "cli/interrupts.hpp"

namespace thrum::cli {

Expected<ExitCode> run_plot(const Invocation& invocation) {
  mode::PlotRequest request = invocation.options.plot;
  request.inputs = invocation.arguments;
  const auto plot = mode::Plot::create(std::move(request), {.warn = [](std::string_view line) { say(Command::plot, line); }});
  if (!plot) return std::unexpected(plot.error());
  InterruptibleBy target(**plot);
  const Interrupts interrupts(target);
  return ended(Command::plot, (*plot)->run());
}

}  // namespace thrum::cli
