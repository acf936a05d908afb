// The names of the kernel's interfaces, as flags and results have them.
#include "thrum/io.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace thrum {
namespace {

constexpr std::array<std::string_view, 3> kNames{"auto", "epoll", "uring"};

}  // namespace

Expected<Io> parse_io(std::string_view text) {
  const auto known = std::ranges::find(kNames, text);
  if (known == kNames.end()) return usage_error("\"" + printable_prefix(text, 40) + "\" is not one of auto, epoll, uring");
  return static_cast<Io>(known - kNames.begin());
}

std::string_view name_of(Io io) { return kNames[static_cast<std::size_t>(io)]; }

}  // namespace thrum
