// The rate over time. A Shape answers when hit n is due, exactly: no drift, no "previous + interval".
//
// It counts: hit n is due where the integral of the rate reaches n. A shape is one rate for ever, or stages one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum {

// hits per unit of time, as an exact fraction: nano_hits * 1e-9 hits in every `per`.
struct Rate {
  std::int64_t nano_hits = 0;  // > 0; in a stage also 0
  Nanos per{1'000'000'000};    // > 0
  double per_second() const { return static_cast<double>(nano_hits) / static_cast<double>(per.count()); }
};

namespace load {
struct ShapeParts;
}

class Shape {
 public:
  // A part of a shape with one rule, as a report tells it.
  struct Stage {
    Nanos start{0};
    std::optional<Nanos> length;  // none: to the attack's end
    std::string text;             // as the user would type it: "50/s for 10s"
    double from = 0, to = 0;      // hits per second at its two ends
  };

  static Shape constant(Rate rate);  // hit n is due at n / rate
  static Shape closed();             // no schedule: each worker sends as soon as its last response came
  explicit Shape(std::shared_ptr<const load::ShapeParts> parts);

  bool is_closed() const { return closed_; }
  // Arrivals at random (Poisson): due() and hits_before() then tell what is expected; the attack draws the times.
  bool is_random() const;
  // When hit n is due, from the attack's start (rounded down to a nanosecond); Nanos::max() if the shape ends before. Not for
  // closed shapes.
  Nanos due(std::uint64_t n) const;
  // When the expected count reaches `hits`.
  Nanos due_when(long double hits) const;
  // The expected count at t, the end of the shape at most: the integral of the rate.
  long double expected(Nanos t) const;
  // How many hits are due in [0, t). Not for closed shapes.
  std::uint64_t hits_before(Nanos t) const;
  // Hits per second asked for at t; 0 for closed shapes and after the end.
  double rate_at(Nanos t) const;
  double peak() const;  // the highest rate, per second
  // When the shape ends by itself; none: it goes on.
  std::optional<Nanos> length() const;
  // Empty for one rate without an end.
  std::span<const Stage> stages() const;
  // As the user would type it; parse_shape() reads it back.
  std::string text() const;

 private:
  Shape() = default;

  Rate rate_{};
  bool closed_ = false;
  std::shared_ptr<const load::ShapeParts> parts_;  // null: one rate for ever, or closed
};

inline constexpr std::int64_t kHighestRatePerSecond = 100'000'000;

// A rate: "100", "100/s", "1.5/s", "6/m", "50/100ms"; "0" and "infinity" (closed).
// Stages, with commas between them: "50/s for 10s", "10..500/s over 1m", "hold 1m", "50..200/s step 50 every 10s",
// "100 every 1s [for 1m]", "sine mean 100/s amp 50/s period 20m [start mean|peak|falling|trough] [for 1h]",
// "spike base 50/s peak 500/s at 30s for 10s". The last may go on without end. "poisson" before all of it: arrivals at random.
// "@FILE": lines of time,rate, with straight lines between them. Errors are one line; in a shape a ^ marks the place.
Expected<Shape> parse_shape(std::string_view text);

}  // namespace thrum
