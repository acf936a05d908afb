// A distribution of durations, in memory that grows with its spread and not with the number of values.
//
// What can be asked of it:
// - count, smallest, largest and sum are exact, always;
// - up to kHeldExactly values are kept as they are; beyond, each is known within 0.05 %: every power of two is split into
//   1,024 equal bins, and a bin's middle stands for its values. Counters come in pages of 1,024, made when first needed;
// - merging is exact: merge(a, b) equals recording all values of both;
// - zero and negative values (results files can hold them) are values like any other.
// Values are copied, threads are the caller's: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "thrum/result.hpp"

namespace thrum {

class Histogram {
 public:
  static constexpr std::size_t kHeldExactly = 4096;

  Histogram() = default;
  Histogram(const Histogram& other);
  Histogram& operator=(const Histogram& other);
  Histogram(Histogram&&) noexcept = default;
  Histogram& operator=(Histogram&&) noexcept = default;

  void record(Nanos value) {
    const std::int64_t v = value.count();
    ++count_;
    sum_ += v;
    min_ = std::min(min_, v);
    max_ = std::max(max_, v);
    if (v >= 0) [[likely]] {
      const std::uint32_t bin = bin_of(static_cast<std::uint64_t>(v));
      if (std::uint32_t* page = positive_[bin / kPageBins].get(); page != nullptr) [[likely]] {
        if (++page[bin % kPageBins] == 0) [[unlikely]]
          carry(bin);
        return;
      }
    }
    record_slowly(v);
  }
  void merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  Nanos min() const { return Nanos(count_ == 0 ? 0 : min_); }
  Nanos max() const { return Nanos(count_ == 0 ? 0 : max_); }
  Nanos mean() const;
  __int128 sum() const { return sum_; }  // nanoseconds

  // The value below which the share q (0 … 1) of the values lies. With the values sorted as x[0] … x[n-1], value x[i] stands
  // at i + 1/2: q * n falls between two such places, and the answer is the straight line between their values, cut to
  // whole nanoseconds and never outside [min, max]. No values: 0.
  Nanos quantile(double q) const;
  // How many values are <= value. Once values are in bins: all of the bins up to and including the one `value` falls in.
  std::uint64_t count_up_to(Nanos value) const;

  // A bin and how many values it holds; lowest and highest value a bin can hold, both included.
  struct Bin {
    std::int64_t lowest, highest;
    std::uint64_t count;
  };
  // Every bin that holds something, in ascending order; while values are held exactly, a bin per different value.
  std::vector<Bin> bins() const;

  // The number of the bin that a value, or a negative one's magnitude, falls in: below 2,048 a bin holds one value; from there,
  // [2^k, 2^(k+1)) is split into 1,024. HdrHistogram numbers its counts for three significant digits in the same way.
  static constexpr std::uint32_t bin_of(std::uint64_t magnitude) {
    const int shift = 53 - std::countl_zero(magnitude | 2047);
    return (static_cast<std::uint32_t>(shift) << 10) + static_cast<std::uint32_t>(magnitude >> shift);
  }

  bool is_exact() const { return !binned_; }
  std::size_t memory() const;  // bytes beyond sizeof(*this)

 private:
  static constexpr std::uint32_t kPageBins = 1024;
  static constexpr std::size_t kPages = 55;  // magnitudes up to 2^63
  using Page = std::unique_ptr<std::uint32_t[]>;
  using Pages = std::array<Page, kPages>;

  void record_slowly(std::int64_t v);
  void count_in_bin(std::int64_t v, std::uint64_t times);
  void add_to_bin(bool negative, std::uint32_t bin, std::uint64_t times);
  void carry(std::uint32_t bin, bool negative = false);
  void start_binning();
  template <class F>
  void each_bin(F&& f) const;
  double middle_of_rank(std::uint64_t rank) const;

  std::uint64_t count_ = 0;
  __int128 sum_ = 0;
  std::int64_t min_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_ = std::numeric_limits<std::int64_t>::min();
  bool binned_ = false;
  std::vector<std::int64_t> exact_;  // while !binned_: the values, in the order they came
  Pages positive_;
  std::unique_ptr<Pages> negative_;
  std::vector<std::pair<std::uint32_t, bool>> carries_;  // one entry per 2^32 in a bin: {bin, negative}
};

}  // namespace thrum
