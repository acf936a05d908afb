// How a shard waits for the next due hit: it sleeps until shortly before, then spins. The width of the spin follows what the
// machine's sleeps overshoot by, and the CPU it may burn is bounded, so that at high rates it fades out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "thrum/result.hpp"

namespace thrum::load {

class Sleeper {
 public:
  // `fixed`: always spin for this long (0: never); none: adaptive.
  explicit Sleeper(std::optional<Nanos> fixed) : fixed_(fixed) {}

  // How long before `due` to wake at time t. Called once per sleep.
  Nanos width(Nanos t) {
    if (fixed_) return *fixed_;
    tokens_ = std::min(kMostSaved, tokens_ + static_cast<double>((t - refilled_).count()) * kShare);
    refilled_ = t;
    const double wanted = overshoot_ + kMargin;
    if (wanted > kWidest || tokens_ < wanted) return Nanos(0);
    return Nanos(static_cast<std::int64_t>(wanted));
  }
  // A sleep meant to end at `until` ended at `t`.
  void slept(Nanos until, Nanos t) {
    const double over = static_cast<double>(std::max<std::int64_t>(0, (t - until).count()));
    // A running 90th percentile: up nine steps for each above, down one for each below.
    const double step = std::max(500.0, overshoot_ / 32);
    overshoot_ = std::max(0.0, overshoot_ + (over > overshoot_ ? step * 0.9 : -step * 0.1));
  }
  void spun(Nanos spent) {
    tokens_ -= static_cast<double>(spent.count());
    total_ += spent;
  }
  Nanos total_spun() const { return total_; }

 private:
  static constexpr double kShare = 0.10;           // of one core
  static constexpr double kMostSaved = 5'000'000;  // ns of spinning in hand after a quiet time
  static constexpr double kMargin = 5'000;         // ns
  static constexpr double kWidest = 500'000;       // ns: a machine that oversleeps by more is not helped by spinning

  std::optional<Nanos> fixed_;
  double overshoot_ = 50'000;
  double tokens_ = 1'000'000;
  Nanos refilled_{0};
  Nanos total_{0};
};

}  // namespace thrum::load
