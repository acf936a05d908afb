// When each hit of one shard is due, asked for in the order of the hits: by the schedule, or, where it is random, by a sum of
// exponential gaps (a Poisson process) that every shard draws alike from the seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "load/schedule.hpp"

namespace thrum::load {

class Arrivals {
 public:
  Arrivals(Schedule schedule, std::uint64_t seed) : schedule_(std::move(schedule)), seed_(seed), is_random_(schedule_.is_random()) {}

  bool is_random() const { return is_random_; }
  const Schedule& schedule() const { return schedule_; }
  void apply(const Change& change) { schedule_.apply(change); }
  // Each n not less than the one before. Nanos::max(): the schedule ends before.
  Nanos due(std::uint64_t n) {
    if (!is_random_) return schedule_.due(n);
    while (drawn_ <= n) expected_ += gap(drawn_++);
    return schedule_.due_when(expected_);
  }
  // What was drawn so far; back to there, an earlier hit may be asked for again.
  struct Mark {
    std::uint64_t drawn = 0;
    long double expected = 0;
  };
  Mark mark() const { return {drawn_, expected_}; }
  void go_back(const Mark& mark) {
    drawn_ = mark.drawn;
    expected_ = mark.expected;
  }
  // How many hits are due before t, when hit n, which was asked for last, is the first that may be at t or later.
  std::uint64_t due_before(Nanos t, std::uint64_t n) const {
    if (!is_random_) return schedule_.hits_before(t);
    if (t == Nanos::max()) return UINT64_MAX;
    Arrivals ahead = *this;
    while (ahead.due(n) < t) ++n;
    return n;
  }

 private:
  // Of mean 1, a function of the seed and n only.
  long double gap(std::uint64_t n) const {
    std::uint64_t x = seed_ + (n + 1) * 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    x ^= x >> 31;
    const double uniform = (static_cast<double>(x >> 11) + 1) * 0x1.0p-53;  // in (0, 1]
    return -std::log(uniform);
  }

  Schedule schedule_;
  std::uint64_t seed_;
  bool is_random_;
  std::uint64_t drawn_ = 0;   // gaps
  long double expected_ = 0;  // their sum
};

}  // namespace thrum::load
