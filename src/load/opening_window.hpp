// How many connections a closed loop has coming up at once. All of them at its beginning would be a burst that the target's queue
// of connections has to bear, and our own memory: a TLS handshake takes 30 KB, a connection that is up far less. So it begins
// with a few; each that comes up lets two others begin, and as time goes by there may be more whatever happens, so that a target
// which accepts none gets them all before long.
#pragma once

#include <algorithm>
#include <cstdint>

#include "thrum/result.hpp"

namespace thrum::load {

class OpeningWindow {
 public:
  explicit OpeningWindow(Nanos begin = Nanos(0)) : grows_at_(begin + kDoubles) {}

  void began() { ++opening_; }
  void came_up() { --opening_, ++most_; }
  void failed() { --opening_; }

  // Whether no other should begin at t (from the attack's start), before grows_at().
  bool is_full(Nanos t) {
    for (; t >= grows_at_ && most_ < kMost; grows_at_ += kDoubles) most_ *= 2;
    return opening_ >= most_;
  }
  Nanos grows_at() const { return grows_at_; }

 private:
  static constexpr std::uint64_t kFirst = 16, kMost = 1 << 20;
  static constexpr Nanos kDoubles{50'000'000};

  std::uint64_t opening_ = 0, most_ = kFirst;
  Nanos grows_at_;
};

}  // namespace thrum::load
