// Memory for what one batch of results needs besides its input bytes (unescaped text, decoded bodies, header lists).
// Addresses are stable until clear(), which keeps the largest chunk, so that a steady stream allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace thrum {

class Scratch {
 public:
  char* take(std::size_t bytes) {
    if (bytes > left_) add_chunk(bytes);
    char* const p = next_;
    next_ += bytes, left_ -= bytes;
    return p;
  }
  // Gives back the end of what the last take() gave.
  void give_back(std::size_t bytes) { next_ -= bytes, left_ += bytes; }

  std::string_view copy(std::string_view s) {
    char* const p = take(s.size());
    if (!s.empty()) std::memcpy(p, s.data(), s.size());
    return {p, s.size()};
  }

  template <class T>
  std::span<const T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);
    if (items.empty()) return {};
    char* p = take(items.size_bytes() + alignof(T) - 1);
    p += (alignof(T) - reinterpret_cast<std::uintptr_t>(p) % alignof(T)) % alignof(T);
    std::memcpy(p, items.data(), items.size_bytes());
    return {reinterpret_cast<const T*>(p), items.size()};
  }

  void clear() {
    constexpr std::size_t kKeep = std::size_t{1} << 20;  // a giant is not worth holding on to
    if (chunks_.size() > 1 || total_ > kKeep) {
      const std::size_t all = std::min(total_, kKeep);
      chunks_.clear();
      total_ = left_ = 0;
      add_chunk(all);
    } else if (!chunks_.empty()) {
      next_ = chunks_.front().get(), left_ = total_;
    }
  }

 private:
  void add_chunk(std::size_t least) {
    const std::size_t size = std::max<std::size_t>(least, 16 * 1024);
    chunks_.emplace_back(new char[size]);
    next_ = chunks_.back().get(), left_ = size;
    total_ += size;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0, total_ = 0;
};

}  // namespace thrum
