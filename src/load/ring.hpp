// A bounded queue from one thread to one other, without locks: the way of results out of a shard, and of lazily read targets
// into one. Each side keeps a copy of the other's position, so that a push or pop usually touches no shared cache line. Where
// there was nothing left to take, the producer starts again at the first slot: what is resident is what once waited, not all of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace thrum::load {

template <class T>
class Ring {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // `capacity`: a power of two. Its memory becomes resident as it is used: no slot is touched before something is put there.
  explicit Ring(std::size_t capacity) : mask_(capacity - 1), slots_(std::allocator<T>().allocate(capacity)) {}
  ~Ring() { std::allocator<T>().deallocate(slots_, capacity()); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  std::size_t capacity() const { return mask_ + 1; }
  // Of either side; may be out of date by the time it is known.
  std::size_t size() const {
    const std::size_t head = head_.load(std::memory_order_acquire);
    const std::size_t tail = std::max(tail_.load(std::memory_order_relaxed), start_.load(std::memory_order_relaxed));
    return head > tail ? head - tail : 0;
  }

  // Producer: false when full.
  bool push(const T& value) {
    std::size_t head = head_.load(std::memory_order_relaxed);
    // Nobody takes anything now, for there is nothing: skips to the next position that is slot 0.
    if ((head & mask_) > mask_ / 16 && tail_.load(std::memory_order_acquire) == head) {
      head = seen_tail_ = (head | mask_) + 1;
      start_.store(head, std::memory_order_relaxed);  // seen with the head that follows
    }
    if (head - seen_tail_ > mask_) {
      seen_tail_ = std::max(tail_.load(std::memory_order_acquire), start_.load(std::memory_order_relaxed));
      if (head - seen_tail_ > mask_) return false;
    }
    std::construct_at(&slots_[head & mask_], value);
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Consumer: false when empty.
  bool pop(T& value) {
    std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == seen_head_) {
      seen_head_ = head_.load(std::memory_order_acquire);
      if (tail == seen_head_) return false;
      tail = std::max(tail, start_.load(std::memory_order_relaxed));
    }
    value = slots_[tail & mask_];
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

 private:
  const std::size_t mask_;
  T* const slots_;
  alignas(64) std::atomic<std::size_t> head_{0};
  std::size_t seen_tail_ = 0;
  std::atomic<std::size_t> start_{0};  // positions before it that were not taken never held anything
  alignas(64) std::atomic<std::size_t> tail_{0};
  std::size_t seen_head_ = 0;
};

}  // namespace thrum::load
