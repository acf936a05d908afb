// Words of a terminal that need no dashboard.
#pragma once

#include <cstdlib>
#include <string_view>

namespace thrum::ui {

// Erases the screen and goes to its first column and line.
// Not on a terminal that says it knows no escape codes.
inline bool can_clear() {
  const char* term = std::getenv("TERM");
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}
inline constexpr std::string_view kClearScreen = "\x1b[2J\x1b[H";

}  // namespace thrum::ui
