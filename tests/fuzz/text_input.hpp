// For targets whose input is lines of text, and what must hold of what is made of them.
#pragma once

#include <algorithm>
#include <string_view>

#include "require.hpp"

inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}
