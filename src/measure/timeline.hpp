// Mean latency over the time of sending, in bounded memory whatever the length of the run: at most 1,024 bins, whose width (a
// power of two of nanoseconds) doubles when the run outgrows them. Results may come in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "thrum/result.hpp"

namespace thrum {

class Timeline {
 public:
  void add(Timestamp sent, Nanos latency) {
    const std::int64_t offset = count_ == 0 ? -1 : sent.since(origin_).count();
    const std::uint64_t bin = static_cast<std::uint64_t>(offset) >> shift_;  // a negative offset is a huge bin
    if (bin >= bins_.size()) [[unlikely]]
      return add_slowly(sent, latency);
    put(bins_[bin], 1, static_cast<double>(latency.count()));
  }
  void merge(const Timeline& other);

  // Mean latencies, in nanoseconds, of what was sent in the first and last quarter of [from, to].
  struct Quarters {
    double first = 0, last = 0;
    std::uint64_t first_count = 0, last_count = 0;
  };
  Quarters quarters(Timestamp from, Timestamp to) const;

 private:
  static constexpr std::size_t kBins = 1024;
  struct Bin {
    std::uint64_t count = 0;
    double latency_sum = 0;
  };
  void put(Bin& bin, std::uint64_t count, double sum) {
    bin.count += count;
    bin.latency_sum += sum;
    count_ += count;
  }
  void add_slowly(Timestamp sent, Nanos latency);
  void make_room_for(Timestamp sent);
  void halve();
  Timestamp start_of(std::size_t bin) const { return origin_.plus(Nanos(static_cast<std::int64_t>(bin) << shift_)); }

  Timestamp origin_;  // start of bins_[0]
  int shift_ = 20;    // a bin is 2^shift_ nanoseconds wide; from about a millisecond
  std::uint64_t count_ = 0;
  std::vector<Bin> bins_;
};

}  // namespace thrum
