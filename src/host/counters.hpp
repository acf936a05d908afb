// What the kernel counts and a run may suffer from: looked at when it begins and when it is over. Paths are taken below `root`,
// which only tests set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "host/control_groups.hpp"

namespace thrum::host {

// Connections that no listener of this machine had room for, and SYNs that were dropped with them.
struct ListenCounters {
  std::uint64_t overflows = 0, drops = 0;
};
std::optional<ListenCounters> listen_counters(const std::string& root = {});

// Of all cores together, in ticks since the machine started: all time, and that which the host of a virtual machine kept for others,
// and that in which nobody wanted any.
struct CoreTimes {
  std::uint64_t all = 0, stolen = 0, idle = 0;
};
std::optional<CoreTimes> core_times(const std::string& root = {});
std::optional<CoreTimes> core_times_from(const std::string& stat);  // the text of /proc/stat

// How many cores had nothing to do since the look before.
class IdleCores {
 public:
  explicit IdleCores(std::uint32_t cores) : cores_(cores) {}
  // A look in less than `kShortest` after the one before gives what that one gave. 0 while nothing is known.
  double look(Instant t, const std::string& root = {});

 private:
  static constexpr std::chrono::milliseconds kShortest{400};

  std::uint32_t cores_;
  std::optional<CoreTimes> before_;
  Instant looked_ = kNever;
  double idle_ = 0;
};

struct Counters {
  std::optional<CpuQuota> quota;
  std::optional<Throttling> throttling;
  std::optional<CoreTimes> core_times;
  std::optional<ListenCounters> listen;
};
Counters counters(const std::string& root = {});

// From one look to the next; what only one of them knew stays zero.
struct Difference {
  double quota = 0;  // cores; 0: none
  std::uint64_t periods = 0, throttled = 0;
  Nanos throttled_time{0};
  double stolen = 0;  // share of the cores' time
  std::uint64_t listen_overflows = 0;
};
Difference difference(const Counters& before, const Counters& after);

}  // namespace thrum::host
