// What the control groups around this process let it have (version 2, version 1, both beside each other), and how often they
// stopped it. Paths are taken below `root`, which only tests set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "thrum/result.hpp"  // Nanos

namespace thrum::host {

// The tightest quota of CPU time of the group and those around it.
struct CpuQuota {
  double cores = 0;
  std::string stat;  // the file that counts how often it was used up
};
std::optional<CpuQuota> cpu_quota(const std::string& root = {});

// Of one group since it was made. Time is that of all its cores together.
struct Throttling {
  std::uint64_t periods = 0, throttled = 0;  // in which the quota was used up
  Nanos time{0};
};
// None: no quota, or the kernel doesn't count.
std::optional<Throttling> throttling(const std::optional<CpuQuota>& quota);
Throttling throttling_from(const std::string& text);  // of a cpu.stat

// The tightest limit of memory, and how much of it is used.
struct MemoryLimit {
  std::uint64_t bytes = 0, used = 0;
};
std::optional<MemoryLimit> memory_limit(const std::string& root = {});

}  // namespace thrum::host
