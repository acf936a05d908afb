#include "record/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/text.hpp"

namespace thrum {

Expected<Output> Output::create(const std::string& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd.is_open()) return failure(fmt::format("{}: can't create: {}", printable(path), std::strerror(errno)));
  Output output(fd.get(), path);
  output.owned_ = std::move(fd);
  return output;
}

Expected<void> Output::write(std::string_view bytes) {
  if (can_block_ < 0) {
    struct stat status{};
    can_block_ = ::fstat(fd_, &status) == 0 && !S_ISREG(status.st_mode) ? 1 : 0;
  }
  // A pipe that poll() calls writable has room for PIPE_BUF bytes at least, so such a write does not block.
  const bool careful = can_block_ == 1 && give_up_fd_ >= 0;
  while (!bytes.empty()) {
    if (careful && !wait_for_room()) return failure(fmt::format("{}: given up", printable(name_)));
    const ssize_t n = ::write(fd_, bytes.data(), careful ? std::min<std::size_t>(bytes.size(), PIPE_BUF) : bytes.size());
    if (n >= 0) {
      written_ += static_cast<std::uint64_t>(n);
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) {  // somebody else made it non-blocking
      if (!wait_for_room()) return failure(fmt::format("{}: given up", printable(name_)));
      continue;
    }
    const bool gone = errno == EPIPE || errno == ECONNRESET;
    return std::unexpected(Error{gone ? ErrorKind::broken_pipe : ErrorKind::failure,
                                 fmt::format("{}: can't write: {}", printable(name_), std::strerror(errno))});
  }
  return {};
}

bool Output::wait_for_room() const {
  pollfd polled[2] = {{fd_, POLLOUT, 0}, {give_up_fd_, POLLIN, 0}};
  ::poll(polled, give_up_fd_ >= 0 ? 2 : 1, -1);
  return polled[1].revents == 0;
}

}  // namespace thrum
