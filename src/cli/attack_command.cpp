#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "host/limits.hpp"

namespace thrum::cli {

Expected<ExitCode> run_attack(const Invocation& invocation) {
  auto attack =
      mode::Attack::prepare(invocation.options.attack, {.print = print, .warn = [](std::string_view line) { say(Command::attack, line); }});
  if (!attack) return std::unexpected(attack.error());
  InterruptibleBy target(**attack);
  const Interrupts interrupts(target);
  (void)host::raise_descriptor_limit();  // as far as it goes; an attack that needs more says so
  const auto end = (*attack)->run();
  if (!end) return std::unexpected(end.error());
  if (Interrupts::count() > 1) return ExitCode::interrupted;
  if (*end == mode::AttackEnd::off_rate) return ExitCode::off_rate;
  return *end == mode::AttackEnd::gate ? ExitCode::gate : ExitCode::done;
}

}  // namespace thrum::cli
