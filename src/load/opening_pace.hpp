// When a shard may open a connection for a hit that is due, in time that is handed in.
//
// Opening costs ten times what a request on a kept connection costs, on both sides. Without a brake, a moment's delay makes a
// shard open connections instead of using those it has, which delays it more, until it does nothing else. So:
// - what has come in is read first, since that frees connections; only when there is nothing to read are connections opened, a
//   few at a time;
// - while hits are late although responses keep coming, new connections come at a bounded pace, after a burst: a stall of a
//   moment is made up for on the connections that there are. A target that does not answer, or that has made hits this late
//   for longer than such a stall, gets one connection per hit without a brake: that is what an open model is for.
#pragma once

#include <algorithm>

#include "load/pacer.hpp"

namespace thrum::load {

class OpeningPace {
 public:
  explicit OpeningPace(Nanos begin = Nanos(0)) : refilled_(begin), last_answer_(begin - std::chrono::seconds(1)) {}

  // After a look at what has come in, which found `events`.
  void looked(int events) { may_open_ = events == 0 ? kPerLook : 0; }
  void answered(Nanos t) { last_answer_ = t; }

  // Whether a connection may be opened at t for a hit that is `late`; if so, it is counted as opened.
  bool take(Nanos t, Nanos late) {
    tokens_ = std::min(kBurst, tokens_ + static_cast<double>((t - refilled_).count()) * kPerNano);
    refilled_ = t;
    if (late <= Pacer::kTolerance) is_released_ = false;
    if (late >= kStall) is_released_ = true;
    is_braking_ = late > Pacer::kTolerance && !is_released_ && t - last_answer_ < kSilence;
    // A token in hand lets one through even when there always is something to read.
    if (is_braking_ ? tokens_ < 1 : may_open_ == 0) return false;
    tokens_ = std::max(0.0, tokens_ - 1);
    may_open_ = std::max(0, may_open_ - 1);
    return true;
  }
  // Whether the last refusal was for the sake of pace, not for a look at what has come in.
  bool is_braking() const { return is_braking_; }
  // When it is worth asking again, if nothing happens before.
  Nanos again_at(Nanos t) const { return tokens_ < 1 && !is_released_ && t - last_answer_ < kSilence ? t + kSilence / 20 : t; }

 private:
  static constexpr int kPerLook = 8;
  static constexpr Nanos kSilence{20'000'000};
  static constexpr Nanos kStall{100'000'000};
  static constexpr double kBurst = 128;
  static constexpr double kPerNano = 1000.0 / 1e9;  // a thousand a second

  bool is_braking_ = false;
  bool is_released_ = false;  // hits were later than a stall makes them, and are not on time again yet
  int may_open_ = 0;
  double tokens_ = kBurst;
  Nanos refilled_;
  Nanos last_answer_;
};

}  // namespace thrum::load
