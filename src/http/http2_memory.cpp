#include "http/http2_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace thrum::http {

Http2Memory::~Http2Memory() {
  while (slabs_ != nullptr) delete std::exchange(slabs_, slabs_->before);
}

void* Http2Memory::take(std::size_t size) { return size <= kLargest ? take_small(size) : take_large(size); }

void* Http2Memory::take_small(std::size_t size) {
  const std::size_t whole = (size + sizeof(Head) + kStep - 1) / kStep * kStep;
  if (Free*& list = free_[whole / kStep - 1]; list != nullptr) {
    Free* piece = list;
    list = piece->next;
    return piece;
  }
  if (left_ < whole) {
    Slab* slab = new (std::nothrow) Slab;  // nothing may be thrown through nghttp2
    if (slab == nullptr) return nullptr;
    slab->before = std::exchange(slabs_, slab);
    next_ = slab->bytes;
    left_ = kSlab;
    held_ += kSlab;
  }
  Head* head = new (next_) Head{whole};
  next_ += whole;
  left_ -= whole;
  return head + 1;
}

void* Http2Memory::take_large(std::size_t size) {
  void* memory = std::malloc(sizeof(Head) + size);
  if (memory == nullptr) return nullptr;
  return new (memory) Head{sizeof(Head) + size} + 1;
}

void* Http2Memory::resize(void* piece, std::size_t size) {
  if (piece == nullptr) return take(size);
  const Head& head = *(static_cast<Head*>(piece) - 1);
  if (is_small(head) && size <= room(head)) return piece;
  void* to = take(size);
  if (to == nullptr) return nullptr;
  std::memcpy(to, piece, std::min(room(head), size));
  give_back(piece);
  return to;
}

void Http2Memory::give_back(void* piece) {
  if (piece == nullptr) return;
  Head* head = static_cast<Head*>(piece) - 1;
  if (!is_small(*head)) return std::free(head);
  Free*& list = free_[head->size / kStep - 1];
  list = new (piece) Free{list};
}

}  // namespace thrum::http
