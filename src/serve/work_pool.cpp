#include "serve/work_pool.hpp"

#include <utility>

namespace thrum::serve {

WorkPool::WorkPool(net::Timers& timers, Instant (*clock)(), unsigned workers, Nanos work, Finish finish)
    : clock_(clock), work_(work), finish_(std::move(finish)) {
  for (unsigned i = 0; i < workers; ++i) {
    workers_.push_back(std::make_unique<Worker>(*this, timers));
    free_.push_back(workers_.back().get());
  }
}

void WorkPool::submit(Ticket ticket) {
  const Job job{ticket, clock_()};
  if (!free_.empty()) {
    Worker& worker = *free_.back();
    free_.pop_back();
    return begin(worker, job, job.arrived);
  }
  pruning_.prune_if_grown(queue_);
  queue_.push_back(job);
}

void WorkPool::begin(Worker& worker, const Job& job, Instant at) {
  worker.job = job;
  worker.begun = at;
  worker.due = at + work_;
  worker.timer.set(worker.due);
}

// The next job begins when this one was due to end, not when the loop came round to it: the capacity is exactly workers / work.
void WorkPool::end(Worker& worker) {
  const Job finished = *worker.job;
  const Instant begun = worker.begun;
  worker.job.reset();
  ++done_;
  while (!queue_.empty() && !queue_.front().ticket.is_waiting()) queue_.pop_front();
  if (queue_.empty()) {
    free_.push_back(&worker);
  } else {
    const Job next = queue_.front();
    queue_.pop_front();
    begin(worker, next, std::max(worker.due, next.arrived));
  }
  finish_(finished.ticket, begun - finished.arrived);
}

DelayLine::DelayLine(net::Timers& timers, Instant (*clock)(), Finish finish)
    : clock_(clock), finish_(std::move(finish)), timer_(timers, [this] { finish_due(); }) {}

void DelayLine::submit(Ticket ticket, Nanos delay, std::uint64_t bytes) {
  if (pruning_.prune_if_grown(heap_)) std::ranges::make_heap(heap_, std::greater<>());
  heap_.push_back({clock_() + delay, next_order_++, ticket, bytes});
  std::ranges::push_heap(heap_, std::greater<>());
  timer_.set(heap_.front().at);
}

void DelayLine::finish_due() {
  const Instant t = clock_();
  while (!heap_.empty() && heap_.front().at <= t) {
    std::ranges::pop_heap(heap_, std::greater<>());
    const Due due = heap_.back();
    heap_.pop_back();
    finish_(due.ticket, due.bytes);  // may submit again
  }
  if (!heap_.empty()) timer_.set(heap_.front().at);
}

}  // namespace thrum::serve
