// Room load: the generator. It decides when a hit leaves, sends it, and says what came of it. It must not know files,
// formats or terminals: targets come through TargetSource, results go through ResultSink.
//
// Pacer: one shard's walk through the schedule, in time that is handed in (nanoseconds from the attack's start), so that it
// can be tested without a clock. It gives the shard's own share of the hits, in their order.
#pragma once

#include <cstdint>
#include <optional>

#include "load/arrivals.hpp"
#include "load/division.hpp"
#include "thrum/attacker.hpp"

namespace thrum::load {

// A hit and when it is due.
struct Due {
  std::uint64_t hit;
  Nanos at;
};

class Pacer {
 public:
  // `total`: the schedule's number of hits, kUnlimited if nothing but its end or a stop ends it.
  Pacer(Schedule schedule, CatchUp catch_up, std::uint64_t total, Slice slice, std::uint64_t seed);
  Pacer(const Shape& shape, CatchUp catch_up, std::uint64_t total, Slice slice, Nanos end = Nanos::max(), std::uint64_t seed = 0)
      : Pacer(Schedule(shape, end), catch_up, total, slice, seed) {}

  // The next hit that may leave at `t`, if it is one before `open`. Under CatchUp none, hits that are too late are passed over and
  // counted as missed.
  std::optional<Due> take(Nanos t, std::uint64_t open = kUnlimited);
  // The hit that take() gave last could not leave after all: it doesn't count as having caught up.
  void put_off() { earliest_ = earliest_before_; }
  // What then holds of a hit that was put off, once it could leave at t.
  enum class Late : std::uint8_t {
    leaves,  // counted as catching up, if it is late
    waits,   // until catching_up_from(): others have just caught up
    missed,  // too late under CatchUp none; the caller counts it
  };
  Late leave_late(const Due& due, Nanos t);
  Nanos catching_up_from() const { return earliest_; }
  // From when take() will give a hit, if nothing else happens; Nanos::max() when there are no more.
  Nanos next_at() const;
  // What is drawn for hits before n is drawn now, not when the first of its own is due.
  void draw_up_to(std::uint64_t n);
  bool is_over() const { return next_ >= total_; }
  std::uint64_t next_hit() const { return next_; }
  // Whether the next hit is late at t by more than a timer's error.
  bool is_behind(Nanos t) const { return !is_over() && t - next_due_ > kTolerance; }

  // What somebody changed. Hits that were taken stay as they were; the next ones are due by the new schedule.
  void apply(const Change& change);
  Nanos end() const { return end_; }               // of the schedule, or where it was ended
  bool has_all() const { return next_ >= most_; }  // nothing that could be changed would bring more hits
  bool has_share() const { return next_ != Share::kNone; }
  std::uint64_t total() const {
    return total_;
  }  // no hit of the whole schedule from this one on is due before its end, as far as it is known
  // No hit that is due at or after `t` will leave; how many of this shard's hits were due before is now fixed.
  void end_at(Nanos t);
  // Gives up the hits that were not taken; they are missed.
  void abandon();

  std::uint64_t taken() const { return taken_; }
  std::uint64_t missed() const { return missed_; }
  // Hits of this shard due before t (or the schedule's end), taken or not.
  std::uint64_t scheduled_before(Nanos t) const;

  // A lateness below this is a timer's, not a backlog.
  static constexpr Nanos kTolerance{1'000'000};

 private:
  void divide(std::uint64_t from, std::uint32_t shards);
  void look_at_next();
  void advance();
  double slot_at(Nanos t) const;
  bool is_too_late(const Due& due, Nanos t) const;
  void catch_up_by(const Due& due, Nanos t);

  Arrivals arrivals_;
  CatchUp catch_up_;
  std::uint64_t most_;   // of the whole schedule
  std::uint64_t total_;  // the same, as far as it is known
  Nanos end_;
  Share share_;
  Arrivals::Mark mark_;  // after the hit before the next one
  std::uint64_t next_;   // hit number
  Nanos next_due_ = Nanos::min();
  Nanos last_due_ = Nanos::min();      // of the hit taken last
  Nanos earliest_ = -kForEver;         // catch-up by percent: not before this
  Nanos earliest_before_ = -kForEver;  // the same, before the last take()
  std::uint64_t taken_ = 0;
  std::uint64_t missed_ = 0;
};

}  // namespace thrum::load
