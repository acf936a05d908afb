#include "host/machine.hpp"

#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "host/kernel_text.hpp"

namespace thrum::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCores = 4096;

bool is_core(std::string_view name) { return name.starts_with("cpu") && number<std::uint32_t>(name.substr(3)).has_value(); }

IoUring ask_for_a_ring() {
  io_uring_params params{};
  const Fd ring(static_cast<int>(::syscall(SYS_io_uring_setup, 1, &params)));
  if (ring.is_open()) return IoUring::allowed;
  return errno == ENOSYS ? IoUring::missing : errno == EPERM || errno == EACCES ? IoUring::refused : IoUring::allowed;
}

}  // namespace

std::string clock_source(const std::string& root) {
  const std::string text = read_text(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  return std::string(trim(text));
}

std::vector<std::pair<std::string, std::uint32_t>> governors(const std::string& root) {
  std::vector<std::pair<std::string, std::uint32_t>> all;
  std::error_code error;
  std::size_t cores = 0;
  for (fs::directory_iterator it(root + "/sys/devices/system/cpu", error), end; !error && it != end; it.increment(error)) {
    if (!is_core(it->path().filename().string()) || ++cores > kMostCores) continue;
    const std::string text = read_text(it->path().string() + "/cpufreq/scaling_governor");
    const std::string name(trim(text));
    if (name.empty()) continue;
    const auto known = std::ranges::find(all, name, &std::pair<std::string, std::uint32_t>::first);
    if (known == all.end())
      all.emplace_back(name, 1);
    else
      ++known->second;
  }
  std::ranges::sort(all);
  return all;
}

std::optional<Memory> memory(const std::string& root) {
  const std::string text = read_text(root + "/proc/meminfo");  // "MemTotal:       16384 kB"
  const auto total = value_of(text, "MemTotal"), available = value_of(text, "MemAvailable");
  constexpr std::uint64_t kMost = UINT64_MAX / 1024;
  if (!total || *total > kMost) return std::nullopt;
  return Memory{*total * 1024, std::min(available.value_or(*total), kMost) * 1024};
}

std::optional<bool> is_virtual(const std::string& root) {
  const std::string text = read_text(root + "/proc/cpuinfo");
  for (const std::string_view line : split(text, "\n")) {
    if (!line.starts_with("flags")) continue;
    const auto words = split(line, " \t:");
    return std::ranges::find(words, "hypervisor") != words.end();
  }
  return std::nullopt;
}

std::optional<IoUring> io_uring(const std::string& root) {
  const std::string text = read_text(root + "/proc/sys/kernel/io_uring_disabled");  // 1: for all but its group; 2: for all
  if (const auto disabled = number<std::uint64_t>(trim(text)); disabled && *disabled >= 2) return IoUring::disabled;
  return root.empty() ? std::optional(ask_for_a_ring()) : std::nullopt;
}

}  // namespace thrum::host
