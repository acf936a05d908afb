#include "net/timers.hpp"

#include <algorithm>

namespace thrum::net {

Timer::~Timer() {
  cancel();
  if (timers_.running_ == this) timers_.running_ = nullptr;
}

void Timer::set(Instant at) {
  cancel();
  at_ = std::max(at, timers_.running_until_ == Instant::min() ? at : timers_.running_until_ + Instant::duration(1));
  timers_.insert(*this);
}

void Timer::cancel() {
  if (is_set()) timers_.remove(*this);
}

void Timers::insert(Timer& t) {
  t.place_ = heap_.size();
  heap_.push_back(&t);
  sift_up(t.place_);
}

void Timers::remove(Timer& t) {
  const std::size_t i = t.place_;
  t.place_ = SIZE_MAX;
  Timer* last = heap_.back();
  heap_.pop_back();
  if (last == &t) return;
  heap_[i] = last;
  last->place_ = i;
  sift_up(i);
  sift_down(last->place_);
}

void Timers::run_due(Instant t) {
  if (heap_.empty() || heap_[0]->at_ > t) return;
  running_until_ = t;
  while (!heap_.empty() && heap_[0]->at_ <= t) {
    Timer& due = *heap_[0];
    remove(due);
    running_ = &due;
    // Held here while it runs: it may destroy its timer.
    auto action = std::move(due.action_);
    action();
    if (running_ != nullptr) due.action_ = std::move(action);
  }
  running_ = nullptr;
  running_until_ = Instant::min();
}

void Timers::sift_up(std::size_t i) {
  Timer* t = heap_[i];
  while (i > 0) {
    const std::size_t up = (i - 1) / 4;
    if (heap_[up]->at_ <= t->at_) break;
    heap_[i] = heap_[up];
    heap_[i]->place_ = i;
    i = up;
  }
  heap_[i] = t;
  t->place_ = i;
}

void Timers::sift_down(std::size_t i) {
  Timer* t = heap_[i];
  for (;;) {
    const std::size_t first = i * 4 + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + 4, heap_.size());
    std::size_t least = first;
    for (std::size_t c = first + 1; c < end; ++c)
      if (heap_[c]->at_ < heap_[least]->at_) least = c;
    if (heap_[least]->at_ >= t->at_) break;
    heap_[i] = heap_[least];
    heap_[i]->place_ = i;
    i = least;
  }
  heap_[i] = t;
  t->place_ = i;
}

}  // namespace thrum::net
