// heap: one allocation in some 64 KiB of them is noted with its stack, and noted again when it is freed. Whoever replaces the
// allocation functions (the program does, the library never) calls the two hooks; switched off, they cost a test of a flag.
// What is written is what was in use when most was, and what was allocated in all.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

namespace thrum::profile {

class HeapProfile {
 public:
  static constexpr std::size_t kPeriod = std::size_t{64} << 10;  // bytes, on average, from one noted allocation to the next

  static void start();  // from now on; once more: from the beginning
  // Stops. A whole file, in pprof's text format of heap profiles.
  static std::string finish();

  // From any thread. `caller`: where the allocation function returns to; stacks begin there.
  static void allocated(void* at, std::size_t size, const void* caller) {
    if (is_on_.load(std::memory_order_relaxed)) [[unlikely]]
      note_allocated(at, size, caller);
  }
  static void freed(void* at) {
    if (is_on_.load(std::memory_order_relaxed)) [[unlikely]]
      note_freed(at);
  }

 private:
  static void note_allocated(void* at, std::size_t size, const void* caller);
  static void note_freed(void* at);
  static std::atomic<bool> is_on_;
};

}  // namespace thrum::profile
