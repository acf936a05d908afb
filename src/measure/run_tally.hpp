// All that a run's verdict is made from, gathered from results as they come: by one thread, or by each sending thread for itself and
// put together at the end. Seconds are handed over while the run goes on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "measure/failure_causes.hpp"
#include "measure/run_watch.hpp"
#include "measure/send_peaks.hpp"
#include "thrum/metrics.hpp"

namespace thrum {

// The responses that took longest.
class Slowest {
 public:
  static constexpr std::size_t kKept = 5;
  struct One {
    Nanos at{0}, latency{0};  // `at`: sent, from the run's start
    std::uint16_t status = 0;
  };
  void add(const One& one) {
    if (kept_.size() == kKept && one.latency <= kept_.back().latency) [[likely]]
      return;
    insert(one);
  }
  void merge(const Slowest& other) {
    for (const One& one : other.kept_) add(one);
  }
  const std::vector<One>& kept() const { return kept_; }  // the slowest first

 private:
  void insert(const One& one);
  std::vector<One> kept_;
};

class RunTally {
 public:
  // `is_watched`: blocks have more than seconds.
  explicit RunTally(MetricsOptions judging, bool is_watched = false) : judging_(judging), is_watched_(is_watched), metrics_(judging) {}

  // Before the first result: wall clock of the run's start.
  void begin(Timestamp started) { started_ = started; }
  // None of the warm-up's. Those that were cut are passed over: that they have no answer is our doing.
  void add(std::span<const Result> results);
  // What came since it was last taken.
  RunBlock take_block() { return std::exchange(block_, {}); }
  bool has_block() const { return !block_.empty(); }
  void merge(const RunTally& other);

  Metrics& metrics() { return metrics_; }
  const Metrics& metrics() const { return metrics_; }
  const FailureCauses& causes() const { return causes_; }
  const Slowest& slowest() const { return slowest_; }
  const SendPeaks& peaks() const { return peaks_; }
  std::uint64_t timeouts() const { return timeouts_; }
  std::uint64_t http_errors() const { return http_errors_; }  // whole responses that don't count as success
  std::uint64_t connection_errors() const { return metrics_.failed() - timeouts_ - http_errors_; }
  // From name lookup to the end of the handshake, of each connection that a request waited for.
  const Histogram& connects() const { return connects_; }
  // From the request to the first byte of its response, without what opening its connection took.
  const Histogram& first_bytes() const { return first_bytes_; }

 private:
  void add_whole(std::span<const Result> results);
  void add_phases(const Result& result);
  void show(const Result& result, bool is_good, Nanos latency, Nanos ended);
  RunSecond& second_of(std::int64_t at);

  MetricsOptions judging_;
  bool is_watched_;
  Metrics metrics_;
  Timestamp started_;
  RunBlock block_;  // since the last take_block(): few seconds
  FailureCauses causes_;
  Slowest slowest_;
  SendPeaks peaks_;
  Histogram connects_, first_bytes_;
  std::uint64_t timeouts_ = 0, http_errors_ = 0;
};

}  // namespace thrum
