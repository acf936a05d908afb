#include "cli/commands.hpp"

namespace thrum::cli {

Expected<ExitCode> run_shape(const Invocation& invocation) {
  if (invocation.arguments.size() != 1)
    return usage_error(invocation.arguments.empty() ? "needs a rate, as in thrum shape '10..500/s over 1m'"
                                                    : "takes one rate; put it in quotes, as in thrum shape '10..500/s over 1m'");
  mode::ShapeRequest request = invocation.options.shape;
  request.rate = invocation.arguments[0];
  const auto text = mode::run_shape(request);
  if (!text) return std::unexpected(text.error());
  if (auto printed = print(*text); !printed) return std::unexpected(printed.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
