// The sockets of a reactor, by slot and generation. Addresses are stable; a slot is used again, a generation is not.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "net/reactor.hpp"

namespace thrum::net {

// `Socket` has `Fd fd` and `std::uint32_t generation`, and is made anew for each use of its slot.
template <class Socket>
class SocketTable {
 public:
  static constexpr std::uint32_t kGenerationMask = 0x0fffffff;  // leaves bits free in what the kernel keeps of a name

  Socket* find(SocketId id) {
    if (id.slot >= sockets_.size()) return nullptr;
    Socket& s = sockets_[id.slot];
    return s.generation == id.generation && s.fd.is_open() ? &s : nullptr;
  }
  const Socket* find(SocketId id) const { return const_cast<SocketTable*>(this)->find(id); }

  SocketId take(Fd fd) {
    std::uint32_t slot;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(sockets_.size());
      sockets_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    Socket& s = sockets_[slot];
    s.fd = std::move(fd);
    return {slot, s.generation};
  }

  // Forgets a socket that is there, and closes what descriptor it still has.
  void release(SocketId id) {
    Socket& s = sockets_[id.slot];
    const std::uint32_t next = (s.generation + 1) & kGenerationMask;
    s = Socket{};
    s.generation = next;
    free_.push_back(id.slot);
  }

  std::size_t in_use() const { return sockets_.size() - free_.size(); }

 private:
  std::deque<Socket> sockets_;
  std::vector<std::uint32_t> free_;
};

}  // namespace thrum::net
