// Room host: what this machine lets a process have: descriptors, local ports, cores. It must not know HTTP, nor who asks.
//
// Figures are read when asked for. Paths are taken below `root`, which only tests set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "thrum/error.hpp"

namespace thrum::host {

// How many descriptors this process may have open: now, and if it asks for all that it may have.
struct DescriptorLimits {
  static constexpr std::uint64_t kNone = UINT64_MAX;
  std::uint64_t soft = kNone, hard = kNone;
};
DescriptorLimits descriptor_limits();
// Raises the soft limit to the hard one, and returns what holds then. It changes the whole process (and its children): a
// program may do so, a library may not.
Expected<DescriptorLimits> raise_descriptor_limit();

// The local ports that the kernel gives to connections (net.ipv4.ip_local_port_range, for both families): as many at once, at
// most, to one address and port; a connection that we close first keeps its own for a minute more (TIME_WAIT).
struct PortRange {
  std::uint16_t first = 32768, last = 60999;  // the kernel's defaults
  std::uint32_t count() const { return static_cast<std::uint32_t>(last) - first + 1; }
  bool operator==(const PortRange&) const = default;
};
PortRange local_ports(const std::string& root = {});

// The cores that this process may run on, and the share of time that its control groups allow.
struct Cores {
  std::uint32_t allowed = 1;    // by affinity
  std::optional<double> quota;  // in cores, as cgroup v2 or v1 limit it; the tightest of the group and those around it
  // Threads that can all be busy at once: a thread more than the quota holds would get all of them stopped in turn.
  std::uint32_t usable() const;
};
Cores cores(const std::string& root = {});

// How long the calling thread has been ready to run without a core, in nanoseconds; none where the kernel doesn't say.
std::optional<std::uint64_t> waited_for_core();

}  // namespace thrum::host
