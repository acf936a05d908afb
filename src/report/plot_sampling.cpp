#include "report/plot_sampling.hpp"

#include <algorithm>
#include <cmath>

namespace thrum::report {

Lttb::Lttb(std::uint64_t count, std::uint64_t threshold) : count_(count) {
  if (threshold == 0 || threshold >= count) return;
  width_ = static_cast<double>(count - 2) / static_cast<double>(threshold - 2);
  means_.resize(threshold - 1);
  chosen_.reserve(threshold);
  bucket_end_ = begin(1);
}

void Lttb::look(PlotPlace place) {
  if (keeps_all()) return;
  const std::uint64_t index = index_++;
  if (index == 0) return;
  while (index >= bucket_end_ && bucket_ + 1 < means_.size()) bucket_end_ = begin(++bucket_ + 1);
  means_[bucket_].x += place.x;
  means_[bucket_].y += place.y;
  if (index_ == count_) finish_means();
}

void Lttb::finish_means() {
  for (std::uint64_t i = 0; i < means_.size(); ++i) {
    const auto points = static_cast<double>(std::min(begin(i + 1), count_) - begin(i));
    means_[i] = {means_[i].x / points, means_[i].y / points};
  }
  index_ = bucket_ = 0;
  bucket_end_ = begin(1);
}

void Lttb::choose(PlotPlace place) {
  const PlotSample point{index_++, place};
  if (keeps_all() || point.index == 0 || point.index + 1 == count_) {
    chosen_.push_back(point);
    return;
  }
  if (bucket_ + 1 == means_.size()) return;  // rounding may leave one point between the last bucket and the last point
  const PlotPlace last = chosen_.back().place, next = means_[bucket_ + 1];
  // Half the cross product of two sides of the triangle.
  const double area = std::abs((last.x - next.x) * (place.y - last.y) - (last.x - place.x) * (next.y - last.y)) * 0.5;
  if (area > largest_) {
    largest_ = area;
    candidate_ = point;
  }
  if (point.index + 1 < bucket_end_) return;
  chosen_.push_back(candidate_);
  largest_ = -1;
  bucket_end_ = begin(++bucket_ + 1);
}

Extremes::Extremes(std::size_t stretches, double length)
    : per_second_(length > 0 ? static_cast<double>(stretches) / length : 0), stretches_(stretches) {}

void Extremes::add(const PlotSample& point) {
  Stretch& s = stretches_[std::min(static_cast<std::size_t>(point.place.x * per_second_), stretches_.size() - 1)];
  if (s.empty || point.place.y < s.lowest.place.y) s.lowest = point;
  if (s.empty || point.place.y > s.highest.place.y) s.highest = point;
  s.empty = false;
}

std::vector<PlotSample> Extremes::points() const {
  std::vector<PlotSample> all;
  for (const Stretch& s : stretches_)
    if (!s.empty) all.insert(all.end(), {s.lowest, s.highest});
  return all;
}

void Spikes::put(const Spike& spike) {
  const auto higher = [](const Spike& a, const Spike& b) { return a.point.place.y > b.point.place.y; };
  if (heap_.size() == most_) {
    std::ranges::pop_heap(heap_, higher);
    heap_.back() = spike;
  } else {
    heap_.push_back(spike);
  }
  std::ranges::push_heap(heap_, higher);
}

}  // namespace thrum::report
