#include "record/byte_source.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace thrum {
namespace {

constexpr std::size_t kSmallest = 4096, kUsual = 128 * 1024;  // the first read recognises the encoding

}  // namespace

Expected<bool> ByteSource::more() {
  if (ended_) return false;
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
  ssize_t n = 0;
  do n = ::read(fd_, buffer_.get() + end_, capacity_ - end_);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) {  // somebody else made the descriptor non-blocking
    readable(Nanos(-1));
    return true;
  }
  if (n < 0) return failure(fmt::format("{}: can't read: {}", printable(name_), std::strerror(errno)));
  ended_ = n == 0;
  end_ += static_cast<std::size_t>(n);
  return !ended_;
}

bool ByteSource::readable(Nanos timeout) const {
  if (ended_) return true;
  pollfd p{.fd = fd_, .events = POLLIN, .revents = 0};
  const auto milliseconds =
      timeout.count() < 0 ? -1 : static_cast<int>(std::min<std::int64_t>((timeout.count() + 999'999) / 1'000'000, 1 << 30));
  return ::poll(&p, 1, milliseconds) != 0;
}

void ByteSource::close() {
  owned_.reset();
  buffer_.reset();
  begin_ = end_ = capacity_ = 0;
  ended_ = true;
}

}  // namespace thrum
