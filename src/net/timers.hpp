// Timers of one thread: no system call each, cancelled by destroying them. The owner of the loop asks next() how long it may
// sleep and calls run_due() when it wakes.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace thrum::net {

class Timers;

// One deadline. Belongs to the thing that waits; must not outlive its Timers.
class Timer {
 public:
  Timer(Timers& timers, std::move_only_function<void()> action) : timers_(timers), action_(std::move(action)) {}
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void set(Instant at);  // replaces an earlier one
  void cancel();
  bool is_set() const { return place_ != SIZE_MAX; }

 private:
  friend class Timers;
  Timers& timers_;
  std::move_only_function<void()> action_;
  Instant at_{};
  std::size_t place_ = SIZE_MAX;  // in the heap
};

// A 4-ary heap of pointers: few timers move, most are cancelled.
class Timers {
 public:
  Instant next() const { return heap_.empty() ? kNever : heap_[0]->at_; }
  // Runs what is due at `t`, earliest first; an action may set and destroy any timer, its own included. What it sets to `t` or
  // before comes next time, so that an action that sets itself anew cannot hold the loop.
  void run_due(Instant t);

 private:
  friend class Timer;
  void insert(Timer& t);
  void remove(Timer& t);
  void sift_up(std::size_t i);
  void sift_down(std::size_t i);
  std::vector<Timer*> heap_;
  Instant running_until_ = Instant::min();  // the `t` of a run_due() under way
  Timer* running_ = nullptr;                // whose action runs
};

}  // namespace thrum::net
