// A small distribution for series, where there are thousands of them: 24 bins to a power of ten, at bounds a person can
// read (1, 1.1, 1.2, 1.35 …), made a decade at a time. Up to kHeldExactly values are kept as they are; beyond, a quantile
// is as fine as its bin, which is at most 14 % wide, and lies within the extremes, which are exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "thrum/result.hpp"

namespace thrum {

class CoarseHistogram {
 public:
  static constexpr std::size_t kHeldExactly = 128;
  static constexpr std::size_t kPerDecade = 24;

  void record(Nanos value);
  void merge(const CoarseHistogram& other);

  std::uint64_t count() const { return count_; }
  Nanos min() const { return Nanos(count_ == 0 ? 0 : min_); }
  Nanos max() const { return Nanos(count_ == 0 ? 0 : max_); }
  Nanos mean() const;
  // By the rule of Histogram::quantile.
  Nanos quantile(double q) const;

  // Bounds of the bins for values above 0; bin i + 1 holds [bounds()[i], bounds()[i + 1]), bin 0 what is below the first.
  // The last is open. Bounds below 10 ns, whole nanoseconds as they must be, coincide in places: such bins stay empty.
  static std::span<const std::uint64_t> bounds();
  static std::size_t bin_of(Nanos value);
  // Counts by bin; as many as bounds() + 1.
  std::vector<std::uint64_t> counts() const;

 private:
  struct Decade {
    std::size_t index = 0;
    std::array<std::uint32_t, kPerDecade> counts{};
  };
  void count_in_bin(std::size_t bin, std::uint32_t times);

  std::uint64_t count_ = 0;
  __int128 sum_ = 0;
  std::int64_t min_ = INT64_MAX;
  std::int64_t max_ = INT64_MIN;
  std::vector<std::int64_t> exact_;  // all values while they are few
  std::uint64_t below_ = 0;          // bin 0, once in bins
  std::vector<Decade> decades_;      // few, in ascending order
};

}  // namespace thrum
