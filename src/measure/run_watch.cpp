#include "measure/run_watch.hpp"

#include <algorithm>

namespace thrum {

void RunWatch::add(const RunBlock& block) {
  for (const RunSecond& s : block.seconds) {
    seconds_.merge(s);
    ok_ += s.ok;
    failed_ += s.failed;
    bytes_ += s.bytes;
    latencies_.merge(s.latencies);
  }
  for (const auto& [code, count] : block.codes) codes_[code] += count;
  causes_.merge(block.causes);
  connects_.merge(block.connects);
  first_bytes_.merge(block.first_bytes);
  downloads_.merge(block.downloads);
  const auto before = static_cast<std::ptrdiff_t>(recent_.size());
  recent_.insert(recent_.end(), block.recent.begin(), block.recent.end());
  recent_.insert(recent_.end(), block.failures.begin(), block.failures.end());
  std::stable_sort(recent_.begin() + before, recent_.end(), [](const RecentResult& a, const RecentResult& b) { return a.at < b.at; });
  // What is too old goes, failures last.
  while (recent_.size() - old_failures_ > kRecent) {
    const auto oldest = recent_.begin() + static_cast<std::ptrdiff_t>(old_failures_);
    if (oldest->is_good)
      recent_.erase(oldest);
    else
      ++old_failures_;
    if (old_failures_ > kFailures) {
      recent_.pop_front();
      --old_failures_;
    }
  }
}

}  // namespace thrum
