#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "host/limits.hpp"

namespace thrum::cli {
namespace {

class Stoppable final : public Interruptible {
 public:
  explicit Stoppable(mode::ServeStop& stop) : stop_(stop) {}
  void stop() noexcept override { stop_.stop(); }
  void cut() noexcept override { stop_.stop(); }

 private:
  mode::ServeStop& stop_;
};

}  // namespace

Expected<ExitCode> run_serve(const Invocation& invocation) {
  (void)host::raise_descriptor_limit();  // as far as it goes; who runs out says so
  mode::ServeStop stop;
  Stoppable target(stop);
  const Interrupts interrupts(target);
  bool stdout_failed = false;
  const mode::ServeHooks hooks{
      .say =
          [&stdout_failed](std::string_view line) {
            if (stdout_failed) return;
            // Whoever read the first lines may be gone by now (serve | head -1). Whatever it is, serving goes on.
            const auto printed = print(std::string(line) + '\n');
            if (printed || printed.error().kind == ErrorKind::broken_pipe) return;
            stdout_failed = true;
            say(Command::serve, fmt::format("{}; it should have read: {}", printed.error().text, line));
          },
      .warn = [](std::string_view line) { say(Command::serve, line); },
  };
  const auto served = mode::run_serve(invocation.options.serve, stop, hooks);
  if (!served) return std::unexpected(served.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
