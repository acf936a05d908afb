// What a search for a target's capacity found, and how it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum::report {

// One rate that was tried.
struct CapacityTrial {
  double rate = 0;  // hits per second, asked for
  Nanos length{0};
  bool is_confirmation = false;
  std::uint64_t sent = 0;
  double success = 0;  // 0 … 1
  Nanos p50{0}, p99{0}, max{0};
  std::uint64_t in_flight_before = 0, in_flight_after = 0;  // at the beginning of what was measured, and at its end
  double slope = 0;                                         // seconds of latency gained per second
  bool held = false;
  std::string why;  // it did not
};

struct CapacityFindings {
  double rate = 0;               // held, and confirmed; 0: none was found
  std::optional<double> failed;  // the lowest that did not hold; none: nothing failed
  bool met_own_limit = false;    // more could not be sent from here
  bool was_stopped = false;      // before it was done
  std::string target;            // URL, or how many targets
  std::vector<std::string> slo;  // as typed
  std::vector<CapacityTrial> trials;
  Nanos took{0};
};

// "160/s (held; 163/s did not)" in a line, and the table of trials.
std::string capacity_text(const CapacityFindings& findings);
std::string capacity_json(const CapacityFindings& findings);
// One page that needs nothing else.
std::string capacity_page(const CapacityFindings& findings);

}  // namespace thrum::report
