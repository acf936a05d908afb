// A report on results: read them, in whatever encoding and from however many files, measure, print. Composition only:
// record -> measure -> report. It runs on the caller's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/result.hpp"  // Nanos

namespace thrum::mode {

struct ReportRequest {
  std::vector<std::string> inputs{};  // results files; "stdin" and "-" are standard input, and so are none
  std::string type = "text";          // text, json, hist, hist[0,5ms,1s], hdrplot, hdrlog, csv
  std::string buckets{};              // for hist and json: "[0,5ms,1s]"; empty: none
  Nanos from{0};                      // only results sent so long after their run's start, or later
  std::optional<Nanos> to{};          // and before that
  std::string where{};                // and for which this holds: "code>=500, url~^/api"; empty: all
  std::string by{};  // a table of groups in text and json: url, target, name, method, code, attack, host or run; empty: none
  std::vector<std::string> group_rules{};   // for by = url or target: "/user/:id"
  std::optional<std::size_t> max_groups{};  // the busiest so many have a row; none: 100
  std::string percentiles{};                // further ones for text and json: "50,99,99.9"; empty: none
  std::vector<std::string> fail_if{};       // what must not be: "p99>250ms"; see report/gates.hpp
  std::string junit{};                      // a file for the verdicts on these; empty: none
  Nanos every{0};                           // a report each time this has passed, while results still come; 0: only at the end
  std::string output = "stdout";            // a file, or stdout
  bool force = false;                       // may overwrite a file of results
  std::optional<LatencyClock> latency{};    // none: as the runs were judged, service where they differ
  bool with_warmup = false;                 // results of warm-ups count as well
  bool strict = false;                      // damaged input is an error
  bool explain = false;                     // print what every figure is, read nothing
};

// Each call is one whole line without its newline, for a person.
struct ReportHooks {
  std::function<void(std::string_view)> warn;
};

class Report {
 public:
  // Errors are what contradicts itself in `request`; nothing is opened yet.
  static Expected<std::unique_ptr<Report>> create(ReportRequest request, ReportHooks hooks);
  virtual ~Report() = default;

  // Blocks until the results have ended and the report is out. An error of kind broken_pipe: the reader of the report left.
  // An error without text has been told by the hook `warn`: a refused output, after which a pipe on stdin is read to its end.
  virtual Expected<void> run() = 0;

  // After run(): whether the run failed by a gate.
  virtual bool is_gate_crossed() const = 0;

  // From any thread or signal handler. stop(): results that come through a pipe are still read to their end, since whoever
  // sends them was told to stop as well; files are read no further. cut(): nothing is read any more. What was read until
  // then is reported, with a warning.
  virtual void stop() noexcept = 0;
  virtual void cut() noexcept = 0;
};

}  // namespace thrum::mode
