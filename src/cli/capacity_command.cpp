#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "host/limits.hpp"

namespace thrum::cli {

Expected<ExitCode> run_capacity(const Invocation& invocation) {
  mode::CapacityRequest request = invocation.options.capacity;
  request.attack = invocation.options.attack;
  if (invocation.arguments.size() > 1) return usage_error("takes one URL; several targets go into a file, as in -targets=FILE");
  if (!invocation.arguments.empty()) request.url = invocation.arguments[0];
  if (!request.url.empty() && request.attack.targets != "stdin") return usage_error("a URL and -targets are both given; leave one out");
  auto capacity =
      mode::Capacity::prepare(std::move(request), {.print = print, .warn = [](std::string_view line) { say(Command::capacity, line); }});
  if (!capacity) return std::unexpected(capacity.error());
  InterruptibleBy target(**capacity);
  const Interrupts interrupts(target);
  (void)host::raise_descriptor_limit();
  const auto found = (*capacity)->run();
  if (!found) return std::unexpected(found.error());
  if (Interrupts::count() > 0) return ExitCode::interrupted;
  return *found ? ExitCode::done : ExitCode::gate;
}

}  // namespace thrum::cli
