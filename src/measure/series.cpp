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
    last_->second.latencies.coarsen(steps_);
  }
  ++(succeeded ? last_->second.ok : last_->second.failed);
  SparseHistogram& latencies = last_->second.latencies;
  held_ -= latencies.size();
  latencies.record(result.latency);
  held_ += latencies.size();
  if (held_ > most_held_) make_room();
}

// To three quarters of what may be held, so that it is seldom needed.
void Series::make_room() {
  while (held_ > most_held_ / 4 * 3 && steps_ < SparseHistogram::kCoarsest) {
    ++steps_;
    held_ = 0;
    for (auto& [second, s] : seconds_) {
      s.latencies.coarsen(steps_);
      held_ += s.latencies.size();
    }
  }
}

}  // namespace thrum
