#include "mode/shape.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "report/shape_text.hpp"
#include "thrum/shape.hpp"

namespace thrum::mode {
namespace {

std::size_t columns_of_terminal() {
  struct winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Of a shape that goes on: all that ends, and as much of the rest, or ten seconds.
Nanos beginning_of(const Shape& shape) {
  constexpr Nanos kLittle{10'000'000'000};
  const Nanos ended = shape.stages().empty() ? Nanos(0) : shape.stages().back().start;
  return ended + std::max(ended / 2, kLittle);
}

}  // namespace

Expected<std::string> run_shape(const ShapeRequest& request) {
  const auto shape = parse_shape(request.rate);
  if (!shape) return std::unexpected(shape.error());
  if (shape->is_closed()) return usage_error("a rate of 0 has no schedule that could be drawn: hits leave as fast as -max-workers allow");
  Nanos until = request.duration;
  if (until == Nanos(0)) until = shape->length().value_or(beginning_of(*shape));
  return report::shape_text(*shape, until, request.columns == 0 ? columns_of_terminal() : request.columns);
}

}  // namespace thrum::mode
