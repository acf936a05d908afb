#include "host/limits.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace thrum::host {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == text.npos) return words;
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

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

// cpu.max of cgroup v2: "<quota|max> <period>", microseconds.
std::optional<double> quota_v2(const std::string& folder) {
  const std::string text = read_file(folder + "/cpu.max");
  const auto words = split(text, " \n");
  if (words.size() != 2) return std::nullopt;
  const auto quota = number<double>(words[0]), period = number<double>(words[1]);
  return quota && period && *quota > 0 && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
}

// cgroup v1: a quota of -1 is none.
std::optional<double> quota_v1(const std::string& folder) {
  const std::string quota_text = read_file(folder + "/cpu.cfs_quota_us"), period_text = read_file(folder + "/cpu.cfs_period_us");
  const auto quota = number<double>(trim(quota_text)), period = number<double>(trim(period_text));
  return quota && period && *quota > 0 && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
}

// The tightest quota from `group` up to the root of the hierarchy that is mounted at `mount`. A group that is not below the
// mount (a container sees the host's path) leaves the mount's own.
template <class Read>
void tighten(std::optional<double>& least, const std::string& mount, std::string group, Read read) {
  for (;;) {
    if (const auto q = read(mount + group); q && (!least || *q < *least)) least = q;
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos || group.empty()) return;
    group.resize(slash);
  }
}

std::optional<double> cpu_quota(const std::string& root) {
  std::optional<double> least;
  const std::string text = read_file(root + "/proc/self/cgroup");  // lines of "number:controllers:path"
  for (const std::string_view line : split(text, "\n")) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string group(line.substr(second + 1));
    if (group == "/") group.clear();
    if (controllers.empty()) {
      tighten(least, root + "/sys/fs/cgroup", group, quota_v2);
      tighten(least, root + "/sys/fs/cgroup/unified", group, quota_v2);  // beside v1
      continue;
    }
    const auto names = split(controllers, ",");
    if (std::ranges::find(names, "cpu") == names.end()) continue;
    for (const char* mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpuacct,cpu"})
      tighten(least, root + mount, group, quota_v1);
  }
  return least;
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
  const std::string text = read_file(root + "/proc/sys/net/ipv4/ip_local_port_range");
  const auto words = split(text, " \t\n");
  if (words.size() != 2) return {};
  const auto first = number<std::uint16_t>(words[0]), last = number<std::uint16_t>(words[1]);
  return first && last && *first <= *last ? PortRange{*first, *last} : PortRange{};
}

std::uint32_t Cores::usable() const {
  if (!quota) return allowed;
  return std::clamp(static_cast<std::uint32_t>(std::min(std::floor(*quota + 1e-9), 1e6)), std::uint32_t{1}, allowed);
}

Cores cores(const std::string& root) { return {allowed_cores(), cpu_quota(root)}; }

// /proc/thread-self/schedstat: time on a core, time waiting for one, turns.
std::optional<std::uint64_t> waited_for_core() {
  const std::string text = read_file("/proc/thread-self/schedstat");
  const auto words = split(text, " \n");
  return words.size() < 2 ? std::nullopt : number<std::uint64_t>(words[1]);
}

}  // namespace thrum::host
