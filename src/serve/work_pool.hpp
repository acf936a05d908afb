// Requests that take time, without threads: a pool of workers that take jobs first come first served, and a line of answers
// that are due at some instant. Both are driven by timers on the server's thread. A job whose client is gone is dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "net/timers.hpp"
#include "serve/server.hpp"

namespace thrum::serve {

// Says when a queue of tickets is to forget those nobody waits for any more: each time it has doubled, so that it can't outgrow
// the clients that are still there.
class Pruning {
 public:
  template <class Queue>
  bool prune_if_grown(Queue& queue) {
    if (queue.size() < limit_) return false;
    std::erase_if(queue, [](const auto& entry) { return !entry.ticket.is_waiting(); });
    limit_ = std::max<std::size_t>(1024, queue.size() * 2);
    return true;
  }

 private:
  std::size_t limit_ = 1024;
};

class WorkPool {
 public:
  using Finish = std::function<void(Ticket ticket, Nanos waited)>;  // in the queue, before the work began
  // `work`: how long a job takes a worker.
  WorkPool(net::Timers& timers, Instant (*clock)(), unsigned workers, Nanos work, Finish finish);

  void submit(Ticket ticket);
  std::size_t queued() const { return queue_.size(); }
  std::uint64_t done() const { return done_; }

 private:
  struct Job {
    Ticket ticket;
    Instant arrived;
  };
  struct Worker {
    Worker(WorkPool& pool, net::Timers& timers) : timer(timers, [&pool, this] { pool.end(*this); }) {}
    net::Timer timer;
    std::optional<Job> job;
    Instant begun{}, due{};
  };
  void begin(Worker& worker, const Job& job, Instant at);
  void end(Worker& worker);

  Instant (*const clock_)();
  const Nanos work_;
  const Finish finish_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> free_;
  std::deque<Job> queue_;
  Pruning pruning_;
  std::uint64_t done_ = 0;
};

class DelayLine {
 public:
  using Finish = std::function<void(Ticket ticket, std::uint64_t bytes)>;
  DelayLine(net::Timers& timers, Instant (*clock)(), Finish finish);
  void submit(Ticket ticket, Nanos delay, std::uint64_t bytes);
  std::size_t waiting() const { return heap_.size(); }

 private:
  struct Due {
    Instant at;
    std::uint64_t order;  // among equals, as they came
    Ticket ticket;
    std::uint64_t bytes;
    bool operator>(const Due& o) const { return at != o.at ? at > o.at : order > o.order; }
  };
  void finish_due();

  Instant (*const clock_)();
  const Finish finish_;
  std::vector<Due> heap_;
  std::uint64_t next_order_ = 0;
  Pruning pruning_;
  net::Timer timer_;
};

}  // namespace thrum::serve
