// Sends that leave together, with the next system call of a ring: copies of their bytes, which lie still until the kernel has
// taken them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "net/reactor.hpp"

namespace thrum::net {

class Outbox {
 public:
  static constexpr std::size_t kRoom = 64 * 1024;
  static constexpr std::size_t kMostEach = 4 * 1024;  // copying more costs more than a system call of its own

  bool has_room_for(std::size_t size) const { return size <= kMostEach && size <= kRoom - used_; }
  // Copies what there is room for.
  std::span<const char> add(SocketId id, std::span<const char> head, std::span<const char> body) {
    if (bytes_ == nullptr) bytes_.reset(new char[kRoom]);  // not initialised: only what is used becomes resident
    parts_.push_back({id, {bytes_.get() + used_, 0}});
    return add_to_last(head, body);
  }
  std::span<const char> add_to_last(std::span<const char> head, std::span<const char> body) {
    std::span<const char>& part = parts_.back().bytes;
    for (const auto piece : {head, body}) {
      if (!piece.empty()) std::memcpy(bytes_.get() + used_, piece.data(), piece.size());
      used_ += piece.size();
      part = {part.data(), part.size() + piece.size()};
    }
    return part;
  }
  // What a socket has in it; empty: nothing.
  std::span<const char> of(SocketId id) const {
    for (const Part& p : parts_)
      if (p.id == id) return p.bytes;
    return {};
  }
  // Which filling of the box this is: a socket that has something in it remembers the number.
  std::uint32_t filling() const { return filling_; }
  bool is_empty() const { return parts_.empty(); }
  void clear() {
    used_ = 0;
    parts_.clear();
    ++filling_;
  }

 private:
  struct Part {
    SocketId id;
    std::span<const char> bytes;
  };
  std::unique_ptr<char[]> bytes_;
  std::size_t used_ = 0;
  std::vector<Part> parts_;
  std::uint32_t filling_ = 1;
};

}  // namespace thrum::net
