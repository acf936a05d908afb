#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.hpp"

namespace thrum::cli {

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
    } else if (errno != EINTR) {
      return failure(fmt::format("stdout: {}", std::strerror(errno)));
    }
  }
  return {};
}

}  // namespace thrum::cli
