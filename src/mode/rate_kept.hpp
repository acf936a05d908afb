// Whether a run kept the rate that it was asked for, as -strict-rate understands it.
#pragma once

#include "thrum/attacker.hpp"

namespace thrum::mode {

inline constexpr std::uint64_t kMissedTolerance = 100;  // one missed hit in a hundred is worth a word

inline bool missed_many(const Books& books) { return books.missed * kMissedTolerance > books.scheduled; }

// A cap of ours that held hits back counts though all were sent in the end. A machine that was late now and then does not:
// when it can't keep up, hits are missed.
inline bool kept_rate(const Summary& summary) {
  const bool was_capped =
      summary.limit != Limit::none && summary.limit != Limit::cpu && summary.limit != Limit::target && summary.limit != Limit::network;
  return !was_capped && !missed_many(summary.books);
}

}  // namespace thrum::mode
