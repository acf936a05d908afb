// The ring itself: entries in, completions out, one system call for both. It belongs to the thread that first enters the kernel
// with it; before, anybody may queue entries (as long as there is room), and after that thread has ended, the destructor works
// from any.
#pragma once

#include <liburing.h>

#include <memory>

#include "base/clock.hpp"
#include "thrum/error.hpp"

namespace thrum::net {

class Uring {
 public:
  struct Sizes {
    unsigned entries = 128;       // queued between two system calls
    unsigned completions = 1024;  // what comes beyond waits in the kernel
  };
  // Errors: what keeps this process from using io_uring, in a line.
  static Expected<std::unique_ptr<Uring>> create(Sizes sizes);
  ~Uring();
  Uring(const Uring&) = delete;
  Uring& operator=(const Uring&) = delete;

  // The next entry to fill in; never null: when the queue is full, it is handed to the kernel first.
  io_uring_sqe& entry();
  // The one filled in last, if the kernel has not seen it.
  io_uring_sqe* last_queued() { return has_queued() ? &ring_.sq.sqes[(ring_.sq.sqe_tail - 1) & ring_.sq.ring_mask] : nullptr; }
  // Hands over what is queued, and waits until there are completions, or `until`; a past instant: only looks.
  void wait(Instant until);
  // Takes the next completion. False: there is none.
  bool take(io_uring_cqe& into);
  // Calls `look` with each that is to be taken, oldest first.
  template <class Look>
  void look_at_completions(Look look) {
    const unsigned end = io_uring_smp_load_acquire(ring_.cq.ktail);
    for (unsigned at = *ring_.cq.khead; at != end; ++at) look(ring_.cq.cqes[at & ring_.cq.ring_mask]);
  }
  // There were more completions than the ring holds: those that it lacks come later.
  bool lacks_completions() const { return (io_uring_smp_load_acquire(ring_.sq.kflags) & IORING_SQ_CQ_OVERFLOW) != 0; }
  bool has_queued() const { return io_uring_sq_ready(&ring_) > 0; }
  unsigned completions() const { return io_uring_cq_ready(&ring_); }  // to be taken
  bool is_own_thread() const;
  io_uring& raw() { return ring_; }

 private:
  Uring() = default;
  void enable();
  bool must_enter() const;

  io_uring ring_{};
  bool is_made_ = false;
  bool is_enabled_ = false;
  pthread_t thread_{};
};

}  // namespace thrum::net
