// A run as its own process knows it while it goes on: its figures, its stages, what was asked of it. For whoever tells or judges it at
// its end: the report on a terminal, and gates.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "record/file_header.hpp"
#include "report/input.hpp"
#include "thrum/attacker.hpp"

namespace thrum::mode {

class LiveRun {
 public:
  LiveRun(const AttackOptions& options, const TargetMix& mix, MetricsOptions judging);

  void add(std::span<const Result> results);
  // Results that somebody else has counted, of a run without stages and without shares.
  void add(const Metrics& metrics, const SendPeaks& peaks);
  static bool needs_results(const AttackOptions& options, const TargetMix& mix) {
    return report::StageSplit::is_for(options.shape) || !mix.parts.empty();
  }
  void change(const Event& event);
  // Once, at the end.
  report::Input finished(const Summary& summary);

 private:
  std::string name_;
  MetricsOptions judging_;
  Metrics metrics_;
  SendPeaks peaks_;
  report::Plan plan_;
  std::optional<report::StageSplit> stages_;
  std::optional<report::ShareSplit> shares_;
};

// How a report has it.
report::Change change_of(const Event& event);

// Hits per second asked for, as results files hold it: of a rate that changes, the highest; 0: a closed loop.
double asked_rate(const AttackOptions& options);

}  // namespace thrum::mode
