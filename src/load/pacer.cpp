#include "load/pacer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thrum::load {

Pacer::Pacer(Schedule schedule, CatchUp catch_up, std::uint64_t total, Slice slice, std::uint64_t seed)
    : arrivals_(std::move(schedule), seed),
      catch_up_(catch_up),
      most_(total),
      total_(total),
      end_(arrivals_.schedule().end()),
      share_(slice),
      next_(share_.next(0)) {
  look_at_next();
}

void Pacer::look_at_next() {
  if (is_over()) return;
  if (next_ == Share::kNone) return;
  next_due_ = std::max(next_due_, arrivals_.due(next_));
  const bool may_yet_be_due = arrivals_.schedule().is_paused() && end_ == Nanos::max();
  if (!may_yet_be_due && (next_due_ >= end_ || next_due_ == Nanos::max())) total_ = next_;
}

void Pacer::advance() {
  mark_ = arrivals_.mark();
  next_ = share_.following(next_);
  look_at_next();
}

void Pacer::draw_up_to(std::uint64_t n) {
  if (n == 0 || !arrivals_.is_random() || has_share()) return;
  arrivals_.due(n - 1);
  mark_ = arrivals_.mark();
}

// Of hits before `from` none changes hands: the next one stays what it is, unless it was to be one of the others.
void Pacer::divide(std::uint64_t from, std::uint32_t shards) {
  share_.divide(from, shards);
  if (next_ < from) return;
  arrivals_.go_back(mark_);
  next_ = share_.next(from);
  total_ = most_;
  next_due_ = last_due_;
  look_at_next();
}

void Pacer::apply(const Change& change) {
  if (change.kind == Change::Kind::shards) return divide(change.from, change.shards);
  arrivals_.apply(change);
  end_ = arrivals_.schedule().end();
  total_ = most_;
  next_due_ = last_due_;
  earliest_ = std::min(earliest_, std::max(last_due_, change.at));  // it was spaced by a rate that is no more
  look_at_next();
}

std::optional<Due> Pacer::take(Nanos t, std::uint64_t open) {
  while (!is_over() && next_ < open && is_too_late({next_, next_due_}, t)) {
    ++missed_;
    advance();
  }
  if (is_over() || next_ >= open || next_due_ > t || earliest_ > t) return std::nullopt;
  const Due due{next_, next_due_};
  earliest_before_ = earliest_;
  catch_up_by(due, t);
  ++taken_;
  last_due_ = next_due_;
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
  if (arrivals_.is_random()) return static_cast<double>((t - due.at).count()) > slot_at(due.at);
  return t > arrivals_.schedule().due(due.hit + share_.shards());
}

// The time between two hits of this shard, by the rate at t; where that is 0 (a ramp's foot), by the highest.
double Pacer::slot_at(Nanos t) const {
  const Schedule& schedule = arrivals_.schedule();
  const double rate = schedule.rate_at(t);
  return static_cast<double>(share_.shards()) * 1e9 / (rate > 0 ? rate : schedule.peak());
}

// By percent, the next one that is late keeps its distance from this one.
void Pacer::catch_up_by(const Due& due, Nanos t) {
  if (catch_up_.mode != CatchUp::Mode::percent || t - due.at <= kTolerance) return;
  const double distance = std::min(std::ceil(slot_at(due.at) * 100 / catch_up_.percent), static_cast<double>(kForEver.count()));
  // Spaced from when this one was allowed, not from when it was taken: a late wake doesn't lower the rate.
  const Nanos from = t - earliest_ > kTolerance ? t : std::max(earliest_, due.at);
  earliest_ = from + Nanos(static_cast<std::int64_t>(distance));
}

Nanos Pacer::next_at() const { return is_over() ? Nanos::max() : std::max(next_due_, earliest_); }

void Pacer::end_at(Nanos t) {
  end_ = std::min(end_, t);
  if (!is_over()) total_ = std::min(total_, arrivals_.due_before(t, next_));
}

void Pacer::abandon() {
  if (end_ != Nanos::max()) end_at(end_);  // what is due at it or later was never scheduled
  if (is_over()) return;
  missed_ += share_.before(total_) - share_.before(next_);  // all at once: a backlog may be millions
  next_ = share_.next(total_);
}

std::uint64_t Pacer::scheduled_before(Nanos t) const {
  if (next_ == Share::kNone) return share_.before(total_);
  return share_.before(std::min(total_, arrivals_.due_before(t, next_)));
}

}  // namespace thrum::load
