// How a shard waits for the next due hit: it sleeps until shortly before, then spins. The width of the spin follows what the
// machine's sleeps overshoot by, and the CPU it may burn is bounded, so that at high rates it fades out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "thrum/result.hpp"

namespace thrum::load {

class Sleeper {
 public:
  // `fixed`: always spin for this long (0: never); none: adaptive.
  explicit Sleeper(std::optional<Nanos> fixed, Nanos begin = Nanos(0)) : fixed_(fixed), refilled_(begin), fitted_at_(begin) {}

  // How long before a hit to wake, at time t, when it is due in `left`. Called once per sleep.
  Nanos width(Nanos t, Nanos left = Nanos(0)) {
    if (fixed_) return *fixed_;
    tokens_ = std::min(kMostSaved, tokens_ + static_cast<double>((t - refilled_).count()) * kShare);
    refilled_ = t;
    // A long sleep is seldom, and can be paid for whatever those before it were like: an idle core may wake late by milliseconds.
    if (const Nanos rare = std::min(kRare, left / kRareShare); rare > width_ && tokens_ >= static_cast<double>(rare.count())) return rare;
    return tokens_ < static_cast<double>(width_.count()) ? Nanos(0) : width_;
  }
  // A sleep meant to end at `until` ended at `t`.
  void slept(Nanos until, Nanos t);
  void spun(Nanos spent) {
    tokens_ -= static_cast<double>(spent.count());
    total_ += spent;
  }
  Nanos total_spun() const { return total_; }

 private:
  // How often sleeps overshot by how much: eight bins to an octave. Two windows, so that what a machine did long ago is forgotten.
  static constexpr std::size_t kBins = 160;
  static constexpr std::uint32_t kWindow = 1024;
  using Window = std::array<std::uint16_t, kBins>;

  void fit(Nanos t);
  std::uint32_t count_in(std::size_t bin) const { return windows_[0][bin] + windows_[1][bin]; }
  Nanos overshoot_of(double level) const;  // what so many sleeps stay below
  double cost_of(Nanos width) const;       // ns of spinning, the mean over the windows' sleeps

  static constexpr double kShare = 0.10;           // of one core
  static constexpr double kMostSaved = 5'000'000;  // ns of spinning in hand after a quiet time
  static constexpr Nanos kMargin{5'000};
  static constexpr Nanos kRare{4'000'000};
  static constexpr int kRareShare = 50;     // of the sleep
  static constexpr Nanos kWidest{500'000};  // a machine that oversleeps by more is not helped by spinning

  std::optional<Nanos> fixed_;
  Nanos width_{100'000};
  double tokens_ = 1'000'000;
  Nanos refilled_;
  Nanos total_{0};
  std::array<Window, 2> windows_{};
  std::uint32_t in_window_ = 0, in_older_ = 0;
  std::uint32_t since_fit_ = 0;
  Nanos fitted_at_;
};

}  // namespace thrum::load
