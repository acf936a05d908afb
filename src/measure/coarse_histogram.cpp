#include "measure/coarse_histogram.hpp"

#include <algorithm>
#include <bit>

#include "measure/quantile.hpp"

namespace thrum {
namespace {

constexpr std::size_t kDecades = 19;  // 1 ns to 10^18 ns and on
constexpr std::size_t kBounds = kDecades * CoarseHistogram::kPerDecade;

// In hundredths of a power of ten.
constexpr std::array<std::uint64_t, CoarseHistogram::kPerDecade> kSteps{100, 110, 120, 135, 150, 160, 180, 200, 220, 240, 260, 280,
                                                                        300, 340, 380, 420, 460, 500, 560, 620, 680, 750, 820, 910};

constexpr std::array<std::uint64_t, kBounds> make_bounds() {
  std::array<std::uint64_t, kBounds> out{};
  std::uint64_t power = 1;
  for (std::size_t d = 0; d < kDecades; ++d, power *= 10)
    for (std::size_t i = 0; i < kSteps.size(); ++i)
      out[d * kSteps.size() + i] = power >= 100 ? kSteps[i] * (power / 100) : (kSteps[i] * power + 99) / 100;
  return out;
}
constexpr std::array<std::uint64_t, kBounds> kBound = make_bounds();

// For the highest three bits of a value: how many bounds are at or below the smallest such value.
constexpr std::array<std::uint16_t, 64 * 4> make_first() {
  std::array<std::uint16_t, 64 * 4> out{};
  for (unsigned k = 0; k < 63; ++k)
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      const std::uint64_t value = k < 2 ? std::uint64_t{1} << k : (std::uint64_t{4} + quarter) << (k - 2);
      std::uint16_t n = 0;
      while (n < kBounds && kBound[n] <= value) ++n;
      out[k * 4 + quarter] = n;
    }
  return out;
}
constexpr std::array<std::uint16_t, 64 * 4> kFirst = make_first();

}  // namespace

std::span<const std::uint64_t> CoarseHistogram::bounds() { return kBound; }

std::size_t CoarseHistogram::bin_of(Nanos value) {
  if (value.count() <= 0) return 0;
  const auto v = static_cast<std::uint64_t>(value.count());
  const auto k = static_cast<unsigned>(std::bit_width(v)) - 1;
  const auto quarter = static_cast<unsigned>(k < 2 ? 0 : v >> (k - 2) & 3);
  std::size_t bin = kFirst[k * 4 + quarter];
  while (bin < kBounds && kBound[bin] <= v) ++bin;
  return bin;
}

void CoarseHistogram::count_in_bin(std::size_t bin, std::uint32_t times) {
  if (bin == 0) {
    below_ += times;
    return;
  }
  const std::size_t index = (bin - 1) / kPerDecade;
  auto at = decades_.begin();
  while (at != decades_.end() && at->index < index) ++at;
  if (at == decades_.end() || at->index != index) at = decades_.insert(at, Decade{index, {}});
  at->counts[(bin - 1) % kPerDecade] += times;
}

void CoarseHistogram::record(Nanos value) {
  const std::int64_t v = value.count();
  ++count_;
  sum_ += v;
  min_ = std::min(min_, v);
  max_ = std::max(max_, v);
  if (count_ <= kHeldExactly) {
    exact_.push_back(v);
    return;
  }
  for (const std::int64_t held : exact_) count_in_bin(bin_of(Nanos(held)), 1);
  std::vector<std::int64_t>().swap(exact_);
  count_in_bin(bin_of(value), 1);
}

void CoarseHistogram::merge(const CoarseHistogram& other) {
  if (other.count_ == 0) return;
  if (other.count_ <= kHeldExactly) {
    const std::vector<std::int64_t> theirs = other.exact_;  // `other` may be this
    for (const std::int64_t v : theirs) record(Nanos(v));
    return;
  }
  for (const std::int64_t held : exact_) count_in_bin(bin_of(Nanos(held)), 1);
  std::vector<std::int64_t>().swap(exact_);
  const std::vector<Decade> theirs = other.decades_;
  below_ += other.below_;
  for (const Decade& decade : theirs)
    for (std::size_t i = 0; i < kPerDecade; ++i)
      if (decade.counts[i] != 0) count_in_bin(decade.index * kPerDecade + i + 1, decade.counts[i]);
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Nanos CoarseHistogram::mean() const { return Nanos(count_ == 0 ? 0 : static_cast<std::int64_t>(sum_ / static_cast<__int128>(count_))); }

std::vector<std::uint64_t> CoarseHistogram::counts() const {
  std::vector<std::uint64_t> out(kBounds + 1);
  out[0] = below_;
  for (const Decade& decade : decades_)
    for (std::size_t i = 0; i < kPerDecade; ++i) out[decade.index * kPerDecade + i + 1] += decade.counts[i];
  for (const std::int64_t v : exact_) ++out[bin_of(Nanos(v))];
  return out;
}

Nanos CoarseHistogram::quantile(double q) const {
  if (count_ == 0) return Nanos(0);
  if (count_ <= kHeldExactly) {
    std::vector<std::int64_t> sorted = exact_;
    std::sort(sorted.begin(), sorted.end());
    return quantile_of(q, count_, Nanos(min_), Nanos(max_), [&](std::uint64_t rank) { return static_cast<double>(sorted[rank]); });
  }
  // The values of a bin are taken to lie evenly over what of it is within the extremes.
  const std::vector<std::uint64_t> all = counts();
  const auto value_of_rank = [&](std::uint64_t rank) {
    std::size_t bin = 0;
    while (rank >= all[bin]) rank -= all[bin++];
    const double lowest = static_cast<double>(min_), highest = static_cast<double>(max_);
    const double from = bin == 0 ? lowest : std::max(lowest, static_cast<double>(kBound[bin - 1]));
    const double to = bin == kBounds ? highest : std::min(highest, static_cast<double>(kBound[bin]));
    return from + (to - from) * (static_cast<double>(rank) + 0.5) / static_cast<double>(all[bin]);
  };
  return quantile_of(q, count_, Nanos(min_), Nanos(max_), value_of_rank);
}

}  // namespace thrum
