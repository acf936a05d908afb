// What both formats owe, whatever the bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "http/request.hpp"
#include "require.hpp"
#include "targets/targets.hpp"

namespace thrum::fuzz {

inline Expected<std::vector<Target>> read(std::string_view text, TargetFormat format, std::size_t step) {
  const auto source = targets::make_source(targets::Input::text(text, "list", step), format, std::numeric_limits<std::size_t>::max());
  return targets::drain(*source);
}

inline bool is_same(const Target& a, const Target& b) {
  return a.method == b.method && a.url == b.url && a.headers == b.headers && !a.body == !b.body && (!a.body || *a.body == *b.body) &&
         a.name == b.name && a.weight == b.weight;
}

inline Expected<std::vector<Target>> read_any_way(std::string_view text, TargetFormat format) {
  const auto whole = read(text, format, text.size());
  for (const std::size_t step : {1, 2, 3, 7, 64}) {
    const auto cut = read(text, format, step);
    require(whole.has_value() == cut.has_value());
    if (whole)
      require(std::ranges::equal(*whole, *cut, is_same));
    else
      require(whole.error().text == cut.error().text);
  }
  if (whole) {
    require(!whole->empty());
    for (const Target& target : *whole) require(http::prepare(target, {}).has_value());
  } else {
    require(whole.error().text.starts_with("list:") && printable(whole.error().text) == whole.error().text);
  }
  return whole;
}

}  // namespace thrum::fuzz
