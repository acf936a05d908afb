#include "host/control_groups.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "host/kernel_text.hpp"

namespace thrum::host {
namespace {

// cpu.max of cgroup v2: "<quota|max> <period>", microseconds.
std::optional<double> quota_v2(const std::string& folder) {
  const std::string text = read_text(folder + "/cpu.max");
  const auto words = split(text, " \n");
  if (words.size() != 2) return std::nullopt;
  const auto quota = number<double>(words[0]), period = number<double>(words[1]);
  return quota && period && *quota > 0 && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
}

// cgroup v1: a quota of -1 is none.
std::optional<double> quota_v1(const std::string& folder) {
  const std::string quota_text = read_text(folder + "/cpu.cfs_quota_us"), period_text = read_text(folder + "/cpu.cfs_period_us");
  const auto quota = number<double>(trim(quota_text)), period = number<double>(trim(period_text));
  return quota && period && *quota > 0 && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
}

std::optional<MemoryLimit> memory_of(const std::string& folder, const char* limit, const char* used) {
  constexpr std::uint64_t kNone = std::uint64_t{1} << 62;  // version 1 writes its largest number, rounded to pages
  const std::string limit_text = read_text(folder + limit), used_text = read_text(folder + used);
  const auto bytes = number<std::uint64_t>(trim(limit_text));
  if (!bytes || *bytes >= kNone) return std::nullopt;
  return MemoryLimit{*bytes, number<std::uint64_t>(trim(used_text)).value_or(0)};
}

// Calls visit(folder, is_version_2) for the group that this process is in and those around it, of the hierarchies that have
// `controller`. A group that is not below its mount (a container sees the host's path) leaves the mount's own.
template <class Visit>
void for_each_group(const std::string& root, std::string_view controller, std::span<const std::string_view> mounts, const Visit& visit) {
  const auto upwards = [&](const std::string& mount, std::string group, bool is_version_2) {
    for (;;) {
      visit(mount + group, is_version_2);
      const std::size_t slash = group.rfind('/');
      if (slash == std::string::npos || group.empty()) return;
      group.resize(slash);
    }
  };
  const std::string text = read_text(root + "/proc/self/cgroup");  // lines of "number:controllers:path"
  for (const std::string_view line : split(text, "\n")) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string group(line.substr(second + 1));
    if (group == "/") group.clear();
    if (controllers.empty()) {
      upwards(root + "/sys/fs/cgroup", group, true);
      upwards(root + "/sys/fs/cgroup/unified", group, true);  // beside version 1
      continue;
    }
    const auto names = split(controllers, ",");
    if (std::ranges::find(names, controller) == names.end()) continue;
    for (const std::string_view mount : mounts) upwards(root + "/sys/fs/cgroup/" + std::string(mount), group, false);
  }
}

}  // namespace

std::optional<CpuQuota> cpu_quota(const std::string& root) {
  static constexpr std::string_view kMounts[] = {"cpu", "cpu,cpuacct", "cpuacct,cpu"};
  std::optional<CpuQuota> least;
  for_each_group(root, "cpu", kMounts, [&](const std::string& folder, bool is_version_2) {
    const auto cores = is_version_2 ? quota_v2(folder) : quota_v1(folder);
    if (cores && (!least || *cores < least->cores)) least = CpuQuota{*cores, folder + "/cpu.stat"};
  });
  return least;
}

Throttling throttling_from(const std::string& text) {
  Throttling t;
  t.periods = value_of(text, "nr_periods").value_or(0);
  t.throttled = value_of(text, "nr_throttled").value_or(0);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;  // microseconds
  if (const auto micros = value_of(text, "throttled_usec"))
    t.time = Nanos(static_cast<std::int64_t>(std::min(*micros, kMost) * 1000));
  else if (const auto nanos = value_of(text, "throttled_time"))
    t.time = Nanos(static_cast<std::int64_t>(std::min(*nanos, kMost * 1000)));
  return t;
}

std::optional<Throttling> throttling(const std::optional<CpuQuota>& quota) {
  if (!quota) return std::nullopt;
  const std::string text = read_text(quota->stat);
  return value_of(text, "nr_throttled") ? std::optional(throttling_from(text)) : std::nullopt;
}

std::optional<MemoryLimit> memory_limit(const std::string& root) {
  static constexpr std::string_view kMounts[] = {"memory"};
  std::optional<MemoryLimit> least;
  for_each_group(root, "memory", kMounts, [&](const std::string& folder, bool is_version_2) {
    const auto limit = is_version_2 ? memory_of(folder, "/memory.max", "/memory.current")
                                    : memory_of(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes");
    if (limit && (!least || limit->bytes < least->bytes)) least = limit;
  });
  return least;
}

}  // namespace thrum::host
