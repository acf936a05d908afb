// The bytes of a body as lines for people: JSON, XML and HTML indented, other text as it is, what is no text in hexadecimal. Whatever the
// bytes, the lines are safe to show; they are of text that may be wrong, so nothing is parsed more strictly than it takes to indent it.
#pragma once

#include <string_view>
#include <vector>

#include "ui/text_panel.hpp"

namespace thrum::ui {

// `is_raw`: as it came, unless it is no text.
std::vector<PanelLine> body_lines(std::string_view body, bool is_raw);

}  // namespace thrum::ui
