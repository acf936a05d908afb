// What happened second by second: the results of requests sent in each second of a run (or of several), for tables and
// charts. A second costs some hundred bytes; seconds in which nothing was sent cost nothing.
#pragma once

#include <cstdint>
#include <map>

#include "measure/coarse_histogram.hpp"
#include "thrum/result.hpp"

namespace thrum {

class Series {
 public:
  // A week of seconds. Results of seconds beyond are only counted: a file can hold any time from year 1 to 9999.
  static constexpr std::size_t kMostSeconds = 604'800;

  struct Second {
    std::uint64_t ok = 0, failed = 0;  // of the requests sent in this second
    CoarseHistogram latencies;
    std::uint64_t sent() const { return ok + failed; }
  };

  // Second 0 begins at `origin`.
  explicit Series(Timestamp origin) : origin_(origin) {}
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

  void add(const Result& result, bool succeeded);

  // When a second begins.
  Timestamp start_of(std::int64_t second) const { return {origin_.seconds + second, origin_.nanos, origin_.zone}; }
  const std::map<std::int64_t, Second>& seconds() const { return seconds_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  Timestamp origin_;
  std::map<std::int64_t, Second> seconds_;
  std::map<std::int64_t, Second>::iterator last_ = seconds_.end();  // results come mostly in order
  std::uint64_t left_out_ = 0;
};

}  // namespace thrum
