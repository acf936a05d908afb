// Which rates to try, to find the highest that a target holds: it doubles until one fails, halves the gap between the highest that
// held and the lowest that failed, and then has what it found confirmed over a longer time; if that fails it goes down, and from what is
// confirmed up again, until the two ends are near. What could not be sent is tried again before it counts: a machine that stands still for
// a moment says nothing of what it can do. Knows nothing of how a rate is tried.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "thrum/result.hpp"  // Nanos

namespace thrum::mode {

struct SearchOptions {
  double from = 50;                                       // hits per second, tried first
  double most = std::numeric_limits<double>::infinity();  // never beyond
  double precision = 0.02;                                // how near the two ends come before the lower is confirmed
  Nanos step{4'000'000'000};                              // a trial's length
  Nanos confirm{20'000'000'000};                          // a confirmation's
  std::uint32_t confirmations = 2;                        // needed
  std::uint32_t own_limits = 3;                           // in a row, before they count
};

class CapacitySearch {
 public:
  static constexpr double kLowest = 0.1;  // hits per second; a target that fails at it has no capacity to speak of

  explicit CapacitySearch(SearchOptions options) : options_(options) {}

  struct Trial {
    double rate;
    Nanos length;
    bool is_confirmation;
  };
  // None: the search is over.
  std::optional<Trial> next() const;
  // What came of the trial that next() gave.
  enum class Outcome : std::uint8_t {
    held,
    failed,
    own_limit,  // we could not send so much: nothing is known of the target
  };
  void tell(Outcome outcome);

  // The highest rate that was confirmed; 0: none was.
  double found() const { return proven_; }
  // The lowest that failed; none: nothing did, so that the capacity may be higher than what was found.
  std::optional<double> failed() const { return high_ == kNone ? std::nullopt : std::optional(high_); }
  bool met_own_limit() const { return ceiling_ < options_.most; }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  void tell_confirmation(Outcome outcome);
  bool is_near() const { return high_ <= low_ * (1 + options_.precision) || low_ >= ceiling_; }

  SearchOptions options_;
  double low_ = 0;       // held, or is about to be confirmed
  double high_ = kNone;  // failed
  double proven_ = 0;    // confirmed
  double ceiling_ = options_.most;
  std::uint32_t confirmed_ = 0, refuted_ = 0;
  std::uint32_t unsent_ = 0;  // trials in a row that we could not send
  bool is_confirming_ = false;
  bool is_over_ = false;
};

}  // namespace thrum::mode
