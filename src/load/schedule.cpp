#include "load/schedule.hpp"

#include <algorithm>
#include <utility>

namespace thrum::load {
namespace {

Nanos later(Nanos t, Nanos by) { return t >= Nanos::max() - by ? Nanos::max() : t + by; }

}  // namespace

Schedule::Schedule(Shape shape, Nanos end, Nanos start) : planned_end_(end), end_(end) { go_on(start, std::move(shape), Nanos(0)); }

void Schedule::go_on(Nanos at, Shape shape, Nanos into) {
  const long double before = stretches_.empty() ? 0 : counted(stretches_.back(), at);
  const long double offset = shape.expected(into);
  const auto length = shape.length();
  end_ = length ? std::min(planned_end_, later(at, *length - into)) : planned_end_;
  stretches_.push_back({at, std::move(shape), into, before, offset, false});
}

void Schedule::apply(const Change& change) {
  Stretch& last = stretches_.back();
  const Nanos at = std::max(change.at, last.start);
  switch (change.kind) {
    case Change::Kind::rate:
      if (last.is_paused) {
        last.shape = *change.shape;
        last.into = Nanos(0);
      } else {
        go_on(at, *change.shape, Nanos(0));
      }
      break;
    case Change::Kind::workers:
      return;
    case Change::Kind::pause:
      if (last.is_paused) break;
      stretches_.push_back({at, last.shape, last.into + (at - last.start), counted(last, at), 0, true});
      end_ = Nanos::max();
      break;
    case Change::Kind::resume:
      if (!last.is_paused) break;
      planned_end_ = later(planned_end_, at - last.start);
      go_on(at, last.shape, last.into);
      break;
    case Change::Kind::shards:  // who sends is no matter of when
      break;
  }
}

// How many are expected before t, which is in s.
long double Schedule::counted(const Stretch& s, Nanos t) const {
  return s.is_paused ? s.before : s.before + s.shape.expected(s.into + (t - s.start)) - s.offset;
}

Nanos Schedule::due_in(const Stretch& s, long double hits) const {
  if (s.is_paused) return Nanos::max();
  const Nanos at = s.shape.due_when(std::max(0.0L, hits - s.before + s.offset));
  return at == Nanos::max() ? at : later(s.start, std::max(Nanos(0), at - s.into));
}

Nanos Schedule::due(std::uint64_t n) const {
  if (stretches_.size() > 1) return due_when(static_cast<long double>(n));
  const Stretch& only = stretches_.front();
  const Nanos at = only.shape.due(n);
  return at == Nanos::max() ? at : later(only.start, at);
}

Nanos Schedule::due_when(long double hits) const {
  const auto after = std::ranges::upper_bound(stretches_, hits, {}, &Stretch::before);
  return due_in(after == stretches_.begin() ? stretches_.front() : *std::prev(after), hits);
}

std::uint64_t Schedule::hits_before(Nanos t) const {
  const Stretch& s = at_time(t);
  if (stretches_.size() == 1) return s.shape.hits_before(std::min(t, kForEver) - s.start);
  const long double expected = counted(s, std::min(t, kForEver));
  auto n = static_cast<std::uint64_t>(std::max(0.0L, expected));
  while (n > 0 && due(n - 1) >= t) --n;  // what rounding left, one or none
  while (due(n) < t) ++n;
  return n;
}

double Schedule::rate_at(Nanos t) const {
  const Stretch& s = at_time(t);
  return s.is_paused ? 0 : s.shape.rate_at(s.into + (t - s.start));
}

double Schedule::peak() const {
  double highest = 0;
  for (const Stretch& s : stretches_) highest = std::max(highest, s.shape.peak());
  return highest;
}

const Schedule::Stretch& Schedule::at_time(Nanos t) const {
  const auto after = std::ranges::upper_bound(stretches_, t, {}, &Stretch::start);
  return after == stretches_.begin() ? stretches_.front() : *std::prev(after);
}

}  // namespace thrum::load
