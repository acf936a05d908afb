// What the numbers say: whether the rate was kept, whether the target fell behind, and which percentiles are worth little
// (whose limit it was: bottleneck.hpp). Words and figures for all report types, so that they can't disagree.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/input.hpp"

namespace thrum::report {

// Per second; none where there is no number to give (a closed loop asks for no rate, one request has no rate).
struct Rates {
  std::optional<double> asked, sent, answered;
};

struct Totals {
  std::optional<std::uint64_t> asked, missed;  // none: some run doesn't say
  std::uint64_t sent = 0, answered = 0;
  Rates rates;  // of several runs: of those that ran at the same time together, where that is most
};

// Whether of some run is known what it was asked for.
bool has_plans(const Input& input);

// Requests that went out: by the books where they are known, since results can be lost on the way.
std::uint64_t sent_of(const RunInput& run);
Rates rates_of(const RunInput& run);
// When sending was over: after the last hit, the time in which no other was due.
Timestamp sending_end(const RunInput& run);
Totals totals_of(std::span<const RunInput> runs);

// The longest warm-up, and what all of them sent.
Warmup warmup_of(std::span<const RunInput> runs);

// Results that a run wrote and that could not be read.
std::uint64_t lost_of(std::span<const RunInput> runs);

// A target that answers less than it is sent: latency kept growing while requests were sent, and answers kept coming after.
std::optional<Metrics::Growth> falling_behind(const Metrics& metrics);
std::string words_of(const Metrics::Growth& growth);

// Some answers came, and many requests were given up for want of one: 5 % at least.
bool has_many_timeouts(const Metrics& metrics);

// One run in a few words: "kept up", or everything that went wrong with its rate.
std::string verdict(const RunInput& run);
// The same for a stage of one.
std::string verdict(const StagePart& part);

// Whether what clients felt (response latency) differs from what the target took (service latency) by more than 5 %.
bool response_differs(const Metrics& metrics);

// Requests that were sent more than a millisecond after they were due.
std::uint64_t late_of(const Metrics& metrics);

// Those of `percentiles` (0 … 100) above which not even one of `count` results is to be expected.
std::vector<double> weak(std::uint64_t count, std::span<const double> percentiles);

// Of each cause of failure: its name and the number of results.
struct Failure {
  std::string name;
  std::uint64_t count;
};
std::vector<Failure> failures(const Metrics& metrics);

}  // namespace thrum::report
