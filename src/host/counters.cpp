#include "host/counters.hpp"

#include <algorithm>

#include "host/kernel_text.hpp"

namespace thrum::host {
namespace {

// Counters only grow; one that was set back says nothing.
std::uint64_t grown(std::uint64_t before, std::uint64_t after) { return after - std::min(before, after); }

}  // namespace

std::optional<ListenCounters> listen_counters(const std::string& root) {
  const std::string text = read_text(root + "/proc/net/netstat");
  const auto overflows = counter_of(text, "TcpExt", "ListenOverflows");
  if (!overflows) return std::nullopt;
  return ListenCounters{*overflows, counter_of(text, "TcpExt", "ListenDrops").value_or(0)};
}

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; guests are part of user and nice.
std::optional<CoreTimes> core_times_from(const std::string& stat) {
  constexpr std::size_t kIdle = 4, kSteal = 8;
  for (const std::string_view line : split(stat, "\n")) {
    const auto words = split(line, " ");
    if (words.size() <= kSteal || words[0] != "cpu") continue;
    CoreTimes times;
    for (std::size_t i = 1; i <= kSteal; ++i) {
      const auto ticks = number<std::uint64_t>(words[i]);
      if (!ticks) return std::nullopt;
      times.all += *ticks;
      if (i == kIdle) times.idle = *ticks;
      if (i == kSteal) times.stolen = *ticks;
    }
    return times;
  }
  return std::nullopt;
}

std::optional<CoreTimes> core_times(const std::string& root) { return core_times_from(read_text(root + "/proc/stat")); }

double IdleCores::look(Instant t, const std::string& root) {
  if (looked_ != kNever && t - looked_ < kShortest) return idle_;
  looked_ = t;
  const auto times = core_times(root);
  idle_ = 0;
  if (times && before_)
    if (const std::uint64_t all = grown(before_->all, times->all); all > 0)
      idle_ = cores_ * std::min(1.0, static_cast<double>(grown(before_->idle, times->idle)) / static_cast<double>(all));
  before_ = times;
  return idle_;
}

Counters counters(const std::string& root) {
  Counters c;
  c.quota = cpu_quota(root);
  c.throttling = throttling(c.quota);
  c.core_times = core_times(root);
  c.listen = listen_counters(root);
  return c;
}

Difference difference(const Counters& before, const Counters& after) {
  Difference d;
  if (before.quota) d.quota = before.quota->cores;
  if (before.throttling && after.throttling) {
    d.periods = grown(before.throttling->periods, after.throttling->periods);
    d.throttled = grown(before.throttling->throttled, after.throttling->throttled);
    d.throttled_time = std::max(Nanos(0), after.throttling->time - before.throttling->time);
  }
  if (before.core_times && after.core_times)
    if (const std::uint64_t all = grown(before.core_times->all, after.core_times->all); all > 0)
      d.stolen = std::min(1.0, static_cast<double>(grown(before.core_times->stolen, after.core_times->stolen)) / static_cast<double>(all));
  if (before.listen && after.listen) d.listen_overflows = grown(before.listen->overflows, after.listen->overflows);
  return d;
}

}  // namespace thrum::host
