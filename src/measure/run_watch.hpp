// A run as somebody watches it: what sending threads hand over ten times a second, put together. Everything is bounded.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measure/coarse_histogram.hpp"
#include "measure/failure_causes.hpp"
#include "measure/run_seconds.hpp"

namespace thrum {

// What a response was like, as far as it is kept.
struct KeptResponse {
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::size_t size() const;
};

// A request that ended, for a list of the latest.
struct RecentResult {
  std::uint64_t seq = 0;
  Nanos at{0};  // when it ended, from the run's start
  Nanos latency{0}, service{0}, first_byte{0}, connecting{0};
  std::uint64_t bytes = 0;
  std::uint16_t status = 0;
  bool is_good = false;
  std::string error{};  // empty where there is none
  std::shared_ptr<const KeptResponse> kept{};
};

// What came since the last time.
struct RunBlock {
  static constexpr std::size_t kMostRecent = 50;  // of each kind: the rest is only counted
  static constexpr std::size_t kMostKept = 100;   // of each kind: whole ones come on top

  std::vector<RunSecond> seconds;
  // Gathered only for who watches.
  std::map<std::uint16_t, std::uint64_t> codes{};
  FailureCauses causes{};
  std::vector<RecentResult> recent{}, failures{};
  CoarseHistogram connects{}, first_bytes{}, downloads{};

  bool empty() const { return seconds.empty(); }
};

class RunWatch {
 public:
  static constexpr std::size_t kRecent = 2000, kFailures = 500;
  static constexpr std::size_t kMostBytesKept = std::size_t{32} << 20;  // of responses

  void add(const RunBlock& block);

  const RunSeconds& seconds() const { return seconds_; }
  std::uint64_t ended() const { return ok_ + failed_; }
  std::uint64_t ok() const { return ok_; }
  std::uint64_t failed() const { return failed_; }
  std::uint64_t bytes() const { return bytes_; }
  const CoarseHistogram& latencies() const { return latencies_; }
  const std::map<std::uint16_t, std::uint64_t>& codes() const { return codes_; }
  const FailureCauses& causes() const { return causes_; }
  const CoarseHistogram& connects() const { return connects_; }
  const CoarseHistogram& first_bytes() const { return first_bytes_; }
  const CoarseHistogram& downloads() const { return downloads_; }
  // The newest last; older failures stay longer, in their place.
  const std::deque<RecentResult>& recent() const { return recent_; }
  std::size_t bytes_kept() const { return bytes_kept_; }

 private:
  RunSeconds seconds_;
  std::uint64_t ok_ = 0, failed_ = 0, bytes_ = 0;
  CoarseHistogram latencies_, connects_, first_bytes_, downloads_;
  std::map<std::uint16_t, std::uint64_t> codes_;
  FailureCauses causes_;
  std::deque<RecentResult> recent_;
  void remove(std::deque<RecentResult>::iterator at);

  std::size_t old_failures_ = 0;  // at the front of it
  std::size_t bytes_kept_ = 0;
};

}  // namespace thrum
