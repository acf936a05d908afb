// A run second by second, of what ended in each: for its charts, its trends, and whoever watches for what is out of the ordinary.
// What comes in pieces (of several sending threads, ten times a second) is put together here. Ten minutes of seconds are kept, and a
// few numbers of each minute, so that a run of days takes no more than a few hundred kilobytes.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "measure/coarse_histogram.hpp"
#include "thrum/result.hpp"

namespace thrum {

struct RunSecond {
  std::int64_t at = 0;  // the second that begins so many after the run's start
  std::uint64_t ok = 0, failed = 0, bytes = 0;
  CoarseHistogram latencies{};
  std::uint64_t ended() const { return ok + failed; }
  void merge(const RunSecond& other);
};

// The same of a second or of a minute, in numbers.
struct RunPoint {
  std::int64_t at = 0;          // seconds from the start
  double rate = 0, errors = 0;  // per second
  std::uint64_t requests = 0;
  Nanos p50{0}, p90{0}, p99{0};
};

class RunSeconds {
 public:
  static constexpr std::int64_t kKept = 600;
  // What is left of a run counts as a second of its own from this share of one, unless it is all there is.
  static constexpr double kLeastOfSecond = 0.25;
  static constexpr double kLeastOfMinute = 1.0 / 60;

  // Parts may come in any order within the seconds that are kept; what is older is left out of seconds.
  void merge(const RunSecond& part);

  const std::deque<RunSecond>& seconds() const { return seconds_; }  // in order, without gaps
  // `length`: of the run; the second or minute that it ended in counts as far as it went. Seconds nobody saw anything of are there.
  std::vector<RunPoint> points(Nanos length) const;
  std::vector<RunPoint> minutes(Nanos length) const;
  // Minutes once there are three of them, else seconds.
  std::vector<RunPoint> trend_points(Nanos length) const;

 private:
  RunSecond& minute_of(std::int64_t second);

  std::deque<RunSecond> seconds_;
  std::vector<RunPoint> closed_minutes_;
  std::deque<RunSecond> minutes_;  // the last two, to which something may yet be added; `at` in seconds
};

}  // namespace thrum
