#include "mode/linger.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"

namespace thrum::mode {

Linger::Linger() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Linger::wait(Nanos time) {
  constexpr Nanos kLongest = std::chrono::hours(24);  // of one poll
  const Instant start = now();
  for (Nanos left = time; left > Nanos(0); left = time - (now() - start)) {
    pollfd ended{event_.get(), POLLIN, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(std::min(left, kLongest));
    if (::poll(&ended, 1, static_cast<int>(ms.count())) == 1) return;
  }
}

void Linger::end() noexcept {
  const int saved = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = ::write(event_.get(), &one, sizeof one);
  errno = saved;
}

}  // namespace thrum::mode
