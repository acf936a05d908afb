// The different errors of a run with their counts, in the order first seen. Bounded: a server that puts a counter into each
// error text can't fill the memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "thrum/metrics.hpp"

namespace thrum {

class ErrorKinds {
 public:
  static constexpr std::size_t kMostKinds = 10'000;
  static constexpr std::size_t kMostBytes = 4 << 20;

  // `row`: position of the result among those of its run.
  void add(const Result& r, std::uint64_t row) {
    // The error of this result is very often that of the last one.
    if (last_ < kinds_.size() && kinds_[last_].text == r.error) [[likely]]
      count(r, kinds_[last_]);
    else
      find_or_add(r, row);
  }
  // Orders kinds by the row in which each was first seen, ours first where rows are equal: the order in which both would
  // have been seen had a result of each been read in turn.
  void merge(const ErrorKinds& other);

  const std::vector<Metrics::ErrorCount>& kinds() const { return kinds_; }
  std::uint64_t others() const { return others_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  static void count(const Result& r, Metrics::ErrorCount& kind);
  static void join(const Metrics::ErrorCount& other, Metrics::ErrorCount& kind);
  void find_or_add(const Result& r, std::uint64_t row);

  std::vector<Metrics::ErrorCount> kinds_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;  // into kinds_
  std::uint64_t others_ = 0;
  std::size_t bytes_ = 0;
  std::size_t last_ = 0;
};

}  // namespace thrum
