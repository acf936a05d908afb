#include "mode/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace thrum::mode {

Expected<void> check_stdin() {
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY) return failure("stdin is closed");
  return {};
}

Expected<void> check_stdout() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return failure("stdout is closed");
  return {};
}

void end_stdout() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
}

}  // namespace thrum::mode
