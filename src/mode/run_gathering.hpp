// A run's figures on their way from where results end to whoever shows and judges them. Figures only: each sending thread tallies its
// own results and hands over the seconds it has at a turn of its loop. Where every result is needed (a file of them, gates that look at
// each) they come to run()'s thread, and are tallied there.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "measure/anomaly_watch.hpp"
#include "measure/run_seconds.hpp"
#include "measure/run_tally.hpp"
#include "thrum/attacker.hpp"

namespace thrum::mode {

class RunGathering final : public ShardSinks, public ResultSink {
 public:
  struct Hooks {
    std::function<Expected<void>(std::span<const Result>)> take;  // every result, the warm-up's too; only on run()'s thread
    std::function<Expected<void>()> tick;
    std::function<void(const RunBlock&)> show;
    std::function<bool(std::int64_t second)> has_pause;  // in that second of the run; empty: there are none
  };
  // `is_watched`: hooks.show gets what somebody watches the run by.
  RunGathering(MetricsOptions judging, bool is_watched, Hooks hooks);
  ~RunGathering() override;
  void follow(const Attacker& attacker) { attacker_ = &attacker; }

  ResultSink& sink_of(std::uint32_t shard, std::uint32_t shards) override;
  Expected<void> take(std::span<const Result> results) override;
  Expected<void> tick() override;

  // While it goes on: asks for all of it up to now; copied() has it soon, once, as soon as each thread has handed over its part.
  void ask_for_copies();
  std::unique_ptr<RunTally> copied();

  // After run(), once: all of it together.
  RunTally& finish();

  // On run()'s thread.
  const RunSeconds& seconds() const { return seconds_; }
  const AnomalyWatch& anomalies() const { return watch_; }
  double peak_busy() const { return peak_busy_; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(std::max<std::size_t>(1, shards_.size())); }

 private:
  class OfShard;

  void add(const RunBlock& block);
  void watch(Nanos elapsed);

  MetricsOptions judging_;
  bool is_watched_;
  Hooks hooks_;
  const Attacker* attacker_ = nullptr;
  bool has_begun_ = false;
  RunTally tally_;  // of run()'s thread; at the end of all
  std::vector<std::unique_ptr<OfShard>> shards_;
  RunSeconds seconds_;
  AnomalyWatch watch_;
  std::int64_t next_watched_ = 0;
  double peak_busy_ = 0;
  std::unique_ptr<RunTally> copies_;  // put together so far
  std::size_t copies_left_ = 0;
};

}  // namespace thrum::mode
