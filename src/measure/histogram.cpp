#include "thrum/histogram.hpp"

#include "measure/quantile.hpp"

namespace thrum {
namespace {

constexpr std::uint64_t kCarry = std::uint64_t{1} << 32;

std::uint64_t magnitude_of(std::int64_t v) { return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v); }

// The lowest magnitude of a bin and how many magnitudes it spans: the inverse of bin_of.
std::pair<std::uint64_t, std::uint64_t> span_of(std::uint32_t bin) {
  if (bin < 2048) return {bin, 1};
  const std::uint32_t shift = (bin >> 10) - 1;
  return {static_cast<std::uint64_t>((bin & 1023) + 1024) << shift, std::uint64_t{1} << shift};
}

Histogram::Bin limits_of(std::uint32_t bin, bool negative, std::uint64_t count) {
  const auto [low, width] = span_of(bin);
  const auto first = static_cast<std::int64_t>(low), last = static_cast<std::int64_t>(low + (width - 1));
  if (!negative) return {first, last, count};
  // -2^63 has no positive counterpart; its bin reaches no further.
  const std::int64_t lowest = low + (width - 1) >= std::uint64_t{1} << 63 ? std::numeric_limits<std::int64_t>::min() : -last;
  return {lowest, low == std::uint64_t{1} << 63 ? lowest : -first, count};
}

}  // namespace

Histogram::Histogram(const Histogram& other) { merge(other); }

Histogram& Histogram::operator=(const Histogram& other) {
  if (this != &other) *this = Histogram(other);
  return *this;
}

void Histogram::record_slowly(std::int64_t v) {
  if (!binned_) {
    if (exact_.size() < kHeldExactly) {
      exact_.push_back(v);
      return;
    }
    start_binning();
  }
  count_in_bin(v, 1);
}

void Histogram::count_in_bin(std::int64_t v, std::uint64_t times) { add_to_bin(v < 0, bin_of(magnitude_of(v)), times); }

void Histogram::add_to_bin(bool negative, std::uint32_t bin, std::uint64_t times) {
  if (negative && !negative_) negative_ = std::make_unique<Pages>();
  Page& page = (negative ? *negative_ : positive_)[bin / kPageBins];
  if (!page) page = std::make_unique<std::uint32_t[]>(kPageBins);
  std::uint32_t& counter = page[bin % kPageBins];
  const std::uint64_t total = counter + times;
  counter = static_cast<std::uint32_t>(total);
  for (std::uint64_t i = 0; i < total / kCarry; ++i) carry(bin, negative);
}

void Histogram::carry(std::uint32_t bin, bool negative) { carries_.emplace_back(bin, negative); }

void Histogram::start_binning() {
  binned_ = true;
  for (const std::int64_t v : exact_) count_in_bin(v, 1);
  std::vector<std::int64_t>().swap(exact_);
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  if (this == &other) return merge(Histogram(other));
  const bool fits = !binned_ && !other.binned_ && exact_.size() + other.exact_.size() <= kHeldExactly;
  if (fits) {
    exact_.insert(exact_.end(), other.exact_.begin(), other.exact_.end());
  } else {
    if (!binned_) start_binning();
    for (const std::int64_t v : other.exact_) count_in_bin(v, 1);
    for (const bool negative : {true, false}) {
      if (negative && !other.negative_) continue;
      const Pages& pages = negative ? *other.negative_ : other.positive_;
      for (std::uint32_t p = 0; p < kPages; ++p) {
        if (!pages[p]) continue;
        for (std::uint32_t i = 0; i < kPageBins; ++i)
          if (pages[p][i] != 0) add_to_bin(negative, p * kPageBins + i, pages[p][i]);
      }
    }
    carries_.insert(carries_.end(), other.carries_.begin(), other.carries_.end());
  }
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Nanos Histogram::mean() const {
  if (count_ == 0) return Nanos(0);
  return Nanos(static_cast<std::int64_t>(sum_ / static_cast<__int128>(count_)));
}

// Calls f(bin) for each bin that holds something, lowest values first, until it returns false.
template <class F>
void Histogram::each_bin(F&& f) const {
  const auto visit = [&](bool negative, std::uint32_t bin, std::uint32_t counter) {
    std::uint64_t count = counter;
    for (const auto& [b, n] : carries_)
      if (b == bin && n == negative) count += kCarry;
    return count == 0 || f(limits_of(bin, negative, count));
  };
  if (negative_)
    for (std::uint32_t p = kPages; p-- > 0;)
      if (const std::uint32_t* page = (*negative_)[p].get(); page != nullptr)
        for (std::uint32_t i = kPageBins; i-- > 0;)
          if (!visit(true, p * kPageBins + i, page[i])) return;
  for (std::uint32_t p = 0; p < kPages; ++p)
    if (const std::uint32_t* page = positive_[p].get(); page != nullptr)
      for (std::uint32_t i = 0; i < kPageBins; ++i)
        if (!visit(false, p * kPageBins + i, page[i])) return;
}

double Histogram::middle_of_rank(std::uint64_t rank) const {
  double middle = 0;
  each_bin([&](const Bin& bin) {
    middle = (static_cast<double>(bin.lowest) + static_cast<double>(bin.highest)) / 2;
    if (rank < bin.count) return false;
    rank -= bin.count;
    return true;
  });
  return middle;
}

Nanos Histogram::quantile(double q) const {
  if (count_ == 0) return Nanos(0);
  if (binned_) return quantile_of(q, count_, min(), max(), [&](std::uint64_t rank) { return middle_of_rank(rank); });
  std::vector<std::int64_t> sorted = exact_;
  return quantile_of(q, count_, min(), max(), [&](std::uint64_t rank) {
    const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(sorted.begin(), nth, sorted.end());
    return static_cast<double>(*nth);
  });
}

std::uint64_t Histogram::count_up_to(Nanos value) const {
  const std::int64_t v = value.count();
  if (count_ == 0 || v < min_) return 0;
  if (v >= max_) return count_;
  if (!binned_) return static_cast<std::uint64_t>(std::count_if(exact_.begin(), exact_.end(), [&](std::int64_t x) { return x <= v; }));
  std::uint64_t total = 0;
  each_bin([&](const Bin& bin) {
    if (bin.lowest > v) return false;
    total += bin.count;
    return true;
  });
  return total;
}

std::vector<Histogram::Bin> Histogram::bins() const {
  std::vector<Bin> out;
  if (binned_) {
    each_bin([&](const Bin& bin) {
      out.push_back(bin);
      return true;
    });
    return out;
  }
  std::vector<std::int64_t> sorted = exact_;
  std::sort(sorted.begin(), sorted.end());
  for (const std::int64_t v : sorted) {
    if (out.empty() || out.back().lowest != v) out.push_back({v, v, 0});
    ++out.back().count;
  }
  return out;
}

std::size_t Histogram::memory() const {
  const auto pages = [](const Pages& p) {
    return static_cast<std::size_t>(std::count_if(p.begin(), p.end(), [](const Page& page) { return page != nullptr; }));
  };
  const std::size_t held = pages(positive_) + (negative_ ? pages(*negative_) : 0);
  return held * kPageBins * sizeof(std::uint32_t) + exact_.capacity() * sizeof(std::int64_t) + (negative_ ? sizeof(Pages) : 0) +
         carries_.capacity() * sizeof(carries_[0]);
}

}  // namespace thrum
