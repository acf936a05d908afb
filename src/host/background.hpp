// A thread that works behind the others: when it wakes up it doesn't take a core from a thread that has it, but waits for its
// turn. So one that handles results can't make a hit late that is due on the same core.
#pragma once

#include <sched.h>

namespace thrum::host {

// The calling thread is in the background (SCHED_BATCH) as long as this lives; then it has its former policy again. A thread
// whose policy isn't the default one (real time, idle) is left alone: somebody chose that.
class Background {
 public:
  Background() : is_changed_(sched_getscheduler(0) == SCHED_OTHER && set(SCHED_BATCH)) {}
  ~Background() {
    if (is_changed_) set(SCHED_OTHER);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  static bool set(int policy) {
    constexpr sched_param kNone{};
    return sched_setscheduler(0, policy, &kNone) == 0;
  }
  const bool is_changed_;
};

}  // namespace thrum::host
