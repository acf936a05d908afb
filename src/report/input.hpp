// What a report is made from: finished metrics, and what is known of each run. Reports are functions of this; they append
// text to a string and do no I/O.
//
// Room `report` knows how numbers are shown when a run is over: text, JSON, tables. It must not know where results come from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/buckets.hpp"
#include "measure/coarse_histogram.hpp"
#include "measure/grouping.hpp"
#include "measure/send_peaks.hpp"
#include "measure/series.hpp"
#include "report/judged.hpp"
#include "report/shares.hpp"
#include "report/stages.hpp"
#include "thrum/attacker.hpp"
#include "thrum/metrics.hpp"
#include "thrum/shape.hpp"

namespace thrum::report {

// Something that was done to a run while it went on: its rate was changed, it was paused, it was ended early.
struct Change {
  Nanos at{0};
  std::string kind;    // "rate", "pause", "resume", "abort"
  std::string detail;  // the new rate, or why
  std::string text() const { return detail.empty() ? kind : kind + " " + detail; }
};

// What a run was asked to do and how that went: known of runs that thrum recorded.
struct Plan {
  Timestamp start;             // wall clock of t = 0
  std::string shape;           // the rate as the user would type it
  std::string order;           // of the targets; empty: nothing was said of it
  std::uint64_t seed = 0;      // of random arrivals, and of the order
  double rate = 0;             // hits per second asked for; 0: a closed loop
  std::optional<Shape> asked;  // none: a closed loop, or a shape this version does not know
  Nanos duration{0};           // asked for; 0: open-ended
  std::uint64_t hits = kUnlimited;
  std::vector<Change> changes;      // in order
  std::optional<Summary> summary;   // none: still running, or killed before its end
  std::uint64_t results = 0;        // written, as far as the summary goes
  std::uint64_t spooled_bytes = 0;  // most that waited on disk because the output was slower than the attack
};

struct RunInput {
  std::string name;  // the attack's name or the file's: different for every run of a report
  std::string file;
  Metrics metrics;  // closed
  std::optional<Plan> plan;
  std::vector<StagePart> stages;  // of a rate with several
  std::optional<SendPeaks> peaks;
  ShareTable shares = {};  // of its targets, where something was said of their mix
};

// A report of a part of the results. What was asked for, missed or lost is known of whole runs only, so runs have no plan then.
struct Filter {
  Nanos from{0};            // from each run's start, included
  std::optional<Nanos> to;  // not included; none: to the end
  std::string where;        // as typed; empty: any result
  std::uint64_t read = 0;   // results before filtering
};

struct Input {
  Metrics total;                               // of all runs, closed
  LatencyClock clock = LatencyClock::service;  // that latencies are by
  std::vector<RunInput> runs;                  // in the order of the command line; not empty
  std::vector<double> percentiles;             // extra ones asked for, 0 … 100, in the order asked
  std::optional<BucketCounts> buckets;         // service latencies by the user's bounds
  std::optional<CoarseHistogram> rows;         // service latencies, for a histogram without given bounds
  const Series* series = nullptr;              // for the table of seconds
  std::optional<Filter> filter;                // none: a report of everything
  std::optional<GroupTable> groups;            // asked for with -by
  std::vector<Judged> judged;                  // asked for with -fail-if
};

}  // namespace thrum::report
