// Words and boxes that the parts of a run's screen share.
#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "ui/run_screen.hpp"

namespace thrum::ui {

std::string time_text(Nanos d) {
  const double ns = static_cast<double>(d.count());
  if (ns < 1e3) return fmt::format("{:.0f}ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g}µs", std::min(999.0, ns / 1e3));
  if (ns < 1e9) return fmt::format("{:.3g}ms", std::min(999.0, ns / 1e6));
  return ns < 1e11 ? fmt::format("{:.3g}s", ns / 1e9) : fmt::format("{:.0f}s", ns / 1e9);
}

std::string count_text(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string bytes_text(std::uint64_t bytes) {
  const double n = static_cast<double>(bytes);
  if (n < 1000) return fmt::format("{} B", bytes);
  if (n < 1e6) return fmt::format("{:.1f} kB", n / 1e3);
  return n < 1e9 ? fmt::format("{:.1f} MB", n / 1e6) : fmt::format("{:.2f} GB", n / 1e9);
}

std::string rate_text(double rate) {
  return rate < 100 ? fmt::format("{:.3g}/s", rate) : fmt::format("{}/s", count_text(static_cast<std::uint64_t>(rate + 0.5)));
}

Tone tone_of(Level level) { return level == Level::healthy ? Tone::good : level == Level::degraded ? Tone::warning : Tone::bad; }

Tone tone_of_success(std::uint64_t ok, std::uint64_t ended) {
  const double share = ended == 0 ? 1 : static_cast<double>(ok) / static_cast<double>(ended);
  return share >= 0.99 ? Tone::good : share >= 0.95 ? Tone::warning : Tone::bad;
}

Area card(Grid& grid, Area a, std::string_view name) {
  const Style edge{Tone::quiet};
  if (a.width < 4 || a.height < 2) return {a.x, a.y, 0, 0};
  for (int x = a.x + 1; x < a.x + a.width - 1; ++x) {
    grid.put(x, a.y, {U'─', edge});
    grid.put(x, a.y + a.height - 1, {U'─', edge});
  }
  for (int y = a.y + 1; y < a.y + a.height - 1; ++y) {
    grid.put(a.x, y, {U'│', edge});
    grid.put(a.x + a.width - 1, y, {U'│', edge});
  }
  grid.put(a.x, a.y, {U'╭', edge});
  grid.put(a.x + a.width - 1, a.y, {U'╮', edge});
  grid.put(a.x, a.y + a.height - 1, {U'╰', edge});
  grid.put(a.x + a.width - 1, a.y + a.height - 1, {U'╯', edge});
  if (a.width >= 8) grid.text(a.x + 2, a.y, fmt::format(" {} ", name), {Tone::plain}, a.width - 4);
  return {a.x + 1, a.y + 1, a.width - 2, a.height - 2};
}

void chips(Grid& grid, int y, std::vector<Chip> all) {
  const auto width = [](const Chip& chip) { return columns_of(chip.first) + columns_of(chip.second) + 3; };
  int sum = 0;
  for (const Chip& chip : all) sum += width(chip);
  while (all.size() > 2 && sum > grid.width() - 1) {
    sum -= width(all.front());
    all.erase(all.begin());
  }
  int x = 1;
  for (const auto& [key, what] : all) {
    x = grid.text(x, y, key, {Tone::strong});
    x = grid.text(x + 1, y, what, {Tone::quiet}) + 2;
  }
}

void keys_overlay(Grid& grid, std::span<const Chip> keys) {
  int first = 0, second = 0;
  for (const auto& [key, what] : keys) first = std::max(first, columns_of(key)), second = std::max(second, columns_of(what));
  const int width = std::min(grid.width() - 2, first + second + 6);
  const int height = std::min(grid.height(), static_cast<int>(keys.size()) + 2);
  const Area box{(grid.width() - width) / 2, std::max(0, (grid.height() - height) / 2), width, height};
  grid.fill(box, {});
  const Area inside = card(grid, box, "Keys");
  for (int i = 0; i < inside.height && i < static_cast<int>(keys.size()); ++i) {
    const auto& [key, what] = keys[static_cast<std::size_t>(i)];
    grid.text(inside.x + 1, inside.y + i, key, {Tone::strong});
    grid.text(inside.x + first + 3, inside.y + i, what, {}, inside.width - first - 4);
  }
}

std::vector<std::string> wrapped(std::string_view text, int width, std::size_t most) {
  std::vector<std::string> out;
  if (width <= 1 || most == 0) return out;
  while (columns_of(text) > width && out.size() + 1 < most) {
    // At the last blank that fits, else in the midst of a word.
    std::size_t end = 0, blank = 0;
    for (int column = 0; column < width; ++column) {
      std::uint32_t point = 0;
      const std::size_t length = std::max<std::size_t>(1, utf8_length(text.substr(end), point));
      if (text[end] == ' ') blank = end;
      end += length;
    }
    if (text[end] == ' ') blank = end;
    const std::size_t cut = blank > 0 ? blank : end;
    out.emplace_back(text.substr(0, cut));
    text.remove_prefix(blank > 0 ? cut + 1 : cut);
  }
  out.emplace_back(text);
  return out;
}

}  // namespace thrum::ui
