// What a run's figures mean, in findings with stable codes, a level each and one sentence; the worst of them is the verdict. Pure
// functions of figures, so that each rule can be tried on either side of its threshold. docs/run.md lists the codes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/anomaly_watch.hpp"
#include "measure/failure_causes.hpp"
#include "measure/run_seconds.hpp"
#include "measure/two_groups.hpp"

namespace thrum {

enum class Level : std::uint8_t { healthy, degraded, failing };
std::string_view name_of(Level level);    // "healthy"
std::string_view symbol_of(Level level);  // one character

struct RunFinding {
  Level level = Level::healthy;
  std::string_view code;  // "long_tail"; what is there is never renamed
  std::string text;       // may hold what a server said: printable() before it is shown
};

struct Verdict {
  Level level = Level::healthy;
  std::vector<RunFinding> findings;  // in the order of the rules
};

// What servers said of themselves in Server-Timing headers.
struct ServerTimes {
  Nanos total_median{0};
  std::string largest{};  // of several segments: that whose median is largest; empty: there is one, or none is named
};

// Mean latency of the first quarter of the sending and of the last, where it kept growing and answers kept coming afterwards.
struct FellBehind {
  Nanos early{0}, late{0};
};

struct RunFacts {
  std::uint64_t requests = 0, succeeded = 0;
  std::uint64_t timeouts = 0, http_errors = 0, connection_errors = 0;  // add up to the failed ones
  std::vector<FailureCauses::Cause> causes;                            // the most frequent first
  Nanos p50{0}, p99{0};                                                // by the run's clock
  Nanos service_p95{0};                                                // from the sending on, whatever the clock
  std::optional<TwoGroups> groups;
  std::optional<ServerTimes> server_times;
  std::vector<RunPoint> points;  // seconds, or minutes
  bool is_interrupted = false;
  std::string aborted_by{};  // the condition that ended it; empty: none did
  bool keeps_alive = true;
  std::uint64_t concurrency = 0;  // most in flight; 0: no bound
  std::uint64_t connections_opened = 0;
  Nanos connect_median{0};  // of those opened
  std::optional<Nanos> dns_mean;
  Nanos download_median{0};
  double body_mean = 0;  // bytes
  std::uint64_t cache_hits = 0;
  std::vector<Anomaly> anomalies;
  double peak_busy = 0;  // of the busiest sending thread, 0 … 1
  std::uint32_t threads = 1;
  double asked_rate = 0, achieved_rate = 0;  // 0: no rate was asked for
  std::uint64_t missed = 0;
  std::optional<FellBehind> fell_behind;  // answers, behind the requests of a rate
  Nanos lag_p99{0};                       // how late requests were sent
  std::string limit;                      // whose limit it was, in words; empty: nobody's
};

Verdict judge(const RunFacts& facts);

// Two decimals under one percent, else whole: "0.50 %", "12 %".
std::string percent_text(double share);
// How many in flight would carry `rate` at this latency; more than `concurrency` in any case.
std::uint64_t concurrency_for(double rate, Nanos p95, std::uint64_t concurrency);

}  // namespace thrum
