// An attack's gates (-fail-if): what they need to know is gathered while results go where they go. Composition only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mode/live_run.hpp"
#include "report/gates.hpp"
#include "thrum/attacker.hpp"

namespace thrum::mode {

class GateWatch {
 public:
  // `junit`: a file for the verdicts; empty: none.
  GateWatch(report::Gates gates, std::string junit, const AttackOptions& options, const TargetMix& mix, MetricsOptions judging);

  void add(std::span<const Result> results);
  // Where needs_results() doesn't hold: what somebody else has counted.
  void add(const Metrics& metrics, const SendPeaks& peaks) { run_.add(metrics, peaks); }
  static bool needs_results(const report::Gates& gates, const AttackOptions& options, const TargetMix& mix) {
    return gates.has_urls() || LiveRun::needs_results(options, mix);
  }
  void change(const Event& event) { run_.change(event); }
  // Once, at the end. An error: the file could not be written.
  Expected<std::vector<report::Judged>> judge(const Summary& summary);

 private:
  report::Gates gates_;
  std::string junit_;
  MetricsOptions judging_;
  LiveRun run_;
};

// "-fail-if: bad gate …" in one line.
Expected<report::Gates> parse_gates(std::span<const std::string> texts);
// Replaces the file as a whole.
Expected<void> write_junit(const std::string& file, std::span<const report::Judged> judged);
// "gate p99>250ms: 312ms, FAIL"
std::string line_of(const report::Judged& judged);

}  // namespace thrum::mode
