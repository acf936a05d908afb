#include "load/pacer.hpp"

#include <algorithm>
#include <cmath>

namespace thrum::load {

Pacer::Pacer(const Shape& shape, CatchUp catch_up, std::uint64_t total, Slice slice)
    : shape_(shape), catch_up_(catch_up), total_(total), slice_(slice), next_(slice.shard) {
  if (!is_over()) next_due_ = shape_.due(next_);
}

void Pacer::advance() {
  next_ += slice_.shards;
  if (!is_over()) next_due_ = shape_.due(next_);
}

std::optional<Due> Pacer::take(Nanos t) {
  if (catch_up_.mode == CatchUp::Mode::none) {
    // "Too late" is a whole slot of the shard, but never less than what a timer may be off.
    while (!is_over() && next_due_ < t) {
      const Nanos slot = shape_.due(next_ + slice_.shards) - next_due_;
      if (t - next_due_ <= std::max(slot, kTolerance)) break;
      ++missed_;
      advance();
    }
  }
  if (is_over() || next_due_ > t) return std::nullopt;
  if (catch_up_.mode == CatchUp::Mode::percent) {
    if (earliest_ > t) return std::nullopt;
    if (is_behind(t)) {
      const double slot = static_cast<double>(slice_.shards) * 1e9 / shape_.rate_at(t);
      // Spaced from when this one was allowed, not from when it was taken: a late wake doesn't lower the rate.
      const Nanos from = t - earliest_ > kTolerance ? t : std::max(earliest_, next_due_);
      earliest_ = from + Nanos(static_cast<std::int64_t>(std::ceil(slot * 100 / catch_up_.percent)));
    }
  }
  const Due due{next_, next_due_};
  ++taken_;
  advance();
  return due;
}

Nanos Pacer::next_at() const {
  if (is_over()) return Nanos::max();
  return catch_up_.mode == CatchUp::Mode::percent ? std::max(next_due_, earliest_) : next_due_;
}

void Pacer::end_at(Nanos t) { total_ = std::min(total_, shape_.hits_before(t)); }

void Pacer::abandon() {
  while (!is_over()) {
    // All at once: a backlog may be millions.
    const std::uint64_t left = (total_ - next_ + slice_.shards - 1) / slice_.shards;
    missed_ += left;
    next_ += left * slice_.shards;
  }
}

std::uint64_t Pacer::own_before(std::uint64_t hits) const {
  return hits <= slice_.shard ? 0 : (hits - slice_.shard + slice_.shards - 1) / slice_.shards;
}

std::uint64_t Pacer::scheduled_before(Nanos t) const { return own_before(std::min(total_, shape_.hits_before(t))); }

}  // namespace thrum::load
