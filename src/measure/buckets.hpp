// Buckets a user names, counted while results are read: the histogram of `report -type=hist[...]` and of JSON's "buckets".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum {

// Lower bounds, at least one; the last bucket has no upper bound. As vegeta reads them: "[0,5ms,1s]", blanks around a bound
// allowed, any order, and a bound of 0 put in front when the first is above 0.
Expected<std::vector<Nanos>> parse_buckets(std::string_view text);

class BucketCounts {
 public:
  explicit BucketCounts(std::vector<Nanos> bounds);

  void add(Nanos value) {
    ++counts_[bucket_of(value)];
    ++total_;
  }
  void merge(const BucketCounts& other);  // of the same bounds

  std::size_t size() const { return bounds_.size(); }
  Nanos lower(std::size_t bucket) const { return bounds_[bucket]; }
  bool is_open(std::size_t bucket) const { return bucket + 1 == bounds_.size(); }
  Nanos upper(std::size_t bucket) const { return bounds_[bucket + 1]; }  // not of the open one
  std::uint64_t count(std::size_t bucket) const { return counts_[bucket]; }
  std::uint64_t total() const { return total_; }

 private:
  std::size_t bucket_of(Nanos value) const;

  std::vector<Nanos> bounds_;
  std::vector<std::uint64_t> counts_;
  bool ascending_;
  std::uint64_t total_ = 0;
};

}  // namespace thrum
