// Words of a terminal that need no dashboard.
#pragma once

#include <string_view>

namespace thrum::ui {

// Erases the screen and goes to its first column and line.
inline constexpr std::string_view kClearScreen = "\x1b[2J\x1b[H";

}  // namespace thrum::ui
