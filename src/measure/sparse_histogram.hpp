// A distribution for series, where there are thousands of them, each of values that lie in few places: as fine as Histogram,
// in memory that grows with how many of Histogram's bins hold something. Where even that is too much, coarsen() halves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "thrum/result.hpp"

namespace thrum {

class SparseHistogram {
 public:
  static constexpr std::size_t kHeldExactly = 128;
  static constexpr unsigned kCoarsest = 10;  // a bin is a power of two

  void record(Nanos value);

  std::uint64_t count() const { return count_; }
  Nanos min() const { return Nanos(count_ == 0 ? 0 : min_); }
  Nanos max() const { return Nanos(count_ == 0 ? 0 : max_); }
  Nanos mean() const { return Nanos(count_ == 0 ? 0 : static_cast<std::int64_t>(sum_ / static_cast<__int128>(count_))); }
  // By the rule of Histogram::quantile; the values of a bin are taken to lie evenly over what of it is within the extremes.
  Nanos quantile(double q) const;

  // Makes bins `steps` halvings wider than Histogram's (0 … kCoarsest), now and for what comes. Never finer than before.
  void coarsen(unsigned steps);
  // How many things it holds, of eight bytes each: values and bins.
  std::size_t size() const { return fresh_.size() + bins_.size(); }

 private:
  // Histogram's number of the magnitude's bin without its last `steps_` bits; of negative values the complement, so that they ascend.
  struct Bin {
    std::int32_t number;
    std::uint32_t count;
  };
  std::int32_t number_of(std::int64_t value) const;
  std::vector<Bin> binned() const;  // all values, in ascending order of bins
  void fold() { bins_ = binned(), fresh_.clear(); }

  std::uint64_t count_ = 0;
  __int128 sum_ = 0;
  std::int64_t min_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_ = std::numeric_limits<std::int64_t>::min();
  unsigned steps_ = 0;
  std::vector<std::int64_t> fresh_;  // values not in bins yet
  std::vector<Bin> bins_;
};

}  // namespace thrum
