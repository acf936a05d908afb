#include "net/uring.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace thrum::net {
namespace {

// Completions are made only while we are in the kernel, by our own thread; whether there are any to be made is a flag in memory.
constexpr unsigned kFlags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_R_DISABLED |
                            IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
constexpr unsigned kFeatures = IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG | IORING_FEAT_FAST_POLL | IORING_FEAT_CQE_SKIP;

std::string why_not(int error) {
  switch (error) {
    case ENOSYS:
      return "io_uring: this kernel has none; Linux 6.1 or newer does";
    case EINVAL:
      return "io_uring: this kernel's is too old; it takes Linux 6.1 or newer";
    case EPERM:
    case EACCES:
      return "io_uring: forbidden here, by a container's seccomp profile or by sysctl kernel.io_uring_disabled";
    default:
      return std::string("io_uring: ") + std::strerror(error);
  }
}

}  // namespace

Expected<std::unique_ptr<Uring>> Uring::create(Sizes sizes) {
  std::unique_ptr<Uring> made(new Uring);
  io_uring_params params{};
  params.flags = kFlags;
  params.cq_entries = sizes.completions;
  if (const int r = io_uring_queue_init_params(sizes.entries, &made->ring_, &params); r < 0) return failure(why_not(-r));
  made->is_made_ = true;
  if ((params.features & kFeatures) != kFeatures) return failure(why_not(EINVAL));
  return made;
}

// Descriptors whose closing the kernel has not been told of are closed all the same.
Uring::~Uring() {
  if (!is_made_) return;
  for (unsigned i = *ring_.sq.khead; i != ring_.sq.sqe_tail; ++i) {
    const io_uring_sqe& e = ring_.sq.sqes[i & ring_.sq.ring_mask];
    if (e.opcode == IORING_OP_CLOSE) ::close(e.fd);
  }
  io_uring_queue_exit(&ring_);
}

bool Uring::is_own_thread() const { return is_enabled_ && pthread_equal(thread_, pthread_self()) != 0; }

void Uring::enable() {
  is_enabled_ = true;
  thread_ = pthread_self();
  io_uring_enable_rings(&ring_);
  io_uring_register_ring_fd(&ring_);  // one look-up less per system call; where it fails, that stays
}

io_uring_sqe& Uring::entry() {
  for (;;) {
    if (io_uring_sqe* e = io_uring_get_sqe(&ring_); e != nullptr) return *e;
    if (!is_enabled_) enable();
    // Short of memory the kernel takes none (EAGAIN), or wants completions to be taken first (EBUSY).
    if (io_uring_submit(&ring_) <= 0) sched_yield();
  }
}

bool Uring::must_enter() const {
  const unsigned flags = io_uring_smp_load_acquire(ring_.sq.kflags);
  return has_queued() || (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

void Uring::wait(Instant until) {
  if (!is_enabled_) enable();
  if (completions() > 0) until = Instant::min();
  const std::int64_t left = until == kNever || until == Instant::min() ? 0 : std::max<std::int64_t>(0, (until - now()).count());
  if (until != kNever && left == 0) {
    if (must_enter()) io_uring_submit_and_get_events(&ring_);
    return;
  }
  io_uring_cqe* first = nullptr;
  __kernel_timespec limit{left / 1'000'000'000, left % 1'000'000'000};
  io_uring_submit_and_wait_timeout(&ring_, &first, 1, until == kNever ? nullptr : &limit, nullptr);
}

bool Uring::take(io_uring_cqe& into) {
  const unsigned head = *ring_.cq.khead;
  if (head == io_uring_smp_load_acquire(ring_.cq.ktail)) return false;
  into = ring_.cq.cqes[head & ring_.cq.ring_mask];
  io_uring_cq_advance(&ring_, 1);
  return true;
}

}  // namespace thrum::net
