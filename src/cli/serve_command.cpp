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
  const mode::ServeHooks hooks{
      // Whoever read the first lines may be gone by now (serve | head -1); serving goes on.
      .say = [](std::string_view line) { (void)print(std::string(line) + '\n'); },
      .warn = [](std::string_view line) { say(Command::serve, line); },
  };
  const auto served = mode::run_serve(invocation.options.serve, stop, hooks);
  if (!served) return std::unexpected(served.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
