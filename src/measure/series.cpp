#include "measure/series.hpp"

namespace thrum {

void Series::add(const Result& result, bool succeeded) {
  // Whole seconds between the two, rounded down.
  const std::int64_t second = result.timestamp.seconds - origin_.seconds - (result.timestamp.nanos < origin_.nanos ? 1 : 0);
  if (last_ == seconds_.end() || last_->first != second) {
    if (seconds_.size() >= kMostSeconds && !seconds_.contains(second)) {
      ++left_out_;
      return;
    }
    last_ = seconds_.try_emplace(second).first;
  }
  ++(succeeded ? last_->second.ok : last_->second.failed);
  last_->second.latencies.record(result.latency);
}

}  // namespace thrum
