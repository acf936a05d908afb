// The buffers that a ring receives into: the kernel takes one when bytes are there, so that a connection that waits holds none.
// A receive that finds none fails with ENOBUFS; then there were too few of them, and more are added, up to a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/uring.hpp"

namespace thrum::net {

class ReceiveBuffers {
 public:
  static constexpr std::uint16_t kGroup = 0;
  struct Sizes {
    unsigned bytes = 20 * 1024;  // of one buffer: a whole record of TLS, or an answer of 16 KiB with its head
    unsigned fewest = 16, most = 256;
  };

  explicit ReceiveBuffers(Sizes sizes) : sizes_(sizes) {}
  ~ReceiveBuffers();
  ReceiveBuffers(const ReceiveBuffers&) = delete;
  ReceiveBuffers& operator=(const ReceiveBuffers&) = delete;

  Expected<void> give_to(Uring& ring);
  // There were too few: half as many again. A burst that is over by the next turn needs no more.
  void add() { provide(count_ + count_ / 2); }
  std::span<char> bytes(std::uint16_t buffer, std::size_t size) const { return {memory_ + buffer * sizes_.bytes, size}; }
  // The kernel may use it again.
  void give_back(std::uint16_t buffer);

 private:
  void provide(unsigned count);

  Sizes sizes_;
  io_uring_buf_ring* ring_ = nullptr;  // shared with the kernel
  char* memory_ = nullptr;             // for the most buffers; what is not used costs nothing
  unsigned count_ = 0;                 // given to the kernel so far
};

}  // namespace thrum::net
