// By which of the kernel's interfaces sockets are served.
#pragma once

#include <cstdint>
#include <string_view>

#include "thrum/error.hpp"

namespace thrum {

enum class Io : std::uint8_t {
  automatic,  // chosen at the start, by what was measured; epoll where io_uring is not to be had
  epoll,
  uring,  // io_uring of Linux 6.1 or newer; an error where it is not to be had
};
// "auto", "epoll", "uring".
Expected<Io> parse_io(std::string_view text);
std::string_view name_of(Io io);

}  // namespace thrum
