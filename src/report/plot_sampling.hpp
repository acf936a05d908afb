// Few points that look like many. Lttb keeps the shape of a curve; Extremes keeps what the eye must not miss: the lowest and
// the highest point of every stretch of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thrum::report {

// Where a point of a series is: time (seconds) and height (milliseconds).
struct PlotPlace {
  double x = 0, y = 0;
};

struct PlotSample {
  std::uint64_t index = 0;  // in the series
  PlotPlace place;
};

// Largest-triangle-three-buckets (S. Steinarsson, "Downsampling Time Series for Visual Representation", 2013), with the
// buckets and the arithmetic of vegeta's plot, so that the same points are chosen. Between the first and the last point lie
// `threshold` - 2 buckets of equal count; of each the point is chosen that spans the largest triangle with the point chosen
// before and the mean of the bucket that follows.
//
// Needs no point twice in memory but all of them twice in order: first look() at each, then choose() at each.
class Lttb {
 public:
  static constexpr std::uint64_t kLeastThreshold = 3;

  // Of `count` points about `threshold` are chosen; 0, or not fewer than there are: all.
  Lttb(std::uint64_t count, std::uint64_t threshold);

  bool keeps_all() const { return means_.empty(); }
  void look(PlotPlace place);
  void choose(PlotPlace place);
  // In the order of the series, once all points have been through choose().
  const std::vector<PlotSample>& chosen() const { return chosen_; }

 private:
  // First point of bucket `i`, which holds [begin(i), begin(i + 1)). Bucket 0 follows the first point.
  std::uint64_t begin(std::uint64_t i) const { return static_cast<std::uint64_t>(static_cast<double>(i) * width_) + 1; }
  void finish_means();

  std::uint64_t count_;
  double width_ = 0;              // of a bucket, in points
  std::vector<PlotPlace> means_;  // of every bucket, the last point as one more; sums until all points have been looked at
  std::uint64_t index_ = 0;       // of the next point
  std::uint64_t bucket_ = 0;      // that it falls into
  std::uint64_t bucket_end_ = 0;
  PlotSample candidate_;
  double largest_ = -1;  // triangle of the candidate
  std::vector<PlotSample> chosen_;
};

// The lowest and the highest point in each of `stretches` equal stretches of [0, length] seconds.
class Extremes {
 public:
  Extremes(std::size_t stretches, double length);
  void add(const PlotSample& point);
  std::vector<PlotSample> points() const;  // some twice

 private:
  struct Stretch {
    PlotSample lowest, highest;
    bool empty = true;
  };
  double per_second_;
  std::vector<Stretch> stretches_;
};

// The `most` highest points of those added, of two series together.
class Spikes {
 public:
  struct Spike {
    PlotSample point;
    bool failed = false;  // of which series
  };
  explicit Spikes(std::size_t most) : most_(most) {}
  void add(const Spike& spike) {
    if (heap_.size() < most_ || (most_ > 0 && spike.point.place.y > heap_.front().point.place.y)) put(spike);
  }
  const std::vector<Spike>& spikes() const { return heap_; }  // in no order

 private:
  void put(const Spike& spike);
  std::size_t most_;
  std::vector<Spike> heap_;  // the lowest on top
};

}  // namespace thrum::report
