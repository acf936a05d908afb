// What happened second by second: the results of requests sent in each second of a run (or of several), for tables and
// charts. Seconds in which nothing was sent cost nothing, the others some hundred bytes and what their latencies take; all
// latencies together stay within `most_held`.
#pragma once

#include <cstdint>
#include <map>

#include "measure/sparse_histogram.hpp"
#include "thrum/result.hpp"

namespace thrum {

class Series {
 public:
  // A week of seconds. Results of seconds beyond are only counted: a file can hold any time from year 1 to 9999.
  static constexpr std::size_t kMostSeconds = 604'800;
  // Values and bins of all seconds, of eight bytes each.
  static constexpr std::size_t kMostHeld = std::size_t{8} << 20;

  struct Second {
    std::uint64_t ok = 0, failed = 0;  // of the requests sent in this second
    SparseHistogram latencies;
    std::uint64_t sent() const { return ok + failed; }
  };

  // Second 0 begins at `origin`.
  explicit Series(Timestamp origin, std::size_t most_held = kMostHeld) : origin_(origin), most_held_(most_held) {}
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

  void add(const Result& result, bool succeeded);

  // When a second begins.
  Timestamp start_of(std::int64_t second) const { return {origin_.seconds + second, origin_.nanos, origin_.zone}; }
  const std::map<std::int64_t, Second>& seconds() const { return seconds_; }
  std::uint64_t left_out() const { return left_out_; }
  // Within which share of itself each percentile is known.
  double fineness() const { return 0.5 / static_cast<double>(1024 >> steps_); }

 private:
  void make_room();

  Timestamp origin_;
  std::size_t most_held_;
  std::size_t held_ = 0;
  unsigned steps_ = 0;  // SparseHistogram::coarsen, of all seconds
  std::map<std::int64_t, Second> seconds_;
  std::map<std::int64_t, Second>::iterator last_ = seconds_.end();  // results come mostly in order
  std::uint64_t left_out_ = 0;
};

}  // namespace thrum
