// Memory for nghttp2, which takes and gives back a dozen small pieces for each request: lists of pieces by size, which belong to
// one thread and are never given back before its end. Larger pieces come from the heap.
#pragma once

#include <array>
#include <cstddef>

namespace thrum::http {

class Http2Memory {
 public:
  static constexpr std::size_t kLargest = 1008;  // of a small piece

  Http2Memory() = default;
  ~Http2Memory();
  Http2Memory(const Http2Memory&) = delete;
  Http2Memory& operator=(const Http2Memory&) = delete;

  // Aligned for anything; null: there is none. What is taken here is given back here, and before this object is gone.
  void* take(std::size_t size);
  void* resize(void* piece, std::size_t size);  // as realloc() does
  void give_back(void* piece);                  // null is nothing
  std::size_t held() const { return held_; }    // bytes

 private:
  static constexpr std::size_t kStep = 32, kSlab = 64 * 1024;

  // Before each piece.
  struct alignas(std::max_align_t) Head {
    std::size_t size;  // with this head, a multiple of kStep; of larger ones what was asked for
  };
  static constexpr std::size_t kLists = (kLargest + sizeof(Head)) / kStep;
  struct Free {
    Free* next;
  };
  struct Slab {
    Slab* before;
    alignas(std::max_align_t) std::byte bytes[kSlab];
  };

  void* take_small(std::size_t size);
  void* take_large(std::size_t size);
  static bool is_small(const Head& head) { return head.size <= kLists * kStep; }
  static std::size_t room(const Head& head) { return head.size - sizeof(Head); }

  std::array<Free*, kLists> free_{};
  Slab* slabs_ = nullptr;      // all of them, the last one first
  std::byte* next_ = nullptr;  // of the last one, not used yet
  std::size_t left_ = 0;
  std::size_t held_ = 0;
};

}  // namespace thrum::http
