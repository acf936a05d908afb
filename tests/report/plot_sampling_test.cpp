#include "report/plot_sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace thrum::report {
namespace {

std::vector<PlotPlace> noise(std::size_t count) {
  std::mt19937_64 random(count);
  std::lognormal_distribution<double> height(1, 1);
  std::vector<PlotPlace> places;
  double x = 0;
  for (std::size_t i = 0; i < count; ++i) places.push_back({x += static_cast<double>(random() % 3) / 1000, height(random)});
  return places;
}

std::vector<PlotSample> chosen(const std::vector<PlotPlace>& places, std::uint64_t threshold) {
  Lttb lttb(places.size(), threshold);
  for (const PlotPlace& p : places) lttb.look(p);
  for (const PlotPlace& p : places) lttb.choose(p);
  return lttb.chosen();
}

// The method as its paper has it, with all points at hand.
std::vector<std::uint64_t> by_the_book(const std::vector<PlotPlace>& p, std::size_t threshold) {
  const double width = static_cast<double>(p.size() - 2) / static_cast<double>(threshold - 2);
  const auto begin = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<double>(i) * width) + 1; };
  std::vector<std::uint64_t> picked{0};
  for (std::size_t bucket = 0; bucket + 2 < threshold; ++bucket) {
    PlotPlace mean;
    const std::size_t next = begin(bucket + 1), after = std::min(begin(bucket + 2), p.size());
    for (std::size_t i = next; i < after; ++i) mean.x += p[i].x, mean.y += p[i].y;
    mean.x /= static_cast<double>(after - next);
    mean.y /= static_cast<double>(after - next);
    const PlotPlace last = p[picked.back()];
    double largest = -1;
    std::size_t best = 0;
    for (std::size_t i = begin(bucket); i < next; ++i) {
      const double area = std::abs((last.x - mean.x) * (p[i].y - last.y) - (last.x - p[i].x) * (mean.y - last.y)) * 0.5;
      if (area > largest) largest = area, best = i;
    }
    picked.push_back(best);
  }
  picked.push_back(p.size() - 1);
  return picked;
}

TEST(Lttb, ChoosesWhatThePaperChooses) {
  for (const std::size_t count : {4u, 5u, 10u, 101u, 1000u, 5003u}) {
    const auto places = noise(count);
    for (const std::size_t threshold : {3u, 4u, 5u, 7u, 17u, 100u, 333u, 999u, 4000u}) {
      if (threshold >= count) continue;
      std::vector<std::uint64_t> indices;
      for (const PlotSample& s : chosen(places, threshold)) {
        indices.push_back(s.index);
        EXPECT_EQ(s.place.y, places[s.index].y);
      }
      EXPECT_EQ(indices, by_the_book(places, threshold)) << count << " " << threshold;
    }
  }
}

TEST(Lttb, KeepsAllWhereThatIsNoMoreThanAsked) {
  for (const std::size_t count : {1u, 2u, 3u, 50u}) {
    EXPECT_EQ(chosen(noise(count), 0).size(), count);
    EXPECT_EQ(chosen(noise(count), 50).size(), count);
  }
}

TEST(Extremes, LowestAndHighestOfEveryStretch) {
  const auto places = noise(10'000);
  const double length = places.back().x;
  Extremes extremes(100, length);
  std::vector<std::pair<double, double>> ends(100, {INFINITY, -INFINITY});
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    extremes.add({i, places[i]});
    auto& [low, high] = ends[std::min<std::size_t>(static_cast<std::size_t>(places[i].x * (100 / length)), 99)];
    low = std::min(low, places[i].y);
    high = std::max(high, places[i].y);
  }
  std::vector<double> heights;
  for (const PlotSample& s : extremes.points()) heights.push_back(s.place.y);
  for (const auto& [low, high] : ends) {
    EXPECT_TRUE(std::ranges::count(heights, low) > 0 && std::ranges::count(heights, high) > 0);
  }
  EXPECT_EQ(heights.size(), 200u);
}

TEST(Extremes, AllAtOnce) {
  Extremes extremes(10, 0);
  extremes.add({0, {0, 5}});
  extremes.add({1, {0, 3}});
  ASSERT_EQ(extremes.points().size(), 2u);
  EXPECT_EQ(extremes.points()[0].index, 1u);
  EXPECT_EQ(extremes.points()[1].index, 0u);
}

TEST(Spikes, TheHighest) {
  const auto places = noise(5000);
  Spikes spikes(50);
  std::vector<double> all;
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    spikes.add({{i, places[i]}, i % 2 == 0});
    all.push_back(places[i].y);
  }
  std::ranges::sort(all, std::ranges::greater());
  all.resize(50);
  std::vector<double> kept;
  for (const Spikes::Spike& s : spikes.spikes()) {
    kept.push_back(s.point.place.y);
    EXPECT_EQ(s.failed, s.point.index % 2 == 0);
  }
  std::ranges::sort(kept, std::ranges::greater());
  EXPECT_EQ(kept, all);

  Spikes none(0);
  none.add({{0, {0, 1}}, false});
  EXPECT_TRUE(none.spikes().empty());
}

}  // namespace
}  // namespace thrum::report
