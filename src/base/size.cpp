#include "base/size.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text.hpp"

namespace thrum {

Expected<std::int64_t> parse_size(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return usage_error(
        fmt::format("bad size \"{}\": {}; write it like 512, 10KB, 1MB, or -1 for no limit", printable_prefix(text, 60), why));
  };
  const std::string_view s = trim(text);
  if (s == "-1") return -1;
  std::size_t i = 0;
  unsigned __int128 value = 0;
  while (i < s.size() && s[i] >= '0' && s[i] <= '9') {
    value = value * 10 + static_cast<unsigned>(s[i] - '0');
    if (value > INT64_MAX) return bad("too large");
    ++i;
  }
  if (i == 0) return bad("no whole number");
  std::string unit = lower(trim(s.substr(i)));
  if (unit.ends_with('b')) unit.pop_back();
  static constexpr std::string_view kPrefixes = "kmgtpe";
  if (!unit.empty()) {
    const std::size_t power = kPrefixes.find(unit);
    if (unit.size() != 1 || power == std::string_view::npos) return bad("unknown unit");
    value <<= 10 * (power + 1);
    if (value > INT64_MAX) return bad("too large");
  }
  return static_cast<std::int64_t>(value);
}

std::string format_size(std::int64_t bytes) {
  static constexpr std::array<std::string_view, 7> kUnits{"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{}B", bytes) : fmt::format("{:.1f}{}", value, kUnits[unit]);
}

}  // namespace thrum
