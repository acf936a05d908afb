#include "record/byte_source.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace thrum {
namespace {

constexpr std::size_t kSmallest = 4096, kUsual = 128 * 1024;  // the first read recognises the encoding
constexpr Nanos kLook{100'000'000};                           // how often a wait is broken off to see whether to give up

// Everything but a file on a disk may have to be waited for.
bool can_block(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode);
}

}  // namespace

ByteSource::ByteSource(int fd, std::string name, GiveUp give_up)
    : fd_(fd), name_(std::move(name)), give_up_(std::move(give_up)), can_block_(can_block(fd)) {}

ByteSource::ByteSource(Fd fd, std::string name, GiveUp give_up) : ByteSource(fd.get(), std::move(name), std::move(give_up)) {
  owned_ = std::move(fd);
}

Expected<bool> ByteSource::more() {
  if (ended_) return false;
  make_room();
  for (;;) {
    if (!wait_for_bytes()) return failure(fmt::format("{}: given up", printable(name_)));
    const ssize_t n = ::read(fd_, buffer_.get() + end_, capacity_ - end_);
    // EAGAIN: the descriptor is non-blocking, and what there was went to somebody else who reads it.
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return failure(fmt::format("{}: can't read: {}", printable(name_), std::strerror(errno)));
    ended_ = n == 0;
    end_ += static_cast<std::size_t>(n);
    return !ended_;
  }
}

// A signal's handler can't break off a read() that begins right behind it, so a pipe is read when there is something to read.
bool ByteSource::wait_for_bytes() const {
  if (!can_block_) return true;
  // A file that is ours to open may be a FIFO that nobody writes to yet; what we were handed has somebody at its other end.
  const bool heard_from = !owned_.is_open() || offset_ != 0 || end_ != begin_;
  while (!readable(give_up_ ? kLook : Nanos(-1)))
    if (give_up_ && give_up_(heard_from)) return false;
  return true;
}

void ByteSource::make_room() {
  const std::size_t held = end_ - begin_;
  if (held == capacity_ || capacity_ < kUsual) {  // full of one record, or no longer just recognising
    const std::size_t wanted = capacity_ == 0 ? kSmallest : std::max(kUsual, 2 * held);
    if (wanted > capacity_) {
      std::unique_ptr<char[]> larger(new char[wanted + kSlack]);
      if (held != 0) std::memcpy(larger.get(), buffer_.get() + begin_, held);
      std::memset(larger.get() + held, 0, kSlack);
      buffer_ = std::move(larger);
      capacity_ = wanted;
      begin_ = 0, end_ = held;
    }
  }
  if (begin_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, held);
    begin_ = 0, end_ = held;
  }
}

bool ByteSource::readable(Nanos timeout) const {
  if (ended_) return true;
  pollfd p{.fd = fd_, .events = POLLIN, .revents = 0};
  const auto milliseconds =
      timeout.count() < 0 ? -1 : static_cast<int>(std::min<std::int64_t>((timeout.count() + 999'999) / 1'000'000, 1 << 30));
  return ::poll(&p, 1, milliseconds) > 0;
}

void ByteSource::close() {
  owned_.reset();
  buffer_.reset();
  begin_ = end_ = capacity_ = 0;
  ended_ = true;
}

}  // namespace thrum
