// The rate over time. A Shape answers when hit n is due, exactly: no drift, no "previous + interval".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum {

// hits per unit of time, as an exact fraction: nano_hits * 1e-9 hits in every `per`.
struct Rate {
  std::int64_t nano_hits = 0;  // > 0
  Nanos per{1'000'000'000};    // > 0
  double per_second() const { return static_cast<double>(nano_hits) / static_cast<double>(per.count()); }
};

class Shape {
 public:
  static Shape constant(Rate rate);  // hit n is due at n / rate
  static Shape closed();             // no schedule: each worker sends as soon as its last response came

  bool is_closed() const { return closed_; }
  // When hit n is due, from the attack's start (rounded down to a nanosecond). Not for closed shapes.
  Nanos due(std::uint64_t n) const;
  // How many hits are due in [0, t). Not for closed shapes.
  std::uint64_t hits_before(Nanos t) const;
  // Hits per second asked for at t; 0 for closed shapes.
  double rate_at(Nanos t) const;
  // As the user would type it.
  std::string text() const;

 private:
  Rate rate_{};
  bool closed_ = false;
};

inline constexpr std::int64_t kHighestRatePerSecond = 100'000'000;

// "100", "100/s", "1.5/s", "6/m", "50/100ms", "0" and "infinity" (closed). Errors are one line.
Expected<Shape> parse_shape(std::string_view text);

}  // namespace thrum
