#include "ui/grid.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace thrum::ui {
namespace {

constexpr char32_t kReplacement = 0xFFFD, kEllipsis = 0x2026;

// Scripts and signs that every terminal shows in one column. Combining marks, East Asian and other wide ones are left out.
bool is_narrow(std::uint32_t p) {
  return (p >= 0x20 && p < 0x7f) || (p >= 0xa0 && p < 0x300 && p != 0xad) || (p >= 0x370 && p < 0x483) || (p >= 0x48a && p < 0x530) ||
         (p >= 0x2010 && p < 0x2028) || (p >= 0x2030 && p < 0x2060) || (p >= 0x20a0 && p < 0x20c0) || (p >= 0x2190 && p < 0x21b0) ||
         (p >= 0x2200 && p < 0x2300) || (p >= 0x2500 && p < 0x25fd) || (p >= 0x2800 && p < 0x2900) || p == 0x2714 || p == 0x2716;
}

char32_t next_glyph(std::string_view& text) {
  std::uint32_t point = 0;
  const std::size_t length = utf8_length(text, point);
  text.remove_prefix(length == 0 ? 1 : length);
  if (length != 0 && point == '\t') return U' ';
  return length != 0 && is_narrow(point) ? static_cast<char32_t>(point) : kReplacement;
}

}  // namespace

void append_utf8(std::string& out, char32_t p) {
  const auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
  if (p < 0x80) {
    byte(p);
  } else if (p < 0x800) {
    byte(0xc0 | p >> 6), byte(0x80 | (p & 0x3f));
  } else if (p < 0x10000) {
    byte(0xe0 | p >> 12), byte(0x80 | (p >> 6 & 0x3f)), byte(0x80 | (p & 0x3f));
  } else {
    byte(0xf0 | p >> 18), byte(0x80 | (p >> 12 & 0x3f)), byte(0x80 | (p >> 6 & 0x3f)), byte(0x80 | (p & 0x3f));
  }
}

int columns_of(std::string_view text) {
  int columns = 0;
  for (; !text.empty(); ++columns) next_glyph(text);
  return columns;
}

void Grid::put(int x, int y, Cell cell) {
  if (x >= 0 && x < width_ && y >= 0 && y < height_) cells_[index(x, y)] = cell;
}

int Grid::text(int x, int y, std::string_view text, Style style, int room) {
  room = std::min(room, width_ - x);
  for (; !text.empty() && room > 0; ++x, --room) {
    std::string_view rest = text;
    const char32_t glyph = next_glyph(rest);
    const bool is_cut = room == 1 && !rest.empty();
    put(x, y, {is_cut ? kEllipsis : glyph, style});
    text = rest;
  }
  return x;
}

void Grid::fill(Area area, Cell cell) {
  for (int y = area.y; y < area.y + area.height; ++y)
    for (int x = area.x; x < area.x + area.width; ++x) put(x, y, cell);
}

std::string Grid::line(int y) const {
  std::string out;
  for (int x = 0; x < width_; ++x) append_utf8(out, at(x, y).glyph);
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace thrum::ui
