#include <utility>

#include "cli/commands.hpp"

namespace thrum::cli {

Expected<ExitCode> run_doctor(const Invocation& invocation) {
  if (invocation.arguments.size() > 1) return usage_error("looks at one target at a time, as in thrum doctor http://127.0.0.1:18080/");
  mode::DoctorRequest request = invocation.options.doctor;
  if (!invocation.arguments.empty()) request.url = invocation.arguments[0];
  const auto diagnosis = mode::run_doctor(request);
  if (!diagnosis) return std::unexpected(diagnosis.error());
  if (auto printed = print(diagnosis->text); !printed) return std::unexpected(std::move(printed.error()));
  return diagnosis->has_warnings ? ExitCode::off_rate : ExitCode::done;
}

}  // namespace thrum::cli
