// The Live view: latency over time as a heatmap, throughput, the latest requests, errors by cause, and figures where there is room.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "ui/run_screen.hpp"

namespace thrum::ui {
namespace {

constexpr Style kQuiet{Tone::quiet}, kStrong{Tone::strong};
constexpr int kLabels = 8;  // columns left of a chart
constexpr int kColumnOfFigures = 36, kWidthForFigures = 110;
constexpr double kLeastShare = 0.002;  // of a column's requests: below it a cell stays empty

// The seconds that one column of a chart stands for, newest at the right.
struct Column {
  std::uint64_t ok = 0, failed = 0;
  double seconds = 0;
  CoarseHistogram latencies{};
};

std::vector<Column> columns_of_time(const RunView& v, int width) {
  const auto& seconds = v.watch.seconds().seconds();
  const int count = static_cast<int>(seconds.size());
  const int fold = std::max(1, (count + width - 1) / std::max(1, width));
  std::vector<Column> columns;
  // Folds begin at the same seconds as time goes on, so that columns don't change their shape.
  for (const RunSecond& s : seconds) {
    if (columns.empty() || s.at % fold == 0) columns.emplace_back();
    Column& c = columns.back();
    c.ok += s.ok;
    c.failed += s.failed;
    const double part = std::min(1.0, static_cast<double>(v.elapsed.count()) / 1e9 - static_cast<double>(s.at));
    c.seconds += std::max(0.0, part);
    c.latencies.merge(s.latencies);
  }
  if (static_cast<int>(columns.size()) > width) columns.erase(columns.begin(), columns.end() - width);
  return columns;
}

void empty_chart(Grid& grid, Area a, std::string_view why) {
  grid.text(a.x + std::max(0, (a.width - static_cast<int>(why.size())) / 2), a.y + a.height / 2, why, kQuiet, a.width);
}

std::string_view why_empty(const RunView& v) {
  return v.state == RunState::warming ? "warming up: nothing counts yet"
         : v.is_over()                ? "no request completed"
                                      : "the first second isn't over";
}

void heatmap(Grid& grid, Area a, const std::vector<Column>& columns, const RunView& v) {
  std::size_t lowest = SIZE_MAX, highest = 0;
  std::vector<std::vector<std::uint64_t>> counts;
  for (const Column& c : columns) {
    counts.push_back(c.latencies.counts());
    for (std::size_t bin = 0; bin < counts.back().size(); ++bin)
      if (counts.back()[bin] > 0) lowest = std::min(lowest, bin), highest = std::max(highest, bin);
  }
  if (lowest == SIZE_MAX) return empty_chart(grid, a, why_empty(v));
  const auto bounds = CoarseHistogram::bounds();
  const int rows = a.height;
  // As many bins to a row as it takes to have them all in.
  const std::size_t per_row =
      std::max<std::size_t>(1, (highest - lowest + static_cast<std::size_t>(rows)) / static_cast<std::size_t>(rows));
  const auto row_of = [&](std::size_t bin) {
    return a.y + rows - 1 - static_cast<int>((std::clamp(bin, lowest, highest) - lowest) / per_row);
  };
  for (int row = 0; row < rows; row += std::max(1, rows / 5)) {
    const std::size_t bin = lowest + static_cast<std::size_t>(rows - 1 - row) * per_row;
    if (bin > highest || bin == 0 || bin - 1 >= bounds.size()) continue;
    const std::string label = time_text(Nanos(static_cast<std::int64_t>(bounds[bin - 1])));
    grid.text(a.x + kLabels - 1 - ui::columns_of(label), a.y + row, label, kQuiet);
  }
  const int left = a.x + a.width - static_cast<int>(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int x = left + static_cast<int>(i);
    const double all = static_cast<double>(columns[i].latencies.count());
    std::vector<std::uint64_t> by_row(static_cast<std::size_t>(rows), 0);
    for (std::size_t bin = lowest; bin <= highest && bin < counts[i].size(); ++bin)
      by_row[static_cast<std::size_t>(row_of(bin) - a.y)] += counts[i][bin];
    for (int row = 0; row < rows; ++row) {
      const double share = all > 0 ? static_cast<double>(by_row[static_cast<std::size_t>(row)]) / all : 0;
      if (share < kLeastShare) continue;
      // A half of all is the brightest; each step down is about as much less as the eye sees.
      const int level = std::clamp(kHeats + static_cast<int>(std::floor(std::log2(share * 2))), 1, kHeats);
      grid.put(x, a.y + row, {U' ', {heat(level), true}});
    }
    if (all == 0) continue;
    const auto mark = [&](double q, char32_t glyph) {
      const int y = row_of(CoarseHistogram::bin_of(columns[i].latencies.quantile(q)));
      grid.put(x, y, {glyph, Style{Tone::strong}});
    };
    mark(0.99, U'·');
    mark(0.5, U'─');
  }
}

void throughput(Grid& grid, Area a, const std::vector<Column>& columns, const RunView& v) {
  double peak = 0;
  for (const Column& c : columns)
    if (c.seconds > 0.2) peak = std::max(peak, static_cast<double>(c.ok + c.failed) / c.seconds);
  if (peak <= 0) return empty_chart(grid, a, why_empty(v));
  grid.text(a.x, a.y, rate_text(peak), kQuiet, kLabels - 1);
  static constexpr std::array<char32_t, 9> kBlocks{U' ', U'▁', U'▂', U'▃', U'▄', U'▅', U'▆', U'▇', U'█'};
  const int left = a.x + a.width - static_cast<int>(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& c = columns[i];
    if (c.seconds <= 0.2) continue;
    // Failures stand at the foot; a column that has any shows at least one mark of them.
    const double eighths = static_cast<double>(c.ok + c.failed) / c.seconds / peak * a.height * 8;
    const double bad = c.failed == 0 ? 0 : std::max(8.0, eighths * static_cast<double>(c.failed) / static_cast<double>(c.ok + c.failed));
    for (int row = 0; row < a.height; ++row) {
      const double from = row * 8;
      const int full = std::clamp(static_cast<int>(std::lround(eighths - from)), 0, 8);
      const bool is_bad = from < bad - 4;
      if (full == 0 && !is_bad) continue;
      grid.put(left + static_cast<int>(i), a.y + a.height - 1 - row,
               {kBlocks[static_cast<std::size_t>(is_bad ? std::max(full, 1) : full)], {is_bad ? Tone::bad : Tone::accent}});
    }
  }
}

void causes(Grid& grid, Area a, const RunView& v) {
  const auto all = v.watch.causes().by_count();
  if (all.empty()) {
    grid.text(a.x + 1, a.y, v.watch.ended() == 0 ? "nothing ended yet" : "none failed", kQuiet, a.width - 2);
    return;
  }
  for (int i = 0; i < a.height && i < static_cast<int>(all.size()); ++i) {
    const auto& cause = all[static_cast<std::size_t>(i)];
    const std::string count = count_text(cause.count);
    const int room = a.width - 3 - columns_of(count);
    grid.text(a.x + 1, a.y + i, printable(cause.text), {Tone::bad}, room);
    grid.text(a.x + a.width - 1 - columns_of(count), a.y + i, count, kStrong);
  }
}

void latest(Grid& grid, Area a, const RunView& v) {
  const auto& recent = v.watch.recent();
  for (int i = 0; i < a.height && i < static_cast<int>(recent.size()); ++i) {
    const RecentResult& r = recent[recent.size() - 1 - static_cast<std::size_t>(i)];
    int x = grid.text(a.x + 1, a.y + i, fmt::format("{:7.1f}s", static_cast<double>(r.at.count()) / 1e9), kQuiet, a.width - 2);
    x = grid.text(x + 1, a.y + i, r.status == 0 ? "---" : std::to_string(r.status), {r.is_good ? Tone::good : Tone::bad},
                  a.x + a.width - x - 2);
    const std::string latency = time_text(r.latency);
    x = grid.text(x + 1 + std::max(0, 7 - columns_of(latency)), a.y + i, latency, {}, a.x + a.width - x - 3);
    const std::string rest = r.error.empty() ? bytes_text(r.bytes) : printable(r.error);
    grid.text(x + 2, a.y + i, rest, kQuiet, a.x + a.width - x - 3);
  }
}

void figures(Grid& grid, Area a, const RunView& v) {
  const RunWatch& w = v.watch;
  int y = a.y;
  const auto row = [&](std::string_view label, const std::string& value, Tone tone = Tone::strong) {
    if (y >= a.y + a.height) return;
    grid.text(a.x + 1, y, label, kQuiet, a.width - 2);
    grid.text(a.x + a.width - 1 - columns_of(value), y++, value, {tone});
  };
  const double seconds = static_cast<double>(v.elapsed.count()) / 1e9;
  row("requests", count_text(w.ended()));
  row("failed", count_text(w.failed()), w.failed() == 0 ? Tone::strong : tone_of_success(w.ok(), w.ended()));
  row("mean rate", seconds > 0 ? rate_text(static_cast<double>(w.ended()) / seconds) : "-");
  row("in flight", count_text(v.in_flight));
  row("connections", count_text(v.connections_open));
  if (v.missed > 0) row("missed", count_text(v.missed), Tone::warning);
  row("received", bytes_text(w.bytes()));
  row("thread busy", fmt::format("{:.0f} %", v.busy * 100), v.busy >= 0.9 ? Tone::warning : Tone::strong);
  ++y;
  if (w.ended() > 0)
    for (const double q : {0.5, 0.9, 0.95, 0.99, 0.999}) row(fmt::format("p{:.3g}", q * 100), time_text(w.latencies().quantile(q)));
  ++y;
  for (const auto& [code, count] : w.codes())
    row(fmt::format("{}", code), count_text(count), code >= 400 ? Tone::bad : code >= 300 ? Tone::plain : Tone::good);
}

}  // namespace

void RunScreen::live(Grid& grid, Area area, const RunView& v) {
  if (grid.width() >= kWidthForFigures) {
    const Area side{area.x + area.width - kColumnOfFigures, area.y, kColumnOfFigures, area.height};
    figures(grid, card(grid, side, "Figures"), v);
    area.width -= kColumnOfFigures;
  }
  const int below = std::clamp(area.height / 4, 3, 12), bars = std::clamp(area.height / 5, 3, 10);
  const Area map_card{area.x, area.y, area.width, area.height - below - bars};
  const Area map = card(grid, map_card, "Latency, second by second (─ p50, · p99)");
  const auto columns = columns_of_time(v, map.width - kLabels);
  heatmap(grid, map, columns, v);
  const double seconds = static_cast<double>(v.elapsed.count()) / 1e9;
  const std::string name = seconds > 0.5
                               ? fmt::format("Requests a second (mean {})", rate_text(static_cast<double>(v.watch.ended()) / seconds))
                               : "Requests a second";
  throughput(grid, card(grid, {area.x, area.y + map_card.height, area.width, bars}, name), columns, v);
  const Area foot{area.x, area.y + map_card.height + bars, area.width, below};
  const int half = foot.width / 2;
  latest(grid, card(grid, {foot.x, foot.y, half, foot.height}, "Latest"), v);
  causes(grid, card(grid, {foot.x + half, foot.y, foot.width - half, foot.height}, "Errors by cause"), v);
}

}  // namespace thrum::ui
