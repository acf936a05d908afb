// A run (thrum URL) when it is over: its figures, what they mean, and how that is shown. One struct, and functions that make text of it;
// docs/run.md describes the JSON, whose schema is run_schema().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/findings.hpp"
#include "measure/run_seconds.hpp"
#include "measure/run_tally.hpp"
#include "report/judged.hpp"
#include "thrum/attacker.hpp"

namespace thrum::report {

struct RunReport {
  // What ran.
  std::string mode = "run";
  std::string method, url;                                    // without passwords
  std::string load;                                           // in words: "100 requests, 4 at once"
  std::uint64_t concurrency = 0;                              // most in flight; 0: no bound
  std::string asked;                                          // the rate as it would be typed; empty: a closed loop
  double asked_rate = 0;                                      // its mean over the time that was carried out
  std::vector<std::pair<std::string, std::string>> settings;  // flags in force, secrets masked
  // Where and when.
  std::string host, os;
  std::uint32_t cpus = 0;
  // What came of it.
  Summary summary;
  const RunTally* tally = nullptr;  // its metrics are closed
  std::vector<RunPoint> seconds, minutes;
  const RunSeconds* by_second = nullptr;  // for the heatmap of a page; null: it has none
  std::vector<Anomaly> anomalies;
  Verdict verdict;
  std::string aborted_by;      // a condition of -abort-if and what it met; empty: none
  double peak_busy = 0;        // of a sending thread, 0 … 1
  std::string limit;           // whose limit the run met, in words; empty: nobody's
  std::vector<Judged> judged;  // of -fail-if
  // Of a file that is written while the run goes on.
  struct Snapshot {
    Timestamp at;
    bool is_running = true;
  };
  std::optional<Snapshot> snapshot;
};

// Requests that ended, over the time they took.
double requests_per_second(const RunReport& r);

// "100 requests, 50/s, p50 1ms, …"
std::string run_figures(const RunReport& report);
// For people: a line of what ran, a line of figures, a line for each finding. `in_colour`: for a terminal that shows it.
std::string run_text(const RunReport& report, bool in_colour);
// One document in one line.
std::string run_json(const RunReport& report);
// The document that stands for a run that could not be made: `code` is the exit code's name.
std::string run_error_json(std::string_view code, std::string_view text);
// JSON Schema (2020-12) of these two.
std::string_view run_schema();
// For a comment on a change.
std::string run_markdown(const RunReport& report);
// One HTML page that needs nothing else.
std::string run_page(const RunReport& report);
// An SVG picture.
std::string run_card(const RunReport& report);
// A line a second.
std::string run_series_csv(const RunReport& report);

}  // namespace thrum::report
