#include "load/shard_advice.hpp"

namespace thrum::load {

double ShardAdvice::rate_since_mark(Nanos t, std::uint64_t sent) const {
  const auto length = static_cast<double>((t - mark_).count());
  return length <= 0 ? 0 : static_cast<double>(sent - sent_at_mark_) * 1e9 / length;
}

void ShardAdvice::mark(Nanos t, std::uint64_t sent) {
  mark_ = t;
  sent_at_mark_ = sent;
}

void ShardAdvice::pause() {
  limited_since_.reset();
  is_on_trial_ = false;
}

std::uint32_t ShardAdvice::look(Nanos t, const Seen& seen) {
  if (is_on_trial_) return judge(t, seen);
  if (shards_ == most_ || t < not_before_ || seen.busiest < kAtLimit || seen.idle_cores < kFree) {
    limited_since_.reset();
    return shards_;
  }
  if (!limited_since_) {
    limited_since_ = t;
    mark(t, seen.sent);
  }
  if (t - *limited_since_ < kWatched) return shards_;
  limited_since_.reset();
  rate_before_ = rate_since_mark(t, seen.sent);
  mark(t, seen.sent);
  is_on_trial_ = true;
  is_settled_ = false;
  return ++shards_;
}

// Another shard has joined: more is sent now, or the shards are not at their limit any more, or it goes.
std::uint32_t ShardAdvice::judge(Nanos t, const Seen& seen) {
  if (!is_settled_) {
    if (t - mark_ < kSettling) return shards_;
    is_settled_ = true;
    mark(t, seen.sent);
  }
  if (t - mark_ < kWatched) return shards_;
  is_on_trial_ = false;
  if (seen.busiest < kAtLimit || rate_since_mark(t, seen.sent) >= kGain * rate_before_) return shards_;
  not_before_ = t + pause_;
  pause_ *= 2;
  return --shards_;
}

}  // namespace thrum::load
