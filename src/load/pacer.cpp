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
  while (!is_over() && is_too_late({next_, next_due_}, t)) {
    ++missed_;
    advance();
  }
  if (is_over() || next_due_ > t || earliest_ > t) return std::nullopt;
  const Due due{next_, next_due_};
  earliest_before_ = earliest_;
  catch_up_by(due, t);
  ++taken_;
  advance();
  return due;
}

Pacer::Late Pacer::leave_late(const Due& due, Nanos t) {
  if (is_too_late(due, t)) return Late::missed;
  if (earliest_ > t) return Late::waits;
  catch_up_by(due, t);
  return Late::leaves;
}

// "Too late" is a whole slot of the shard, but never less than what a timer may be off.
bool Pacer::is_too_late(const Due& due, Nanos t) const {
  if (catch_up_.mode != CatchUp::Mode::none || t - due.at <= kTolerance) return false;
  return t - due.at > shape_.due(due.hit + slice_.shards) - due.at;
}

// By percent, the next one that is late keeps its distance from this one.
void Pacer::catch_up_by(const Due& due, Nanos t) {
  if (catch_up_.mode != CatchUp::Mode::percent || t - due.at <= kTolerance) return;
  const double slot = static_cast<double>(slice_.shards) * 1e9 / shape_.rate_at(t);
  const double distance = std::min(std::ceil(slot * 100 / catch_up_.percent), static_cast<double>(kForEver.count()));
  // Spaced from when this one was allowed, not from when it was taken: a late wake doesn't lower the rate.
  const Nanos from = t - earliest_ > kTolerance ? t : std::max(earliest_, due.at);
  earliest_ = from + Nanos(static_cast<std::int64_t>(distance));
}

Nanos Pacer::next_at() const { return is_over() ? Nanos::max() : std::max(next_due_, earliest_); }

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
