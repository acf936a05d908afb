// The rate over an attack's time, as it came to be: the shape that it began with, and what was changed while it went on. Hit n is due
// where the integral of all that reaches n, so that neither a change nor a pause loses or adds a hit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thrum/shape.hpp"

namespace thrum::load {

// Longer than any attack, and still short enough that sums of such times fit.
inline constexpr Nanos kForEver = std::chrono::hours(24 * 365 * 100);

// What somebody asks of an attack that goes on. `at` is from the attack's start, not before the change before it.
struct Change {
  enum class Kind : std::uint8_t { rate, pause, resume, shards, workers };
  Kind kind = Kind::rate;
  Nanos at{0};
  std::optional<Shape> shape = {};  // of `rate`: an open one, which begins at `at`
  std::uint64_t from = 0;           // of `shards`: the first hit that is dealt to another number of them
  std::uint32_t shards = 0;
  std::uint64_t workers = 0;  // of `workers`; no matter of the schedule
};

class Schedule {
 public:
  // Begins at `start`; no hit is due at or after `end`, however long the shape is.
  Schedule(Shape shape, Nanos end = Nanos::max(), Nanos start = Nanos(0));

  // A new rate keeps to the end that was planned, unless it ends by itself before. In a pause it is what goes on afterwards.
  // A pause stops the clock: the shape goes on where it was, and the end moves back.
  void apply(const Change& change);

  // Arrivals stay as they began: at random, or evenly.
  bool is_random() const { return stretches_.front().shape.is_random(); }
  bool is_paused() const { return stretches_.back().is_paused; }
  // When sending is over; Nanos::max() while that can't be said.
  Nanos end() const { return end_; }
  // Nanos::max(): not before the end of the shape, or of the pause.
  Nanos due(std::uint64_t n) const;
  Nanos due_when(long double hits) const;
  std::uint64_t hits_before(Nanos t) const;
  double rate_at(Nanos t) const;
  double peak() const;

 private:
  // From `start` on, `shape` from its time `into` on.
  struct Stretch {
    Nanos start;
    Shape shape;
    Nanos into;
    long double before;  // hits counted when it begins
    long double offset;  // the same by the shape's own count
    bool is_paused;
  };

  void go_on(Nanos at, Shape shape, Nanos into);
  long double counted(const Stretch& s, Nanos t) const;
  Nanos due_in(const Stretch& s, long double hits) const;
  const Stretch& at_time(Nanos t) const;

  std::vector<Stretch> stretches_;  // not empty
  Nanos planned_end_;               // without what the shape says
  Nanos end_;
};

}  // namespace thrum::load
