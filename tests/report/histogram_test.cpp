#include "report/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

namespace thrum::report {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> rows_for(const std::vector<std::int64_t>& values) {
  Input input;
  input.rows.emplace();
  for (const std::int64_t v : values) input.rows->record(Nanos(v));
  std::vector<std::string> lines = lines_of(histogram(input));
  lines.erase(lines.begin());
  return lines;
}

std::int64_t count_of(const std::string& line) { return std::stoll(line.substr(line.find(']') + 1)); }

TEST(Histogram, ChosenRowsSpreadTheBulkWhateverTheOutliers) {
  std::mt19937_64 random(3);
  for (const double sigma : {0.1, 0.3, 0.6, 1.0}) {
    std::lognormal_distribution<double> usual(std::log(50e6), sigma);
    std::vector<std::int64_t> values(100, 9'000'000'000);
    for (int i = 0; i < 49'900; ++i) values.push_back(static_cast<std::int64_t>(usual(random)));
    const std::vector<std::string> rows = rows_for(values);
    EXPECT_LE(rows.size(), 25u);
    std::int64_t total = 0, filled = 0;
    for (const std::string& row : rows) {
      total += count_of(row);
      filled += count_of(row) > 0 && row.find("[9") == row.npos && row.find("[8") == row.npos;
    }
    EXPECT_EQ(total, 50'000) << sigma;
    EXPECT_GE(filled, 4) << sigma;
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_FALSE(count_of(rows[i]) == 0 && count_of(rows[i - 1]) == 0);
    EXPECT_GT(count_of(rows.front()), 0);
    EXPECT_GT(count_of(rows.back()), 0);
  }
}

TEST(Histogram, ChosenRowsOfExtremesAndOfNothing) {
  EXPECT_TRUE(rows_for({}).empty());
  EXPECT_EQ(rows_for({0}).size(), 1u);
  const std::vector<std::string> wide = rows_for({-5, 0, 1, INT64_MAX});
  EXPECT_NE(wide.back().find("+Inf"), std::string::npos);
  EXPECT_EQ(count_of(wide.front()), 2);
}

TEST(Hdrplot, CountsAreReal) {
  Input input;
  std::vector<Result> results(1000);
  for (Result& r : results) r.latency = Nanos(5'000'000), r.code = 200;
  input.total.add(results);
  input.total.close();
  const std::vector<std::string> lines = lines_of(hdrplot(input));
  ASSERT_EQ(lines.size(), 95u);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream in(lines[i]);
    double value = 0, quantile = 0;
    long long count = 0;
    in >> value >> quantile >> count;
    EXPECT_EQ(value, 5);
    EXPECT_EQ(count, 1000) << lines[i];
  }
}

}  // namespace
}  // namespace thrum::report
