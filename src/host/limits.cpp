#include "host/limits.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "host/control_groups.hpp"
#include "host/kernel_text.hpp"

namespace thrum::host {
namespace {

std::uint32_t allowed_cores() {
  // The mask may be wider than cpu_set_t holds: the kernel says EINVAL until it fits.
  for (int width = 1024; width <= 1 << 20; width *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(width));
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(width));
    const int r = sched_getaffinity(0, size, set);
    const int error = errno;
    const int count = r == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (r == 0) return static_cast<std::uint32_t>(std::max(count, 1));
    if (error != EINVAL) break;
  }
  return 1;
}

}  // namespace

DescriptorLimits descriptor_limits() {
  rlimit r{};
  if (getrlimit(RLIMIT_NOFILE, &r) != 0) return {};
  const auto value = [](rlim_t v) { return v == RLIM_INFINITY ? DescriptorLimits::kNone : static_cast<std::uint64_t>(v); };
  return {value(r.rlim_cur), value(r.rlim_max)};
}

Expected<DescriptorLimits> raise_descriptor_limit() {
  rlimit r{};
  if (getrlimit(RLIMIT_NOFILE, &r) != 0) return failure(std::string("can't read the limit of open files: ") + std::strerror(errno));
  if (r.rlim_cur != r.rlim_max) {
    r.rlim_cur = r.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &r) != 0) return failure(std::string("can't raise the limit of open files: ") + std::strerror(errno));
  }
  return descriptor_limits();
}

PortRange local_ports(const std::string& root) {
  const std::string text = read_text(root + "/proc/sys/net/ipv4/ip_local_port_range");
  const auto words = split(text, " \t\n");
  if (words.size() != 2) return {};
  const auto first = number<std::uint16_t>(words[0]), last = number<std::uint16_t>(words[1]);
  return first && last && *first <= *last ? PortRange{*first, *last} : PortRange{};
}

std::uint32_t Cores::usable() const {
  if (!quota) return allowed;
  return std::clamp(static_cast<std::uint32_t>(std::min(std::floor(*quota + 1e-9), 1e6)), std::uint32_t{1}, allowed);
}

Cores cores(const std::string& root) {
  const auto quota = cpu_quota(root);
  return {allowed_cores(), quota ? std::optional(quota->cores) : std::nullopt};
}

// /proc/thread-self/schedstat: time on a core, time waiting for one, turns.
std::optional<std::uint64_t> waited_for_core() {
  const std::string text = read_text("/proc/thread-self/schedstat");
  const auto words = split(text, " \n");
  return words.size() < 2 ? std::nullopt : number<std::uint64_t>(words[1]);
}

}  // namespace thrum::host
