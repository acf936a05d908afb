#include "measure/timeline.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

// Bins in pairs become one: twice the time in the same memory.
void Timeline::halve() {
  ++shift_;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const Bin bin = std::exchange(bins_[i], Bin{});
    bins_[i / 2].count += bin.count;
    bins_[i / 2].latency_sum += bin.latency_sum;
  }
  bins_.resize((bins_.size() + 1) / 2);
}

void Timeline::make_room_for(Timestamp sent) {
  constexpr int kWidest = 53;  // 1,024 such bins hold the 292 years that an offset can say
  if (count_ == 0 && bins_.empty()) origin_ = sent;
  // Before the origin: it moves back by whole bins, with as many to spare as there are, so that it rarely moves again.
  while (sent.before(origin_)) {
    const std::int64_t back = origin_.since(sent).count();
    const std::uint64_t missing = (static_cast<std::uint64_t>(back) >> shift_) + 1;
    const std::uint64_t spare = std::min<std::uint64_t>(missing + 16, kBins - std::min(kBins, bins_.size()));
    if (missing <= spare) {
      bins_.insert(bins_.begin(), spare, Bin{});
      origin_ = origin_.plus(Nanos(-static_cast<std::int64_t>(spare << shift_)));
    } else if (shift_ < kWidest) {
      halve();
    } else {
      return;
    }
  }
  while (true) {
    const std::uint64_t bin = static_cast<std::uint64_t>(sent.since(origin_).count()) >> shift_;
    if (bin < bins_.size()) return;
    if (bin < kBins) return bins_.resize(std::min<std::size_t>(kBins, bin + bin / 2 + 16));
    if (shift_ >= kWidest) return;
    halve();
  }
}

void Timeline::add_slowly(Timestamp sent, Nanos latency) {
  make_room_for(sent);
  const std::int64_t offset = std::max<std::int64_t>(0, sent.since(origin_).count());
  const std::size_t bin = std::min<std::size_t>(static_cast<std::uint64_t>(offset) >> shift_, bins_.size() - 1);
  put(bins_[bin], 1, static_cast<double>(latency.count()));
}

void Timeline::merge(const Timeline& other) {
  for (std::size_t i = 0; i < other.bins_.size(); ++i) {
    const Bin& from = other.bins_[i];
    if (from.count == 0) continue;
    const Timestamp at = other.start_of(i);
    make_room_for(at);
    const std::int64_t offset = std::max<std::int64_t>(0, at.since(origin_).count());
    put(bins_[std::min<std::size_t>(static_cast<std::uint64_t>(offset) >> shift_, bins_.size() - 1)], from.count, from.latency_sum);
  }
}

Timeline::Quarters Timeline::quarters(Timestamp from, Timestamp to) const {
  Quarters out;
  const Nanos quarter = to.since(from) / 4;
  const Timestamp first_end = from.plus(quarter), last_start = to.plus(-quarter);
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const Timestamp middle = start_of(i).plus(Nanos(std::int64_t{1} << (shift_ - 1)));
    if (middle.before(first_end)) {
      out.first += bins_[i].latency_sum;
      out.first_count += bins_[i].count;
    } else if (!middle.before(last_start)) {
      out.last += bins_[i].latency_sum;
      out.last_count += bins_[i].count;
    }
  }
  if (out.first_count > 0) out.first /= static_cast<double>(out.first_count);
  if (out.last_count > 0) out.last /= static_cast<double>(out.last_count);
  return out;
}

}  // namespace thrum
