// The highest rates at which requests were sent, over any 100 ms and any second: what a target felt of hits that were made up for.
// Times are counted in tenths of seconds of the wall clock, so that runs of several machines add up; results may come in any order,
// as long as those that matter lie within some minutes of the latest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "thrum/result.hpp"

namespace thrum {

class SendPeaks {
 public:
  void add(std::span<const Result> results);
  // Of another run of the same time, or of another time.
  void merge(const SendPeaks& other);

  // Hits per second, in the busiest tenth of a second and in the busiest ten in a row.
  double in_tenth() const { return 10.0 * busiest_tenth_; }
  double in_second() const { return busiest_second_; }

 private:
  static constexpr std::int64_t kTenth = 100'000'000;
  static constexpr std::size_t kKept = 8192;  // tenths: more than a quarter of an hour

  static std::int64_t tenth_of(Timestamp t) { return t.seconds * 10 + t.nanos / kTenth; }
  void count(std::int64_t tenth, std::uint32_t hits);
  std::uint32_t at(std::int64_t tenth) const;

  std::vector<std::uint32_t> tenths_;  // a ring of kKept, once there is something
  std::int64_t first_ = 0, end_ = 0;   // those in it
  double busiest_tenth_ = 0, busiest_second_ = 0;
};

}  // namespace thrum
