// What a screen shows, cell by cell, before any terminal sees it: tests look here. A cell holds one glyph that is one column wide
// whatever the terminal, so that nothing a server says can move what stands beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thrum::ui {

// What a cell means; which colour that is is the palette's business. Good, warning and bad are for health and nothing else.
enum class Tone : std::uint8_t { plain, quiet, strong, accent, good, warning, bad, heat1, heat2, heat3, heat4, heat5, heat6, heat7, heat8 };
inline constexpr int kHeats = 8;
inline Tone heat(int level) { return static_cast<Tone>(static_cast<int>(Tone::heat1) + level - 1); }  // 1 … kHeats

struct Style {
  Tone tone = Tone::plain;
  bool is_filled = false;  // the cell's ground has the tone's colour, too: bars, badges
  bool operator==(const Style&) const = default;
};

struct Cell {
  char32_t glyph = U' ';
  Style style{};
  bool operator==(const Cell&) const = default;
};

// A part of the grid, in cells.
struct Area {
  int x = 0, y = 0, width = 0, height = 0;
};

class Grid {
 public:
  Grid(int width, int height)
      : width_(width), height_(height), cells_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  Area all() const { return {0, 0, width_, height_}; }
  const Cell& at(int x, int y) const { return cells_[index(x, y)]; }

  // Outside the grid nothing happens.
  void put(int x, int y, Cell cell);
  // One line of text, `room` columns at most: what is longer ends in an ellipsis. Returns the column behind it. Glyphs that are not one
  // column wide, and what is no text at all, become U+FFFD.
  int text(int x, int y, std::string_view text, Style style = {}, int room = 1 << 20);
  void fill(Area area, Cell cell);
  // A line of it as text, without the blanks at its end.
  std::string line(int y) const;

  bool operator==(const Grid&) const = default;

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_, height_;
  std::vector<Cell> cells_;
};

// Columns that text() would take.
int columns_of(std::string_view text);
void append_utf8(std::string& out, char32_t point);

}  // namespace thrum::ui
