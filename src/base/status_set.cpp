#include "thrum/status_set.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace thrum {

StatusSet::StatusSet() { add(200, 399); }

void StatusSet::add(std::uint16_t first, std::uint16_t last) {
  for (std::uint32_t c = first; c <= last; ++c) bits_[c / 64] |= std::uint64_t{1} << (c % 64);
}

Expected<StatusSet> StatusSet::parse(std::string_view text) {
  const auto bad = [&](std::string_view part) {
    return usage_error(fmt::format("bad status codes \"{}\": \"{}\" is not a code; write them like 200-399, 2xx or 200,204,404",
                                   printable_prefix(text, 60), printable_prefix(part, 20)));
  };
  const auto code = [](std::string_view s) -> int {
    if (s.size() != 3 || s.find_first_not_of("0123456789") != s.npos) return -1;
    return (s[0] - '0') * 100 + (s[1] - '0') * 10 + (s[2] - '0');
  };
  StatusSet set;
  set.bits_ = {};
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = trim(rest.substr(0, comma));
    const std::size_t dash = part.find('-');
    if (part.size() == 3 && part[0] >= '1' && part[0] <= '9' && equal_ignoring_case(part.substr(1), "xx")) {
      const auto hundred = static_cast<std::uint16_t>((part[0] - '0') * 100);
      set.add(hundred, hundred + 99);
    } else {
      const int first = code(trim(part.substr(0, dash)));
      const int last = dash == part.npos ? first : code(trim(part.substr(dash + 1)));
      if (first < 0 || last < first) return bad(part);
      set.add(static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last));
    }
    if (comma == rest.npos) return set;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace thrum
