#include "cli/commands.hpp"
#include "mode/steering.hpp"

namespace thrum::cli {

Expected<ExitCode> run_control(const Invocation& invocation) {
  if (invocation.arguments.size() < 2)
    return usage_error("needs the socket of an attack and what to say to it, as in thrum control /tmp/run.sock rate 500/s");
  mode::ControlRequest request{.socket = invocation.arguments[0], .line = invocation.arguments[1]};
  for (std::size_t i = 2; i < invocation.arguments.size(); ++i) (request.line += ' ') += invocation.arguments[i];
  const auto answer = mode::run_control(request);
  if (!answer) return std::unexpected(answer.error());
  if (auto printed = print(*answer); !printed) return std::unexpected(printed.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
