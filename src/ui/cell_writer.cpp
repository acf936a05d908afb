#include "ui/cell_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace thrum::ui {
namespace {

constexpr int kGap = 3;  // cells that stand already are written again rather than jumped over: a jump takes more bytes

struct Rgb {
  int r, g, b;
};
// In the order of Tone. On the ground of the terminal, dark or light, each has a contrast of 4.8 to 1 or more; heat grows towards the
// foreground.
constexpr std::array<Rgb, 15> kDark{{{216, 219, 226},
                                     {146, 152, 166},
                                     {255, 255, 255},
                                     {122, 178, 255},
                                     {111, 207, 133},
                                     {232, 181, 72},
                                     {255, 122, 115},
                                     {34, 52, 84},
                                     {38, 74, 118},
                                     {40, 98, 152},
                                     {48, 124, 180},
                                     {72, 152, 204},
                                     {110, 182, 224},
                                     {160, 212, 240},
                                     {216, 240, 252}}};
constexpr std::array<Rgb, 15> kLight{{{36, 41, 52},
                                      {92, 98, 112},
                                      {0, 0, 0},
                                      {0, 88, 182},
                                      {16, 112, 48},
                                      {138, 88, 0},
                                      {184, 32, 32},
                                      {212, 228, 246},
                                      {176, 206, 238},
                                      {138, 182, 228},
                                      {100, 156, 214},
                                      {66, 128, 196},
                                      {38, 100, 170},
                                      {20, 72, 136},
                                      {8, 44, 96}}};
constexpr std::array<int, 15> k256{252, 247, 231, 111, 78, 179, 210, 235, 236, 24, 25, 31, 38, 81, 159};
constexpr std::array<int, 15> k16{39, 37, 97, 94, 32, 33, 31, 90, 34, 34, 94, 36, 36, 96, 97};

std::string colour(Palette palette, Tone tone, bool is_ground) {
  const auto i = static_cast<std::size_t>(tone);
  switch (palette) {
    case Palette::none:
      return {};
    case Palette::terminal:
      return fmt::format(";{}", k16[i] + (is_ground ? 10 : 0));
    case Palette::colours256:
      return fmt::format(";{};5;{}", is_ground ? 48 : 38, k256[i]);
    case Palette::dark:
    case Palette::light: {
      const Rgb c = (palette == Palette::dark ? kDark : kLight)[i];
      return fmt::format(";{};2;{};{};{}", is_ground ? 48 : 38, c.r, c.g, c.b);
    }
  }
  return {};
}

bool is_heat(Tone tone) { return tone >= Tone::heat1; }

}  // namespace

Palette palette_of(const std::function<std::string(const char*)>& get) {
  if (!get("NO_COLOR").empty() || get("TERM") == "dumb") return Palette::none;
  const std::string theme = get("THRUM_THEME"), depth = get("COLORTERM"), ground = get("COLORFGBG");
  if (theme == "none") return Palette::none;
  const bool has_all = depth == "truecolor" || depth == "24bit";
  if (theme == "terminal") return get("TERM").find("256color") != std::string::npos ? Palette::colours256 : Palette::terminal;
  if (theme == "light" || theme == "dark") return theme == "light" ? Palette::light : Palette::dark;
  if (!has_all) return get("TERM").find("256color") != std::string::npos ? Palette::colours256 : Palette::terminal;
  // "foreground;background", by the numbers of the sixteen colours.
  const std::size_t last = ground.rfind(';');
  const int number = last == std::string::npos ? 0 : std::atoi(ground.c_str() + last + 1);
  return number == 7 || number == 15 ? Palette::light : Palette::dark;
}

// Without colours heat is in shades.
char32_t CellWriter::glyph_of(const Cell& cell) const {
  if (palette_ != Palette::none || !is_heat(cell.style.tone) || !cell.style.is_filled) return cell.glyph;
  constexpr std::array<char32_t, 4> kShades{U'░', U'▒', U'▓', U'█'};
  return kShades[static_cast<std::size_t>((static_cast<int>(cell.style.tone) - static_cast<int>(Tone::heat1)) / 2)];
}

void CellWriter::move(std::string& out, int x, int y) {
  if (x == x_ && y == y_) return;
  out += fmt::format("\x1b[{};{}H", y + 1, x + 1);
  x_ = x, y_ = y;
}

void CellWriter::style(std::string& out, Style style) {
  if (pen_ == style) return;
  pen_ = style;
  const std::size_t before = out.size();
  out += "\x1b[0";
  if (palette_ == Palette::none) {
    if (style.tone == Tone::strong) out += ";1";
    if (style.is_filled && !is_heat(style.tone)) out += ";7";
  } else if (style.is_filled) {
    out += colour(palette_, style.tone, true);
    if (!is_heat(style.tone)) out += palette_ == Palette::light ? ";97" : ";30";
  } else {
    out += colour(palette_, style.tone, false);
    if (style.tone == Tone::strong) out += ";1";
  }
  out += 'm';
  // Without colours several styles are one.
  if (out.compare(before, out.npos, pen_code_) == 0)
    out.resize(before);
  else
    pen_code_ = out.substr(before);
}

std::string CellWriter::differences(const Grid& grid) {
  const bool is_same_size = shown_ && shown_->width() == grid.width() && shown_->height() == grid.height();
  std::string out;
  if (!is_same_size || is_whole_) {
    pen_.reset();
    pen_code_.clear();
    x_ = y_ = -1;
  }
  if (!is_same_size) out += "\x1b[0m\x1b[2J";
  const Grid blank(grid.width(), grid.height());
  const Grid& before = is_same_size ? *shown_ : blank;
  for (int y = 0; y < grid.height(); ++y) {
    for (int x = 0; x < grid.width(); ++x) {
      if (!is_whole_ && grid.at(x, y) == before.at(x, y)) continue;
      const bool is_near = y_ == y && x > x_ && x - x_ <= kGap;
      if (!is_near) move(out, x, y);
      for (; x_ <= x; ++x_) {
        const Cell& cell = grid.at(x_, y);
        style(out, cell.style);
        append_utf8(out, glyph_of(cell));
      }
      if (x_ >= grid.width()) x_ = y_ = -1;  // where it is then differs between terminals
    }
  }
  if (!out.empty()) move(out, 0, 0);
  shown_ = grid;
  is_whole_ = false;
  return out;
}

}  // namespace thrum::ui
