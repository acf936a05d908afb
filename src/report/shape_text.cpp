#include "report/shape_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/duration.hpp"
#include "report/columns.hpp"

namespace thrum::report {
namespace {

constexpr std::size_t kRows = 10;
constexpr std::size_t kMostStages = 50;  // with a line each
constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

Nanos share(Nanos whole, std::size_t part, std::size_t parts) {
  return Nanos(
      static_cast<std::int64_t>(static_cast<__int128>(whole.count()) * static_cast<std::int64_t>(part) / static_cast<std::int64_t>(parts)));
}

// The mean rate in each of `columns` equal parts of the time.
std::vector<double> means(const Shape& shape, Nanos until, std::size_t columns) {
  std::vector<double> out;
  for (std::size_t i = 0; i < columns; ++i) {
    const Nanos from = share(until, i, columns), to = share(until, i + 1, columns);
    // Few hits in a part say little of its rate.
    const std::uint64_t hits = shape.hits_before(to) - shape.hits_before(from);
    const double seconds = static_cast<double>((to - from).count()) / 1e9;
    out.push_back(hits >= 100 || shape.rate_at(from) == 0 ? static_cast<double>(hits) / seconds : shape.rate_at(from + (to - from) / 2));
  }
  return out;
}

std::string drawing(const Shape& shape, Nanos until, std::size_t columns) {
  const std::string top = number(shape.peak()) + "/s";
  const std::size_t margin = std::max<std::size_t>(top.size(), 4) + 2;
  const std::size_t width = std::clamp<std::size_t>(columns, margin + 20, margin + 200) - margin;
  const std::vector<double> rates = means(shape, until, width);
  const double highest = std::max(shape.peak(), *std::ranges::max_element(rates));
  std::string out;
  for (std::size_t row = kRows; row-- > 0;) {
    const std::string label = row + 1 == kRows ? top : row == kRows / 2 - 1 ? number(shape.peak() / 2) + "/s" : "";
    std::string line;
    for (const double rate : rates) {
      const double eighths = rate / highest * static_cast<double>(8 * kRows) - static_cast<double>(8 * row);
      const bool is_foot = row == 0 && rate > 0;  // something, however little
      line += kBlocks[static_cast<std::size_t>(std::clamp(std::round(eighths), is_foot ? 1.0 : 0.0, 8.0))];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += fmt::format("{:>{}} │{}\n", label, margin - 2, line);
  }
  const std::string middle = format_duration(round_for_report(until / 2)), end = format_duration(round_for_report(until));
  std::string times = "0";
  const auto put = [&](const std::string& time, std::size_t at) {
    if (at < times.size() + 2) return;
    times += std::string(at - times.size(), ' ') + time;
  };
  put(middle, width / 2 - std::min(width / 2, middle.size() / 2));
  put(end, width - std::min(width, end.size()));
  return out + fmt::format("{:>{}} {}\n", "", margin - 1, times);
}

std::string table(const Shape& shape) {
  std::string out = "Stage\tStarts\tLasts\tFrom\tTo\tHits\n";
  std::size_t shown = 0;
  for (const Shape::Stage& stage : shape.stages()) {
    if (shown++ == kMostStages) break;
    const std::string hits =
        stage.length ? std::to_string(shape.hits_before(stage.start + *stage.length) - shape.hits_before(stage.start)) : "-";
    out += fmt::format("{}\t{}\t{}\t{}/s\t{}/s\t{}\n", stage.text, format_duration(stage.start),
                       stage.length ? format_duration(*stage.length) : "on and on", number(stage.from), number(stage.to), hits);
  }
  out = align_columns(out);
  if (shape.stages().size() > kMostStages) out += fmt::format("and {} more\n", shape.stages().size() - kMostStages);
  return out;
}

}  // namespace

std::string shape_text(const Shape& shape, Nanos until, std::size_t columns) {
  std::string out = drawing(shape, until, columns) + "\n";
  const auto length = shape.length();
  const Nanos counted = length ? *length : until;
  const std::uint64_t hits = shape.hits_before(counted);
  out += fmt::format("{} hits {}{}, {}/s at most, {}/s in the mean{}\n", hits, length ? "in " : "in the first ", format_duration(counted),
                     number(shape.peak()), number(static_cast<double>(hits) / (static_cast<double>(counted.count()) / 1e9)),
                     shape.is_random() ? "; they arrive at random, and these are the numbers expected" : "");
  if (!shape.stages().empty()) (out += '\n') += table(shape);
  return out;
}

}  // namespace thrum::report
