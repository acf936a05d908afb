#include "measure/run_watch.hpp"

#include <algorithm>

namespace thrum {

std::size_t KeptResponse::size() const {
  std::size_t sum = sizeof *this + body.capacity();
  for (const auto& [name, value] : headers) sum += 2 * sizeof(std::string) + name.size() + value.size();
  return sum;
}

void RunWatch::remove(std::deque<RecentResult>::iterator at) {
  if (at->kept) bytes_kept_ -= at->kept->size();
  recent_.erase(at);
}

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
  for (auto it = recent_.begin() + before; it != recent_.end(); ++it)
    if (it->kept) bytes_kept_ += it->kept->size();
  std::stable_sort(recent_.begin() + before, recent_.end(), [](const RecentResult& a, const RecentResult& b) { return a.at < b.at; });
  // What is too old goes, failures last.
  while (recent_.size() - old_failures_ > kRecent) {
    const auto oldest = recent_.begin() + static_cast<std::ptrdiff_t>(old_failures_);
    if (oldest->is_good)
      remove(oldest);
    else
      ++old_failures_;
    if (old_failures_ > kFailures) {
      remove(recent_.begin());
      --old_failures_;
    }
  }
  // Then what was kept of the oldest.
  for (auto it = recent_.begin(); bytes_kept_ > kMostBytesKept && it != recent_.end(); ++it) {
    if (!it->kept) continue;
    bytes_kept_ -= it->kept->size();
    it->kept.reset();
  }
}

}  // namespace thrum
