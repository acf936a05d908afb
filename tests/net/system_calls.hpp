// System calls that a test may answer in the kernel's place. The linker leads every call of the room through here
// (--wrap, in CMakeLists.txt): the code under test is built as it is shipped.
//
// A hook gives the result, with errno set, or nothing: the real call is made.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <functional>
#include <optional>

namespace thrum::net {

struct SystemCalls {
  std::function<std::optional<ssize_t>(int fd)> recv, send, accept4, connect, epoll_ctl, epoll_pwait2, socket;
  std::function<std::optional<int>()> uring_setup;  // a negative errno
};
inline SystemCalls system_calls;

// Hooks last as long as the test that sets them.
class HookedCalls {
 public:
  HookedCalls() { system_calls = {}; }
  ~HookedCalls() { system_calls = {}; }
  HookedCalls(const HookedCalls&) = delete;
  HookedCalls& operator=(const HookedCalls&) = delete;
};

// A hook that fails the next `times` calls with `error`, or those for which `matches` holds.
inline std::function<std::optional<ssize_t>(int)> fail_with(int error, int times = 1, std::function<bool(int)> matches = {}) {
  return [=](int fd) mutable -> std::optional<ssize_t> {
    if (times == 0 || (matches && !matches(fd))) return std::nullopt;
    --times;
    errno = error;
    return -1;
  };
}

}  // namespace thrum::net
