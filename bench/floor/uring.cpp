// The floor with io_uring: receives that stay armed, buffers that the kernel picks, and one system call for all that a turn sends. One
// thread.
#include <liburing.h>

#include <memory>

#include "request.hpp"

using namespace thrum::bench;

namespace {

constexpr unsigned kBuffers = 4096;
constexpr unsigned kBuffer = 4096;  // bytes
constexpr unsigned kGroup = 0;
constexpr std::uint64_t kSend = std::uint64_t{1} << 32;  // set in the user data of a send; below it is the connection

struct Ring {
  io_uring ring{};
  io_uring_buf_ring* buffers = nullptr;
  std::unique_ptr<char[]> memory{new char[std::size_t{kBuffers} * kBuffer]};  // only what is used is real

  Ring() {
    io_uring_params params{};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE;
    params.cq_entries = 32768;
    if ((errno = -::io_uring_queue_init_params(4096, &ring, &params)) != 0) refuse("floor: io_uring");
    void* page = nullptr;
    if (::posix_memalign(&page, 4096, kBuffers * sizeof(io_uring_buf)) != 0) refuse("floor: memory");
    buffers = static_cast<io_uring_buf_ring*>(page);
    io_uring_buf_reg reg{};
    reg.ring_addr = reinterpret_cast<std::uint64_t>(page);
    reg.ring_entries = kBuffers;
    reg.bgid = kGroup;
    if ((errno = -::io_uring_register_buf_ring(&ring, &reg, 0)) != 0) refuse("floor: buffers");
    ::io_uring_buf_ring_init(buffers);
    for (unsigned i = 0; i < kBuffers; ++i) give_back(i, static_cast<int>(i));
    ::io_uring_buf_ring_advance(buffers, kBuffers);
  }

  void give_back(unsigned id, int offset) {
    ::io_uring_buf_ring_add(buffers, memory.get() + std::size_t{id} * kBuffer, kBuffer, static_cast<unsigned short>(id),
                            ::io_uring_buf_ring_mask(kBuffers), offset);
  }

  io_uring_sqe* entry() {
    io_uring_sqe* sqe = ::io_uring_get_sqe(&ring);
    if (sqe == nullptr) {
      ::io_uring_submit(&ring);
      sqe = ::io_uring_get_sqe(&ring);
    }
    return sqe;
  }

  void receive(int fd) {
    io_uring_sqe* sqe = entry();
    ::io_uring_prep_recv_multishot(sqe, fd, nullptr, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = kGroup;
    ::io_uring_sqe_set_data64(sqe, static_cast<std::uint64_t>(fd));
  }

  void send(int fd, const std::string& bytes) {
    io_uring_sqe* sqe = entry();
    ::io_uring_prep_send(sqe, fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_WAITALL);
    sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
    ::io_uring_sqe_set_data64(sqe, kSend | static_cast<std::uint64_t>(fd));
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Plan plan = plan_from(argc, argv);
  Ring r;
  std::vector<std::size_t> left;  // of the answer, by descriptor
  std::vector<int> all;
  for (int i = 0; i < plan.connections; ++i) all.push_back(connected(plan.port));
  for (const int fd : all) {
    left.resize(std::max<std::size_t>(left.size(), static_cast<std::size_t>(fd) + 1), plan.answer);
    r.receive(fd);
    r.send(fd, plan.request);
  }
  std::uint64_t done = 0;
  const auto end = std::chrono::steady_clock::now() + plan.time;
  while (std::chrono::steady_clock::now() < end) {
    io_uring_cqe* first = nullptr;
    __kernel_timespec wait{.tv_sec = 0, .tv_nsec = 100'000'000};
    ::io_uring_submit_and_wait_timeout(&r.ring, &first, 1, &wait, nullptr);
    unsigned head = 0, seen = 0;
    int given = 0;
    io_uring_cqe* cqe = nullptr;
    io_uring_for_each_cqe(&r.ring, head, cqe) {
      ++seen;
      const std::uint64_t data = ::io_uring_cqe_get_data64(cqe);
      const int fd = static_cast<int>(data & (kSend - 1));
      if ((data & kSend) != 0 || (cqe->res <= 0 && cqe->res != -ENOBUFS)) {
        errno = -cqe->res;
        refuse("floor: send or receive");
      }
      if ((cqe->flags & IORING_CQE_F_BUFFER) != 0) r.give_back(cqe->flags >> IORING_CQE_BUFFER_SHIFT, given++);
      if ((cqe->flags & IORING_CQE_F_MORE) == 0) r.receive(fd);
      if (cqe->res <= 0) continue;
      std::size_t& to_come = left[static_cast<std::size_t>(fd)];
      to_come -= static_cast<std::size_t>(cqe->res);
      if (to_come > 0) continue;
      ++done;
      to_come = plan.answer;
      r.send(fd, plan.request);
    }
    if (given > 0) ::io_uring_buf_ring_advance(r.buffers, given);
    ::io_uring_cq_advance(&r.ring, seen);
  }
  std::printf("%llu\n", static_cast<unsigned long long>(done));
}
