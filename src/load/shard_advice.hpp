// How many sending threads an attack should have, where nobody says: one more when those it has are at their limit and cores stand idle;
// and one less again, if it brought nothing. In time that is handed in, so that it can be tested without threads.
#pragma once

#include <cstdint>
#include <optional>

#include "thrum/result.hpp"

namespace thrum::load {

class ShardAdvice {
 public:
  ShardAdvice(std::uint32_t shards, std::uint32_t most) : shards_(shards), most_(most) {}

  struct Seen {
    double busiest = 0;      // of the shards that send: (CPU - spin) / wall of the last second or so, 0 … 1
    std::uint64_t sent = 0;  // hits so far
    double idle_cores = 0;   // of the machine, of the last tenth of a second or longer
  };
  // About ten times a second; how many there should be from now on.
  std::uint32_t look(Nanos t, const Seen& seen);
  // Nothing is sent for a while, and not for want of threads: what was seen before says nothing any more.
  void pause();

 private:
  static constexpr double kAtLimit = 0.95, kFree = 0.5, kGain = 1.05;
  static constexpr Nanos kWatched{1'000'000'000};  // how long a shard has to be at its limit, and over how long a rate is measured
  static constexpr Nanos kSettling{500'000'000};   // after a shard has joined
  static constexpr Nanos kFirstPause{30'000'000'000};

  double rate_since_mark(Nanos t, std::uint64_t sent) const;
  void mark(Nanos t, std::uint64_t sent);
  std::uint32_t judge(Nanos t, const Seen& seen);

  std::uint32_t shards_;
  const std::uint32_t most_;
  std::optional<Nanos> limited_since_;
  Nanos mark_{0};
  std::uint64_t sent_at_mark_ = 0;
  bool is_on_trial_ = false, is_settled_ = false;
  double rate_before_ = 0;
  Nanos not_before_{0};
  Nanos pause_ = kFirstPause;  // before another trial, after one that brought nothing
};

}  // namespace thrum::load
