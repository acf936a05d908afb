#include "report/run_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "base/duration.hpp"

namespace thrum::report {
namespace {

constexpr double kWidth = 1000, kHeight = 240, kLeft = 64, kRight = 12, kTop = 10, kBottom = 26;
constexpr std::size_t kMostColumns = 200;  // of a heatmap; more seconds share one
constexpr std::size_t kHeats = 8;
constexpr std::array kTimes{1.0, 2.0, 5.0, 1.2, 1.4, 1.6, 1.8, 2.5,
                            3.0, 3.5, 4.0, 6.0, 7.0, 8.0, 9.0};  // a power of ten: those first that are first read

// Where a value stands between two edges of the drawing.
struct Axis {
  double low, high, from, to;
  bool is_log = false;
  double at(double value) const {
    const auto place = [this](double v) { return is_log ? std::log10(std::max(v, 1e-9)) : v; };
    return from + (place(value) - place(low)) / (place(high) - place(low)) * (to - from);
  }
};

Axis time_axis(double first, double last) { return {first, std::max(last, first + 1), kLeft, kWidth - kRight}; }

// 1, 2 or 5 times a power of ten, so that no more than `most` of them make up `span`.
double step_of(double span, double most) {
  const double least = span / most, power = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= least) return times * power;
  return 10 * power;
}

std::string opened(std::string_view label) {
  return fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">", kWidth, kHeight, label);
}

std::string time_ticks(const Axis& x) {
  std::string out;
  const double step = std::max(1.0, step_of(x.high - x.low, 10));
  for (double t = std::ceil(x.low / step) * step; t <= x.high; t += step)
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{:g} s</text>", x.at(t), kHeight - 8, t);
  return out;
}

std::string tick(const Axis& y, double value, std::string_view text) {
  return fmt::format("<path class=\"grid\" d=\"M{:g} {:.1f}H{:g}\"/><text x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft,
                     y.at(value), kWidth - kRight, kLeft - 8, y.at(value) + 4, text);
}

// In nanoseconds, by powers of ten; where these are few, also by twice and five times them, and where those are few, by each of them.
std::string latency_ticks(const Axis& y) {
  constexpr int kFew = 3;
  for (const std::span<const double> times :
       {std::span<const double>(kTimes).first(1), std::span<const double>(kTimes).first(3), std::span<const double>(kTimes)}) {
    std::string out;
    int ticks = 0;
    for (double power = std::pow(10, std::floor(std::log10(y.low))); power <= y.high; power *= 10)
      for (const double t : times)
        if (t * power >= y.low * 0.999 && t * power <= y.high * 1.001)
          out += tick(y, t * power, format_duration(Nanos(std::llround(t * power)))), ++ticks;
    if (ticks >= kFew || times.size() == kTimes.size()) return out;
  }
  return {};
}

// A line through the points that have a value; where one has none, the line breaks.
template <class Of>
std::string line(std::string_view name, const std::vector<RunPoint>& points, double width, const Axis& x, const Axis& y, Of of) {
  std::string path;
  bool is_open = false;
  for (const RunPoint& p : points) {
    const double value = of(p), at = x.at(static_cast<double>(p.at) + width / 2);
    const bool has = value >= 0;
    // A point alone is a short stroke.
    if (has) path += fmt::format("{}{:.1f} {:.1f}{}", is_open ? "L" : "M", at, y.at(value), is_open ? "" : "h.1");
    is_open = has;
  }
  return fmt::format("<path class=\"line {}\" d=\"{}\"/>", name, path);
}

double end_of(const std::vector<RunPoint>& points, std::int64_t width) { return static_cast<double>(points.back().at + width); }

// Seconds that share a column, and where each column begins.
struct Columns {
  std::vector<std::vector<std::uint64_t>> counts;
  double first = 0, last = 0, each = 1;
  std::size_t lowest = 0, highest = 0;  // bins with anything in them
  std::uint64_t most = 0;
};

Columns columns_of(const RunSeconds& seconds) {
  Columns c;
  const auto& all = seconds.seconds();
  if (all.empty()) return c;
  const std::size_t together = (all.size() + kMostColumns - 1) / kMostColumns;
  c.first = static_cast<double>(all.front().at), c.last = static_cast<double>(all.back().at + 1), c.each = static_cast<double>(together);
  c.lowest = CoarseHistogram::bounds().size() + 1;
  for (std::size_t i = 0; i < all.size(); i += together) {
    CoarseHistogram merged;
    for (std::size_t k = i; k < std::min(all.size(), i + together); ++k) merged.merge(all[k].latencies);
    c.counts.push_back(merged.counts());
    for (std::size_t bin = 0; bin < c.counts.back().size(); ++bin) {
      const std::uint64_t n = c.counts.back()[bin];
      if (n == 0) continue;
      c.lowest = std::min(c.lowest, bin), c.highest = std::max(c.highest, bin), c.most = std::max(c.most, n);
    }
  }
  return c;
}

