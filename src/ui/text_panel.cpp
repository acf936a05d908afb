#include "ui/text_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "ui/run_screen.hpp"

namespace thrum::ui {

void TextPanel::show(std::string title, std::vector<PanelLine> lines) {
  title_ = std::move(title);
  lines_ = std::move(lines);
  first_ = 0;
  width_ = 0;
}

void TextPanel::wrap(int width) {
  width_ = width;
  wrapped_.clear();
  for (const PanelLine& line : lines_) {
    PanelLine* at = &wrapped_.emplace_back();
    int room = width;
    for (const PanelSpan& span : line.spans) {
      std::string_view rest = span.text;
      while (!rest.empty()) {
        if (room == 0) at = &wrapped_.emplace_back(), room = width;
        std::size_t end = 0;
        for (; room > 0 && end < rest.size(); --room) {
          std::uint32_t point = 0;
          end += std::max<std::size_t>(1, utf8_length(rest.substr(end), point));
        }
        at->spans.push_back({std::string(rest.substr(0, end)), span.style});
        rest.remove_prefix(end);
      }
    }
  }
}

void TextPanel::draw(Grid& grid, Area area) {
  if (area.width < 6 || area.height < 3) return;
  if (width_ != area.width - 4) wrap(area.width - 4);
  const int count = static_cast<int>(wrapped_.size());
  page_ = area.height - 2;
  first_ = std::clamp(first_, 0, std::max(0, count - page_));
  grid.fill(area, {});
  const bool is_cut = count > page_;
  const Area inside =
      card(grid, area, is_cut ? fmt::format("{} · {}–{} of {} lines", title_, first_ + 1, std::min(first_ + page_, count), count) : title_);
  for (int i = 0; i < inside.height && first_ + i < count; ++i) {
    int x = inside.x + 1;
    for (const PanelSpan& span : wrapped_[static_cast<std::size_t>(first_ + i)].spans)
      x = grid.text(x, inside.y + i, span.text, span.style, inside.x + inside.width - 1 - x);
  }
}

bool TextPanel::find(std::string_view text) {
  const std::string wanted = lower(text);
  const int count = static_cast<int>(wrapped_.size());
  for (int i = 1; i <= count; ++i) {
    const int at = (first_ + i) % count;
    std::string line;
    for (const PanelSpan& span : wrapped_[static_cast<std::size_t>(at)].spans) line += span.text;
    if (lower(line).find(wanted) == line.npos) continue;
    first_ = at;
    return true;
  }
  return false;
}

bool TextPanel::press(const Key& key) {
  using Kind = Key::Kind;
  const auto go = [this](int to) {
    first_ = std::max(0, to);
    return true;
  };
  constexpr int kFar = 1 << 30;
  switch (key.kind) {
    case Kind::up:
      return go(first_ - 1);
    case Kind::down:
      return go(first_ + 1);
    case Kind::page_up:
      return go(first_ - page_);
    case Kind::page_down:
      return go(first_ + page_);
    case Kind::home:
      return go(0);
    case Kind::end:
      return go(kFar);
    case Kind::text:
      break;
    default:
      return false;
  }
  switch (key.text) {
    case U'k':
      return go(first_ - 1);
    case U'j':
      return go(first_ + 1);
    case U'u':
      return go(first_ - page_ / 2);
    case U'd':
      return go(first_ + page_ / 2);
    case U'g':
      return go(0);
    case U'G':
      return go(kFar);
    default:
      return false;
  }
}

}  // namespace thrum::ui
