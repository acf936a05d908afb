// The Stats view: cards of figures, and the whole distribution of latencies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "ui/run_screen.hpp"

namespace thrum::ui {
namespace {

constexpr Style kQuiet{Tone::quiet}, kStrong{Tone::strong};

// Rows of a label and a value, until the card is full.
class Rows {
 public:
  Rows(Grid& grid, Area inside) : grid_(grid), a_(inside) {}
  void add(std::string_view label, std::string_view value, Tone tone = Tone::strong) {
    if (y_ >= a_.height || a_.width < 4) return;
    const int room = a_.width - 3 - columns_of(label);
    const int width = std::min(columns_of(value), room);
    grid_.text(a_.x + 1, a_.y + y_, label, kQuiet, a_.width - 2);
    grid_.text(a_.x + a_.width - 1 - width, a_.y + y_++, value, {tone}, width);
  }

 private:
  Grid& grid_;
  Area a_;
  int y_ = 0;
};

void totals(Grid& grid, Area a, const RunView& v) {
  const RunWatch& w = v.watch;
  Rows rows(grid, card(grid, a, "Totals"));
  rows.add("requests", count_text(w.ended()));
  rows.add("succeeded", count_text(w.ok()), Tone::good);
  rows.add("failed", count_text(w.failed()), w.failed() > 0 ? Tone::bad : Tone::strong);
  if (v.missed > 0) rows.add("missed", count_text(v.missed), Tone::warning);
  rows.add("received", bytes_text(w.bytes()));
  const double seconds = static_cast<double>(v.elapsed.count()) / 1e9;
  if (seconds > 0) rows.add("mean rate", rate_text(static_cast<double>(w.ended()) / seconds));
  rows.add("time", format_duration(v.elapsed - v.elapsed % Nanos(100'000'000)));
  for (const auto& [code, count] : w.codes())
    rows.add(fmt::format("status {}", code), count_text(count), code >= 400 ? Tone::bad : code >= 300 ? Tone::plain : Tone::good);
}

void ladder(Grid& grid, Area a, const RunView& v) {
  Rows rows(grid, card(grid, a, "Latency"));
  const CoarseHistogram& h = v.watch.latencies();
  if (h.count() == 0) return rows.add("nothing ended yet", "");
  rows.add("shortest", time_text(h.min()));
  for (const double q : {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999}) rows.add(fmt::format("p{:.4g}", q * 100), time_text(h.quantile(q)));
  rows.add("longest", time_text(h.max()));
}

void phases(Grid& grid, Area a, const RunView& v) {
  const Area inside = card(grid, a, "Phases: count, median, p99, max");
  int y = inside.y;
  const auto row = [&](std::string_view name, const CoarseHistogram& h) {
    if (h.count() == 0 || y >= inside.y + inside.height) return;
    grid.text(inside.x + 1, y, name, kQuiet, inside.width - 2);
    const std::string text = fmt::format("{:>9} {:>7} {:>7} {:>7}", count_text(h.count()), time_text(h.quantile(0.5)),
                                         time_text(h.quantile(0.99)), time_text(h.max()));
    const int width = std::min(columns_of(text), inside.width - 13);
    grid.text(inside.x + inside.width - 1 - width, y++, text, kStrong, width);
  };
  row("connect", v.watch.connects());
  row("first byte", v.watch.first_bytes());
  row("download", v.watch.downloads());
  if (y == inside.y) grid.text(inside.x + 1, y, "nothing ended yet", kQuiet, inside.width - 2);
}

void setup(Grid& grid, Area a, const RunView& v) {
  Rows rows(grid, card(grid, a, "Setup"));
  rows.add("load", printable(v.load));
  if (v.concurrency > 0) rows.add("at once", count_text(v.concurrency));
  rows.add("thread busy", fmt::format("{:.0f} %", v.busy * 100), v.busy >= 0.9 ? Tone::warning : Tone::strong);
  for (const auto& [flag, value] : v.settings) rows.add("-" + flag, printable(value));
}

// A line for each bin, or for several: its upper bound, its count, its share and that of all below.
void distribution(Grid& grid, Area a, const RunView& v) {
  const Area inside = card(grid, a, "Distribution: up to, count, share of all so far");
  const auto counts = v.watch.latencies().counts();
  const auto bounds = CoarseHistogram::bounds();
  std::size_t first = SIZE_MAX, last = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) first = std::min(first, i), last = i;
  if (first == SIZE_MAX || inside.height <= 0) return;
  const std::size_t per_row = (last - first) / static_cast<std::size_t>(inside.height) + 1;
  std::vector<std::uint64_t> rows((last - first) / per_row + 1, 0);
  for (std::size_t i = first; i <= last; ++i) rows[(i - first) / per_row] += counts[i];
  const std::uint64_t most = *std::ranges::max_element(rows);
  const double all = static_cast<double>(v.watch.latencies().count());
  std::uint64_t below = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    below += rows[row];
    const int y = inside.y + static_cast<int>(row);
    const std::size_t upper = std::min(first + (row + 1) * per_row - 1, bounds.size() - 1);
    int x = grid.text(inside.x + 1, y,
                      fmt::format("{:>7} {:>10} {:>6.2f} % ", time_text(Nanos(static_cast<std::int64_t>(bounds[upper]))),
                                  count_text(rows[row]), static_cast<double>(below) / all * 100),
                      kQuiet, inside.width - 2);
    const int room = inside.x + inside.width - 1 - x;
    const int full = static_cast<int>(std::lround(static_cast<double>(rows[row]) / static_cast<double>(most) * room));
    for (int i = 0; i < full; ++i) grid.put(x + i, y, {U'█', {Tone::accent}});
  }
}

}  // namespace

void RunScreen::stats(Grid& grid, Area area, const RunView& v) {
  const int left = std::clamp(area.width * 2 / 5, 28, 60);
  const int half = area.height / 2;
  totals(grid, {area.x, area.y, left, half}, v);
  ladder(grid, {area.x, area.y + half, left, area.height - half}, v);
  const Area right{area.x + left, area.y, area.width - left, area.height};
  const int top = std::min(5, right.height / 3), middle = std::clamp(right.height / 4, 3, 14);
  phases(grid, {right.x, right.y, right.width, top}, v);
  setup(grid, {right.x, right.y + top, right.width, middle}, v);
  distribution(grid, {right.x, right.y + top + middle, right.width, right.height - top - middle}, v);
}

}  // namespace thrum::ui
