#include "report/columns.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace thrum::report {
namespace {

constexpr std::size_t kGap = 2;

struct Cell {
  std::string_view text;
  std::size_t width = 0;   // of its text
  std::size_t column = 0;  // width of the column it is in; not of a line's last cell
};

std::size_t code_points(std::string_view s) {
  return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  while (true) {
    const std::size_t tab = line.find('\t');
    cells.push_back({line.substr(0, tab), code_points(line.substr(0, tab)), 0});
    if (tab == line.npos) return cells;
    line.remove_prefix(tab + 1);
  }
}

bool ends_column(const std::vector<Cell>& line, std::size_t column) { return column + 1 < line.size(); }

}  // namespace

std::string align_columns(std::string_view text) {
  std::vector<std::vector<Cell>> lines;
  std::size_t most_cells = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(cells_of(text.substr(0, end)));
    most_cells = std::max(most_cells, lines.back().size());
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  // A column is a run of lines that follow each other and each have a tab-ended cell there.
  for (std::size_t column = 0; column + 1 < most_cells; ++column) {
    for (std::size_t first = 0; first < lines.size(); ++first) {
      if (!ends_column(lines[first], column)) continue;
      std::size_t last = first, width = 0;
      for (; last < lines.size() && ends_column(lines[last], column); ++last) width = std::max(width, lines[last][column].width + kGap);
      for (std::size_t i = first; i < last; ++i) lines[i][column].column = width;
      first = last;
    }
  }
  std::string out;
  for (const std::vector<Cell>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i].text;
      if (ends_column(line, i)) out.append(line[i].column - line[i].width, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace thrum::report