// Where bin i ends; the last is open.
double upper_bound(std::size_t bin) {
  const auto bounds = CoarseHistogram::bounds();
  return static_cast<double>(bounds[std::min(bin, bounds.size() - 1)]);
}

}  // namespace

std::string heatmap_chart(const RunSeconds& seconds) {
  const Columns c = columns_of(seconds);
  if (c.most == 0) return {};
  const double low = c.lowest == 0 ? upper_bound(0) / 2 : upper_bound(c.lowest - 1);
  const Axis x = time_axis(c.first, c.last), y{low, std::max(upper_bound(c.highest), low * 1.1), kHeight - kBottom, kTop, true};
  std::array<std::string, kHeats> paths;  // one of each heat
  for (std::size_t i = 0; i < c.counts.size(); ++i) {
    const double from = c.first + static_cast<double>(i) * c.each, left = x.at(from), right = x.at(std::min(from + c.each, c.last));
    for (std::size_t bin = c.lowest; bin <= c.highest; ++bin) {
      const std::uint64_t n = c.counts[i][bin];
      const double bottom = y.at(bin == 0 ? low : upper_bound(bin - 1)), top = y.at(upper_bound(bin));
      if (n == 0 || bottom - top < 0.05) continue;
      const double heat = c.most == 1 ? 1 : std::log(static_cast<double>(n)) / std::log(static_cast<double>(c.most));
      const auto level = static_cast<std::size_t>(std::lround(heat * (kHeats - 1)));
      paths[level] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}H{:.1f}z", left, top, right - left + 0.2, bottom - top, left);
    }
  }
  std::string out = opened("latency over time: how many requests took how long") + latency_ticks(y) + time_ticks(x);
  for (std::size_t level = 0; level < kHeats; ++level)
    if (!paths[level].empty()) out += fmt::format("<path class=\"heat heat{}\" d=\"{}\"/>", level, paths[level]);
  return out + "</svg>";
}

std::string throughput_chart(const std::vector<RunPoint>& points, std::int64_t width) {
  if (points.empty()) return {};
  const double most = std::ranges::max(points, {}, &RunPoint::rate).rate;
  if (most <= 0) return {};
  const double step = step_of(most, 4), high = std::ceil(most / step) * step, w = static_cast<double>(width);
  const Axis x = time_axis(static_cast<double>(points.front().at), end_of(points, width)), y{0, high, kHeight - kBottom, kTop};
  std::string out = opened("requests that ended per second, and those of them that failed") + time_ticks(x);
  for (int i = 0; i * step <= high * (1 + 1e-9); ++i) out += tick(y, i * step, fmt::format("{:g}/s", i * step));
  out += line("rate", points, w, x, y, [](const RunPoint& p) { return p.rate; });
  out += line("errors", points, w, x, y, [](const RunPoint& p) { return p.errors; });
  return out + "</svg>";
}

std::string percentile_chart(const std::vector<RunPoint>& points, std::int64_t width) {
  double low = 1e300, high = 0;
  for (const RunPoint& p : points) {
    if (p.requests == 0) continue;
    low = std::min(low, std::max(1.0, static_cast<double>(p.p50.count())));
    high = std::max(high, static_cast<double>(p.p99.count()));
  }
  if (high <= 0) return {};
  const Axis x = time_axis(static_cast<double>(points.front().at), end_of(points, width)),
             y{low / 1.2, high * 1.2, kHeight - kBottom, kTop, true};
  const auto of = [](Nanos RunPoint::* which) {
    return [which](const RunPoint& p) { return p.requests == 0 ? -1.0 : std::max(1.0, static_cast<double>((p.*which).count())); };
  };
  const double w = static_cast<double>(width);
  return opened("latency by its 50th, 90th and 99th percentiles") + latency_ticks(y) + time_ticks(x) +
         line("p99", points, w, x, y, of(&RunPoint::p99)) + line("p90", points, w, x, y, of(&RunPoint::p90)) +
         line("p50", points, w, x, y, of(&RunPoint::p50)) + "</svg>";
}

}  // namespace thrum::report
