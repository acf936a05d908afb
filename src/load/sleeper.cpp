#include "load/sleeper.hpp"

#include <bit>
#include <utility>

namespace thrum::load {
namespace {

// Bin k begins at its lower edge; below 8 ns each has its own.
std::size_t bin_of(std::uint64_t ns) {
  if (ns < 8) return ns;
  const auto octave = static_cast<std::size_t>(std::bit_width(ns)) - 4;
  return 8 * octave + static_cast<std::size_t>(ns >> octave);
}

std::uint64_t end_of(std::size_t bin) {
  if (bin < 8) return bin + 1;
  const std::size_t octave = bin / 8 - 1;
  return static_cast<std::uint64_t>(bin % 8 + 9) << octave;
}

// A hit whose sleep overshoots the spin leaves late. The first level keeps a schedule's 99th percentile on time; the others are for
// rates that leave too little time between hits to pay for it.
constexpr double kLevels[] = {0.997, 0.97, 0.9};
// A width that costs more is used for as many hits as it can be paid for; when that would be fewer than half of them, for none.
constexpr double kDearest = 2;

}  // namespace

void Sleeper::slept(Nanos until, Nanos t) {
  if (fixed_) return;
  const auto over = static_cast<std::uint64_t>(std::max<std::int64_t>(0, (t - until).count()));
  ++windows_[0][std::min(bin_of(over), kBins - 1)];
  ++since_fit_;
  if (++in_window_ == kWindow) {
    std::swap(windows_[0], windows_[1]);
    windows_[0].fill(0);
    in_older_ = std::exchange(in_window_, 0);
  }
  if (since_fit_ >= std::min<std::uint32_t>(64, std::max<std::uint32_t>(8, (in_window_ + in_older_) / 2))) fit(t);
}

void Sleeper::fit(Nanos t) {
  const double earned = static_cast<double>((t - fitted_at_).count()) / since_fit_ * kShare;
  since_fit_ = 0;
  fitted_at_ = t;
  width_ = Nanos(0);
  for (const double level : kLevels) {
    const Nanos overshoot = overshoot_of(level);
    const Nanos wanted = overshoot + overshoot / 8 + kMargin;
    const double cost = cost_of(wanted);
    if (wanted > kWidest || cost > kDearest * earned) continue;
    width_ = wanted;
    if (cost <= earned) break;
  }
}

Nanos Sleeper::overshoot_of(double level) const {
  const auto sleeps = in_window_ + in_older_;
  const auto most_above = static_cast<std::uint32_t>(sleeps * (1 - level));
  std::uint32_t above = 0;
  std::size_t bin = kBins;
  while (bin > 0 && above + count_in(bin - 1) <= most_above) above += count_in(--bin);
  return Nanos(static_cast<std::int64_t>(bin == 0 ? 0 : end_of(bin - 1)));
}

double Sleeper::cost_of(Nanos width) const {
  double sum = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    sum += count_in(bin) * std::max(0.0, static_cast<double>(width.count()) - static_cast<double>(end_of(bin)));
  }
  return sum / (in_window_ + in_older_);
}

}  // namespace thrum::load
