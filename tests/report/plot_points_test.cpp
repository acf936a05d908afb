#include "report/plot_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace thrum::report {
namespace {

bool same(const PlotPoint& a, const PlotPoint& b) {
  return a.sent == b.sent && a.latency == b.latency && a.lag == b.lag && a.seq == b.seq && a.kind == b.kind;
}

std::vector<PlotPoint> read_back(const std::vector<PlotPoint>& added, std::size_t most_in_memory) {
  PlotStore store(most_in_memory);
  PlotPoints points(store);
  for (const PlotPoint& p : added) points.add(p);
  points.seal();
  EXPECT_EQ(points.count(), added.size());
  std::vector<PlotPoint> read;
  points.each([&](const PlotPoint& p) { read.push_back(p); });
  EXPECT_LE(store.in_memory(), most_in_memory);
  EXPECT_FALSE(store.has_failed());
  return read;
}

// What goes in comes out, in order of time and sequence number: from memory, from a file, and from both.
void expect_sorted_copy(std::vector<PlotPoint> added) {
  std::vector<PlotPoint> sorted = added;
  std::ranges::sort(sorted, &PlotPoint::before);
  for (const std::size_t most_in_memory : {std::size_t{1} << 30, std::size_t{0}, std::size_t{50'000}}) {
    const std::vector<PlotPoint> read = read_back(added, most_in_memory);
    ASSERT_EQ(read.size(), added.size());
    for (std::size_t i = 0; i < read.size(); ++i) ASSERT_TRUE(same(read[i], sorted[i])) << i;
  }
}

TEST(PlotPoints, NothingAndOne) {
  expect_sorted_copy({});
  expect_sorted_copy({{.sent = 5, .latency = 7, .seq = 3, .kind = 2}});
}

TEST(PlotPoints, TheEndsOfAllNumbers) {
  expect_sorted_copy({{INT64_MIN, INT64_MAX, INT64_MAX, UINT64_MAX, UINT32_MAX},
                      {INT64_MAX, INT64_MIN, INT64_MIN + 1, 0, 0},
                      {0, -1, -1, UINT64_MAX / 2, 1},
                      {-1, 0, Result::kNone.count(), 1, 300}});
}

TEST(PlotPoints, EqualTimesGoBySequence) {
  const auto read = read_back({{.sent = 4, .seq = 9}, {.sent = 4, .seq = 2}, {.sent = 3, .seq = 5}}, 1000);
  EXPECT_EQ(read[0].seq, 5u);
  EXPECT_EQ(read[1].seq, 2u);
  EXPECT_EQ(read[2].seq, 9u);
}

// In order, nearly in order as results end, and in no order at all: over many blocks.
TEST(PlotPoints, AnyOrderOfComing) {
  std::mt19937_64 random(7);
  for (const std::int64_t disorder : {std::int64_t{0}, std::int64_t{100'000}, std::int64_t{10'000'000'000}}) {
    std::vector<PlotPoint> points;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const auto sent = static_cast<std::int64_t>(i * 1000);
      points.push_back({sent, static_cast<std::int64_t>(random() % 1'000'000), static_cast<std::int64_t>(random() % 9000), i, 1});
    }
    std::ranges::shuffle(points, random);
    std::ranges::sort(points, {}, [&](const PlotPoint& p) { return p.sent / (disorder + 1); });
    expect_sorted_copy(points);
  }
}

TEST(PlotPoints, TwelveBytesForAnOrdinaryResult) {
  std::mt19937_64 random(1);
  PlotStore store;
  PlotPoints points(store);
  for (std::uint64_t i = 0; i < 100'000; ++i)
    points.add({static_cast<std::int64_t>(i * 50'000 + random() % 5000), static_cast<std::int64_t>(1'000'000 + random() % 1'000'000),
                static_cast<std::int64_t>(random() % 20'000), i, 0});
  points.seal();
  EXPECT_LE(store.in_memory(), 100'000u * 12);
}

TEST(PlotStore, WithoutAFileItStaysInMemory) {
  PlotStore store(10, "/nonexistent");
  const PlotStore::Piece piece = store.put("more than ten bytes");
  EXPECT_FALSE(piece.is_in_file());
  EXPECT_EQ(piece.text, "more than ten bytes");
}

TEST(PlotStore, NothingIsNowhere) {
  PlotStore store(0);
  EXPECT_FALSE(store.put("").is_in_file());
}

}  // namespace
}  // namespace thrum::report
