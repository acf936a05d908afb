// From grids to a terminal: only what differs from what stands there is written. A colour is looked up in a palette: 24 bits, 256 colours,
// the terminal's own 16, or none, where fills are in reverse video and heat is in shades.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ui/grid.hpp"

namespace thrum::ui {

enum class Palette : std::uint8_t { none, terminal, colours256, dark, light };

// By THRUM_THEME, NO_COLOR, COLORTERM, COLORFGBG and TERM, in that order but that NO_COLOR wins over all. `get` gives a variable's value,
// "" if it is not set.
Palette palette_of(const std::function<std::string(const char*)>& get);

class CellWriter {
 public:
  explicit CellWriter(Palette palette) : palette_(palette) {}

  // What has to be written so that `grid` stands on the terminal. The cursor, which is hidden, ends at the top left: what others write
  // lands there, and is written over with the next whole().
  std::string differences(const Grid& grid);
  // Every cell will be written anew: the terminal may hold what somebody else wrote.
  void rewrite() { is_whole_ = true; }

 private:
  void move(std::string& out, int x, int y);
  void style(std::string& out, Style style);
  char32_t glyph_of(const Cell& cell) const;

  Palette palette_;
  std::optional<Grid> shown_;
  bool is_whole_ = false;
  std::optional<Style> pen_;  // as the terminal has it …
  std::string pen_code_;      // … and what set it so
  int x_ = -1, y_ = -1;       // likewise the cursor
};

}  // namespace thrum::ui
