// Any text: a rate whose hits are due in order and which reads back from what it prints, or one line that says why not.
#include <cstdint>
#include <string_view>

#include "require.hpp"
#include "thrum/shape.hpp"

using thrum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find('@') != std::string_view::npos) return 0;  // files are for the unit tests
  const auto shape = thrum::parse_shape(text);
  if (!shape) {
    for (const char c : shape.error().text) require(static_cast<unsigned char>(c) >= 0x20);
    return 0;
  }
  if (shape->is_closed()) return 0;
  require(shape->peak() > 0);
  thrum::Nanos last{0};
  for (std::uint64_t n = 0; n < 40; ++n) {
    const std::uint64_t hit = n < 20 ? n : std::uint64_t{1} << n;
    const thrum::Nanos due = shape->due(hit);
    require(due >= last);
    last = due;
    if (due != thrum::Nanos::max()) require(shape->hits_before(due) <= hit);
  }
  const auto again = thrum::parse_shape(shape->text());
  require(again && again->text() == shape->text() && again->due(1000) == shape->due(1000));
  return 0;
}
