#include "report/histogram.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/duration.hpp"
#include "report/columns.hpp"

namespace thrum::report {
namespace {

struct Row {
  std::string from, to;
  std::uint64_t count = 0;
};

std::string table(const std::vector<Row>& rows, std::uint64_t total) {
  constexpr double kBar = 75;
  std::string out = "Bucket\t\t#\t%\tHistogram\n";
  for (const Row& row : rows) {
    const double share = total == 0 ? 0 : static_cast<double>(row.count) / static_cast<double>(total);
    out += fmt::format("[{},\t{}]\t{}\t{:.2f}%\t{}\n", row.from, row.to, row.count, share * 100,
                       std::string(static_cast<std::size_t>(share * kBar), '#'));
  }
  return align_columns(out);
}

std::string given_rows(const BucketCounts& b) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < b.size(); ++i)
    rows.push_back({format_duration(b.lower(i)), b.is_open(i) ? "+Inf" : format_duration(b.upper(i)), b.count(i)});
  return table(rows, b.total());
}

// Which of the 24 steps of a decade begin a row, from few rows a decade to all.
constexpr std::array<std::array<bool, 24>, 4> kSteps = [] {
  std::array<std::array<bool, 24>, 4> out{};
  for (const std::size_t i : {0, 7, 17}) out[0][i] = true;                                  // 1 2 5
  for (const std::size_t i : {0, 4, 7, 12, 17, 21}) out[1][i] = true;                       // 1 1.5 2 3 5 7.5
  for (const std::size_t i : {0, 2, 4, 6, 7, 9, 12, 14, 17, 19, 21, 23}) out[2][i] = true;  // 1 1.2 1.5 1.8 2 2.4 3 3.8 5 6.2 7.5 9.1
  out[3].fill(true);
  return out;
}();

// Bounds by which the rows are cut, from the first with something in it to the last; runs of empty rows made one.
std::vector<Row> rows_by(const std::array<bool, 24>& steps, const std::vector<std::uint64_t>& counts) {
  const auto bounds = CoarseHistogram::bounds();
  const auto bound_text = [&](std::size_t i) { return format_duration(Nanos(static_cast<std::int64_t>(bounds[i]))); };
  std::vector<Row> rows;
  Row row{"0s", {}, counts[0]};
  const auto end_row = [&](const std::string& at) {
    if (row.count == 0 && !rows.empty() && rows.back().count == 0)
      rows.back().to = at;
    else if (row.count > 0 || !rows.empty())
      rows.push_back({row.from, at, row.count});
    row = {at, {}, 0};
  };
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (steps[i % 24] && (i == 0 || bounds[i] > bounds[i - 1])) end_row(bound_text(i));
    row.count += counts[i + 1];
  }
  end_row("+Inf");
  while (!rows.empty() && rows.back().count == 0) rows.pop_back();
  return rows;
}

std::string chosen_rows(const CoarseHistogram& h) {
  constexpr std::size_t kMostRows = 25;
  const std::vector<std::uint64_t> counts = h.counts();
  std::vector<Row> rows;
  for (const auto& steps : kSteps) {
    std::vector<Row> finer = rows_by(steps, counts);
    if (!rows.empty() && finer.size() > kMostRows) break;
    rows = std::move(finer);
  }
  return table(rows, h.count());
}

// The quantiles of HdrHistogram's plot: ever closer steps towards 1.
constexpr std::array<double, 94> kQuantiles{
    0,        0.1,      0.2,      0.3,      0.4,      0.5,      0.55,     0.6,      0.65,     0.7,      0.75,     0.775,
    0.8,      0.825,    0.85,     0.875,    0.8875,   0.9,      0.9125,   0.925,    0.9375,   0.94375,  0.95,     0.95625,
    0.9625,   0.96875,  0.971875, 0.975,    0.978125, 0.98125,  0.984375, 0.985938, 0.9875,   0.989062, 0.990625, 0.992188,
    0.992969, 0.99375,  0.994531, 0.995313, 0.996094, 0.996484, 0.996875, 0.997266, 0.997656, 0.998047, 0.998242, 0.998437,
    0.998633, 0.998828, 0.999023, 0.999121, 0.999219, 0.999316, 0.999414, 0.999512, 0.999561, 0.999609, 0.999658, 0.999707,
    0.999756, 0.99978,  0.999805, 0.999829, 0.999854, 0.999878, 0.99989,  0.999902, 0.999915, 0.999927, 0.999939, 0.999945,
    0.999951, 0.999957, 0.999963, 0.999969, 0.999973, 0.999976, 0.999979, 0.999982, 0.999985, 0.999986, 0.999988, 0.999989,
    0.999991, 0.999992, 0.999993, 0.999994, 0.999995, 0.999996, 0.999997, 0.999998, 0.999999, 1};

}  // namespace

std::string histogram(const Input& input) {
  if (input.buckets) return given_rows(*input.buckets);
  return input.rows ? chosen_rows(*input.rows) : table({}, 0);
}

std::string hdrplot(const Input& input) {
  const Histogram& h = input.total.latencies();
  std::string out = "Value(ms)\tPercentile\tTotalCount\t1/(1-Percentile)\n";
  const auto row = [&](double q) {
    const Nanos value = h.quantile(q);
    // Where q is 1 there is no number; the plotter wants one.
    const double inverse = q < 1 ? 1 / (1 - q) : 10'000'000;
    out += fmt::format("{:f}\t{:f}\t{}\t{:f}\n", static_cast<double>(value.count()) / 1e6, q, h.count_up_to(value), inverse);
  };
  for (const double q : kQuantiles) row(q);
  return align_columns(out);
}

}  // namespace thrum::report
