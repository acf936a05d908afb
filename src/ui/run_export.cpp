// The menu of what a run can be written to.
#include <array>

#include "ui/run_screen.hpp"

namespace thrum::ui {
namespace {

struct Choice {
  char32_t key;
  RunCommand command;
  std::string_view shown, what;
};
constexpr std::array<Choice, 6> kChoices{{{U'j', RunCommand::export_json, "j", "the report, as JSON"},
                                          {U'h', RunCommand::export_html, "h", "the report, as a page"},
                                          {U'm', RunCommand::export_markdown, "m", "a summary, in Markdown"},
                                          {U's', RunCommand::export_svg, "s", "a card for a page, as SVG"},
                                          {U'c', RunCommand::export_csv, "c", "a line a second, as CSV"},
                                          {U'n', RunCommand::export_ndjson, "n", "the requests kept, a line of JSON each"}}};

}  // namespace

void RunScreen::export_menu(Grid& grid, const RunView& view) const {
  constexpr int kWidth = 54;
  const int height = static_cast<int>(kChoices.size()) + 4;
  const Area box{(grid.width() - kWidth) / 2, (grid.height() - height) / 2, kWidth, height};
  grid.fill(box, {});
  const Area inside = card(grid, box, "Write a file");
  int y = inside.y;
  for (const Choice& c : kChoices) {
    // A verdict is there once the run is over.
    const bool can_be = view.is_over() || c.command == RunCommand::export_csv || c.command == RunCommand::export_ndjson;
    grid.text(inside.x + 1, y, c.shown, {can_be ? Tone::strong : Tone::quiet});
    grid.text(inside.x + 4, y, c.what, {can_be ? Tone::plain : Tone::quiet});
    if (!can_be) grid.text(inside.x + 4 + columns_of(c.what), y, "  (at the end)", {Tone::quiet});
    ++y;
  }
  grid.text(inside.x + 1, y + 1, "into the working directory; esc: none", {Tone::quiet}, inside.width - 2);
}

RunCommand RunScreen::press_in_export(const Key& key) {
  if (key.kind != Key::Kind::text) return RunCommand::none;
  for (const Choice& c : kChoices)
    if (c.key == key.text) return c.command;
  return RunCommand::none;
}

}  // namespace thrum::ui
