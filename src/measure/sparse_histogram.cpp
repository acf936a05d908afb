#include "measure/sparse_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/quantile.hpp"
#include "thrum/histogram.hpp"

namespace thrum {
namespace {

std::uint64_t magnitude_of(std::int64_t v) { return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v); }

// The lowest magnitude of a bin of Histogram's.
double start_of(std::uint32_t bin) {
  if (bin < 2048) return bin;
  return std::ldexp(static_cast<double>((bin & 1023) + 1024), static_cast<int>(bin >> 10) - 1);
}

}  // namespace

std::int32_t SparseHistogram::number_of(std::int64_t value) const {
  const auto number = static_cast<std::int32_t>(Histogram::bin_of(magnitude_of(value)) >> steps_);
  return value < 0 ? ~number : number;
}

void SparseHistogram::record(Nanos value) {
  const std::int64_t v = value.count();
  ++count_;
  sum_ += v;
  min_ = std::min(min_, v);
  max_ = std::max(max_, v);
  fresh_.push_back(v);
  // Sorting them in costs as much as there are bins: seldom, then.
  if (fresh_.size() > std::max(kHeldExactly, bins_.size() / 2)) fold();
}

std::vector<SparseHistogram::Bin> SparseHistogram::binned() const {
  std::vector<std::int32_t> numbers;
  numbers.reserve(fresh_.size());
  for (const std::int64_t v : fresh_) numbers.push_back(number_of(v));
  std::sort(numbers.begin(), numbers.end());
  std::vector<Bin> out;
  out.reserve(bins_.size() + numbers.size());
  const auto put = [&](Bin bin) {
    if (out.empty() || out.back().number != bin.number)
      out.push_back(bin);
    else
      out.back().count += bin.count;
  };
  auto old = bins_.begin();
  for (const std::int32_t number : numbers) {
    while (old != bins_.end() && old->number <= number) put(*old++);
    put({number, 1});
  }
  while (old != bins_.end()) put(*old++);
  out.shrink_to_fit();
  return out;
}

void SparseHistogram::coarsen(unsigned steps) {
  steps = std::min(steps, kCoarsest);
  if (steps <= steps_) return;
  fold();
  std::vector<std::int64_t>().swap(fresh_);
  const unsigned more = steps - steps_;
  std::vector<Bin> wider;
  for (const Bin& bin : bins_) {
    const std::int32_t number = bin.number >> more;  // rounds down: right for complements, too
    if (wider.empty() || wider.back().number != number) wider.push_back({number, 0});
    wider.back().count += bin.count;
  }
  wider.shrink_to_fit();
  bins_ = std::move(wider);
  steps_ = steps;
}

Nanos SparseHistogram::quantile(double q) const {
  if (count_ == 0) return Nanos(0);
  if (bins_.empty()) {
    std::vector<std::int64_t> sorted = fresh_;
    std::sort(sorted.begin(), sorted.end());
    return quantile_of(q, count_, min(), max(), [&](std::uint64_t rank) { return static_cast<double>(sorted[rank]); });
  }
  const std::vector<Bin> all = binned();
  const auto lowest = static_cast<double>(min_), highest = static_cast<double>(max_);
  return quantile_of(q, count_, min(), max(), [&](std::uint64_t rank) {
    std::size_t i = 0;
    while (rank >= all[i].count) rank -= all[i++].count;
    const bool is_negative = all[i].number < 0;
    const auto number = static_cast<std::uint32_t>(is_negative ? ~all[i].number : all[i].number);
    double from = start_of(number << steps_), to = start_of((number + 1) << steps_);
    if (to - from <= 1) to = from;  // a bin of one value
    if (is_negative) from = -std::exchange(to, -from);
    from = std::max(from, lowest), to = std::min(to, highest);
    return from + (to - from) * (static_cast<double>(rank) + 0.5) / static_cast<double>(all[i].count);
  });
}

}  // namespace thrum
