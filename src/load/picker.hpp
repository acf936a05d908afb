// Which target a hit goes to: a function of the hit's number and the seed alone, so that any number of shards sends the same sequence,
// and none has to know what the others have sent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thrum/attacker.hpp"

namespace thrum::load {

class Picker {
 public:
  // Of the sums of weights, after division by what all have in common: the length of the cycle that weighted targets are sent in.
  static constexpr std::uint64_t kLongestCycle = 4'194'304;

  Picker() = default;  // of one target
  // One weight for each target; 0 counts as 1. Errors: none at all; a cycle that would be longer than kLongestCycle.
  static Expected<Picker> make(Order order, std::span<const std::uint32_t> weights, std::uint64_t seed);

  std::size_t target_of(std::uint64_t hit) const {
    switch (order_) {
      case Order::sequence:
        break;
      case Order::shuffle:
        return shuffled(hit / targets_, hit % targets_);
      case Order::random:
        return drawn(hit);
      case Order::weighted:
        return cycle_[hit % cycle_.size()];
    }
    return hit % targets_;
  }

 private:
  std::size_t shuffled(std::uint64_t round, std::uint64_t place) const;
  std::size_t drawn(std::uint64_t hit) const;

  Order order_ = Order::sequence;
  std::uint64_t targets_ = 1;
  std::uint64_t seed_ = 0;
  std::uint64_t columns_ = 1, rows_ = 1;  // shuffle: the grid that the targets are laid out on, row by row
  std::vector<std::uint32_t> cycle_;      // weighted
};

}  // namespace thrum::load
