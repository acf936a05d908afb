#include "net/receive_buffers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace thrum::net {
namespace {

void* map(std::size_t size) {
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

ReceiveBuffers::~ReceiveBuffers() {
  if (ring_ != nullptr) munmap(ring_, sizes_.most * sizeof(io_uring_buf));
  if (memory_ != nullptr) munmap(memory_, std::size_t{sizes_.most} * sizes_.bytes);
}

Expected<void> ReceiveBuffers::give_to(Uring& ring) {
  ring_ = static_cast<io_uring_buf_ring*>(map(sizes_.most * sizeof(io_uring_buf)));
  memory_ = static_cast<char*>(map(std::size_t{sizes_.most} * sizes_.bytes));
  if (ring_ == nullptr || memory_ == nullptr) return failure("io_uring: no memory for buffers");
  io_uring_buf_ring_init(ring_);
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uintptr_t>(ring_);
  registration.ring_entries = sizes_.most;
  registration.bgid = kGroup;
  if (const int r = io_uring_register_buf_ring(&ring.raw(), &registration, 0); r < 0)
    return failure(std::string("io_uring: buffers: ") + std::strerror(-r));
  provide(sizes_.fewest);
  return {};
}

void ReceiveBuffers::provide(unsigned count) {
  while (count_ < std::min(count, sizes_.most)) give_back(static_cast<std::uint16_t>(count_++));
}

void ReceiveBuffers::give_back(std::uint16_t buffer) {
  io_uring_buf_ring_add(ring_, memory_ + std::size_t{buffer} * sizes_.bytes, sizes_.bytes, buffer, io_uring_buf_ring_mask(sizes_.most), 0);
  io_uring_buf_ring_advance(ring_, 1);
}

}  // namespace thrum::net
