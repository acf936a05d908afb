#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.hpp"
#include "cli/interrupts.hpp"

namespace thrum::cli {

Expected<ExitCode> ended(Command command, const Expected<void>& done) {
  const bool twice = Interrupts::count() > 1;
  if (done) return twice ? ExitCode::interrupted : ExitCode::done;
  if (!twice || done.error().kind != ErrorKind::failure) return std::unexpected(done.error());
  if (!done.error().text.empty()) say(command, done.error().text);  // else it has been said already
  return ExitCode::interrupted;
}

void say(Command command, std::string_view text) {
  const std::string_view name = info(command).name;
  const std::string line = fmt::format("thrum{}{}: {}\n", name.empty() ? "" : " ", name, text);
  (void)!::write(STDERR_FILENO, line.data(), line.size());  // there is nowhere to go with a failure to write to stderr
}

Expected<void> print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EPIPE) {
      return std::unexpected(Error{ErrorKind::broken_pipe, "stdout: closed"});
    } else if (errno == EBADF) {
      return failure("stdout is closed");
    } else if (errno != EINTR) {
      return failure(fmt::format("stdout: {}", std::strerror(errno)));
    }
  }
  return {};
}

}  // namespace thrum::cli
