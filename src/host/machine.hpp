// What else of this machine shows in figures: its clock, its cores' speed, its memory, whether it is a virtual one. Paths are
// taken below `root`, which only tests set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thrum::host {

// "tsc" and the like; empty: unknown.
std::string clock_source(const std::string& root = {});

// Who sets the speed of cores, and of how many: {"powersave", 8}. Empty: nobody that can be seen.
std::vector<std::pair<std::string, std::uint32_t>> governors(const std::string& root = {});

struct Memory {
  std::uint64_t bytes = 0, available = 0;
};
std::optional<Memory> memory(const std::string& root = {});

// None: the processor doesn't say.
std::optional<bool> is_virtual(const std::string& root = {});

enum class IoUring : std::uint8_t {
  allowed,
  disabled,  // by kernel.io_uring_disabled
  refused,   // by whoever started this process: a container's filter
  missing,   // the kernel has none
};
// None: can't be told without asking the kernel, which only happens without `root`.
std::optional<IoUring> io_uring(const std::string& root = {});

}  // namespace thrum::host
