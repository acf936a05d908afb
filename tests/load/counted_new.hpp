// The global operator new, replaced by one that counts by whose thread it is called on.
#pragma once

#include <atomic>
#include <cstddef>

namespace thrum::counted_new {

enum class Thread { shard, collector, server };

inline std::atomic<bool> is_counting{false};
inline std::atomic<std::size_t> by_shards{0}, by_collector{0};
inline std::atomic<std::ptrdiff_t> alive{0};           // made and not yet freed, servers' threads left out
inline thread_local Thread thread_is = Thread::shard;  // those that nobody named are the attack's own

}  // namespace thrum::counted_new
