// One rate held for a while: what came of it, and whether that is good enough.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "measure/trend.hpp"
#include "mode/capacity_search.hpp"
#include "report/capacity.hpp"
#include "report/gates.hpp"
#include "thrum/metrics.hpp"

namespace thrum::mode {

class CapacityTrial {
 public:
  // Begins at `begin` of the attack. What is due in its first quarter, a second at most, is left out: the target finds its pace.
  CapacityTrial(CapacitySearch::Trial trial, Nanos begin);

  Nanos end() const { return begin_ + trial_.length; }
  Nanos measured_from() const { return begin_ + settling_; }
  // Results that were due at those times of the attack.
  void add(const Result& result, Nanos due);
  void see_in_flight(Nanos t, std::uint64_t in_flight);
  // Whether so many are owed that the rest need not be sent; then it has failed.
  bool is_hopeless(std::uint64_t in_flight, const report::Gates& slo);

  // Once all its results are there, or are given up: `unanswered`.
  struct Judgement {
    report::CapacityTrial shown;
    CapacitySearch::Outcome outcome;
    bool failed_by_growth_only = false;
  };
  Judgement judge(report::Gates& slo, std::uint64_t unanswered);

 private:
  CapacitySearch::Trial trial_;
  Nanos begin_, settling_;
  Metrics metrics_{{{}, LatencyClock::response}};
  Trend trend_;
  bool has_seen_ = false, is_hopeless_ = false;
  std::uint64_t in_flight_before_ = 0, in_flight_after_ = 0;
};

}  // namespace thrum::mode
