#include "profile/heap_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <mutex>

#include "profile/stack.hpp"

namespace thrum::profile {
namespace {

// Nothing here may allocate while the lock is held or a note is made: tables are of fixed size. What doesn't fit is left out.
constexpr std::size_t kMostStacks = 4096, kMostLive = std::size_t{1} << 16;

struct Amount {
  std::uint64_t count = 0, bytes = 0;
  void add(std::size_t size) { ++count, bytes += size; }
  void take(std::size_t size) { --count, bytes -= size; }
};

struct Place {
  Stack stack;
  Amount in_use, at_peak, in_all;
};

struct Live {
  void* at = nullptr;
  std::uint32_t place = 0;
  std::size_t size = 0;
};

struct Tables {
  std::mutex mutex;
  std::array<Place, kMostStacks> places{};
  std::array<std::uint16_t, kMostStacks * 2> index{};  // by hash of the stack: 0 or the number of a place, from 1
  std::size_t places_used = 0;
  std::array<Live, kMostLive> live{};  // by address, in a row with gaps closed on removal
  std::size_t live_used = 0;
  std::uint64_t in_use = 0, peak = 0;  // bytes
  // How many live addresses there are by a hash of them, so that most of what is freed is known at a glance to be unknown.
  std::array<std::atomic<std::uint32_t>, std::size_t{1} << 16> glance{};
};

// Zeros from the start: a program that takes no profile never touches these four megabytes.
constinit Tables tables;

// Per thread: bytes until the next allocation that is noted, the state of its randomness, and whether a note is being made.
thread_local std::int64_t bytes_left = 0;
thread_local std::uint64_t random_state = 0;
thread_local bool is_noting = false;

// Exponential, so that no pattern of sizes can hide: each byte is as likely as any other to be the one that is noted.
std::int64_t next_distance() {
  if (random_state == 0) random_state = reinterpret_cast<std::uintptr_t>(&random_state) * 0x9e3779b97f4a7c15 | 1;
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  const double uniform = (static_cast<double>(random_state >> 11) + 1) / 9007199254740993.0;  // (0, 1)
  return 1 + static_cast<std::int64_t>(-std::log(uniform) * static_cast<double>(HeapProfile::kPeriod));
}

std::uint64_t hash_of(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15;
  return x ^ x >> 32;
}

std::size_t slot_of(const void* at) { return hash_of(reinterpret_cast<std::uintptr_t>(at)) % kMostLive; }
std::atomic<std::uint32_t>& glance_at(const void* at) {
  return tables.glance[hash_of(reinterpret_cast<std::uintptr_t>(at) >> 4) % tables.glance.size()];
}

// The place's number; kMostStacks: no room for it.
std::size_t place_of(const Stack& stack) {
  std::uint64_t hash = 0;
  for (const std::uintptr_t pc : stack.used()) hash = hash_of(hash ^ pc);
  for (std::size_t i = hash % tables.index.size();; i = (i + 1) % tables.index.size()) {
    const std::uint16_t known = tables.index[i];
    if (known != 0) {
      if (std::ranges::equal(tables.places[known - 1u].stack.used(), stack.used())) return known - 1u;
      continue;
    }
    if (tables.places_used == kMostStacks) return kMostStacks;
    tables.places[tables.places_used].stack = stack;
    tables.index[i] = static_cast<std::uint16_t>(++tables.places_used);
    return tables.places_used - 1;
  }
}

void note_peak() {
  if (tables.in_use <= tables.peak + tables.peak / 32) return;  // each step costs a pass over all places
  tables.peak = tables.in_use;
  for (std::size_t i = 0; i < tables.places_used; ++i) tables.places[i].at_peak = tables.places[i].in_use;
}

void insert_live(void* at, std::size_t size, std::size_t place) {
  std::size_t i = slot_of(at);
  while (tables.live[i].at != nullptr) i = (i + 1) % kMostLive;
  tables.live[i] = {at, static_cast<std::uint32_t>(place), size};
  ++tables.live_used;
  glance_at(at).fetch_add(1, std::memory_order_relaxed);
}

// Closes the gap, so that every entry is still found from its slot on.
void remove_live(std::size_t gap) {
  glance_at(tables.live[gap].at).fetch_sub(1, std::memory_order_relaxed);
  --tables.live_used;
  for (std::size_t i = (gap + 1) % kMostLive; tables.live[i].at != nullptr; i = (i + 1) % kMostLive) {
    const std::size_t home = slot_of(tables.live[i].at);
    if ((i + kMostLive - home) % kMostLive < (i + kMostLive - gap) % kMostLive) continue;
    tables.live[gap] = tables.live[i];
    gap = i;
  }
  tables.live[gap] = {};
}

}  // namespace

std::atomic<bool> HeapProfile::is_on_{false};

void HeapProfile::start() {
  const std::lock_guard lock(tables.mutex);
  for (std::size_t i = 0; i < tables.places_used; ++i) tables.places[i] = {};
  tables.places_used = 0;
  tables.index.fill(0);
  tables.live.fill({});
  tables.live_used = 0;
  for (auto& count : tables.glance) count.store(0, std::memory_order_relaxed);
  tables.in_use = tables.peak = 0;
  prepare_stacks();
  is_on_.store(true);
}

void HeapProfile::note_allocated(void* at, std::size_t size, const void* caller) {
  if (bytes_left == 0) bytes_left = next_distance();  // the thread's first
  bytes_left -= static_cast<std::int64_t>(std::min<std::size_t>(size, INT64_MAX / 2));
  if (bytes_left > 0 || is_noting || at == nullptr) return;
  is_noting = true;
  bytes_left = next_distance();
  const Stack stack = from(reinterpret_cast<std::uintptr_t>(caller));
  {
    const std::lock_guard lock(tables.mutex);
    const std::size_t place = tables.live_used < kMostLive / 2 ? place_of(stack) : kMostStacks;
    if (place != kMostStacks) {
      tables.places[place].in_use.add(size);
      tables.places[place].in_all.add(size);
      tables.in_use += size;
      insert_live(at, size, place);
      note_peak();
    }
  }
  is_noting = false;
}

void HeapProfile::note_freed(void* at) {
  if (at == nullptr || is_noting || glance_at(at).load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(tables.mutex);
  for (std::size_t i = slot_of(at); tables.live[i].at != nullptr; i = (i + 1) % kMostLive) {
    const Live entry = tables.live[i];
    if (entry.at != at) continue;
    tables.places[entry.place].in_use.take(entry.size);
    tables.in_use -= entry.size;
    remove_live(i);
    return;
  }
}

// "heap_v2" and the period tell readers that counts are samples, to be scaled up by size.
std::string HeapProfile::finish() {
  is_on_.store(false);
  const std::lock_guard lock(tables.mutex);
  Amount at_peak, in_all;
  std::string lines;
  for (std::size_t i = 0; i < tables.places_used; ++i) {
    const Place& p = tables.places[i];
    at_peak.count += p.at_peak.count, at_peak.bytes += p.at_peak.bytes;
    in_all.count += p.in_all.count, in_all.bytes += p.in_all.bytes;
    fmt::format_to(std::back_inserter(lines), "{}: {} [{}: {}] @", p.at_peak.count, p.at_peak.bytes, p.in_all.count, p.in_all.bytes);
    for (const std::uintptr_t pc : p.stack.used()) fmt::format_to(std::back_inserter(lines), " {:#x}", pc);
    lines += '\n';
  }
  return fmt::format("heap profile: {}: {} [{}: {}] @ heap_v2/{}\n{}\nMAPPED_LIBRARIES:\n{}", at_peak.count, at_peak.bytes, in_all.count,
                     in_all.bytes, kPeriod, lines, mappings());
}

}  // namespace thrum::profile
