#include "mode/checkup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "base/text.hpp"

namespace thrum::mode {
namespace {

using Check = Finding (*)(const MachineFacts&, const Demand&);

constexpr std::uint64_t kOwnDescriptors = 32;  // beside those of connections
constexpr double kLight = 20'000;              // hits per second for which a core has time to spare
constexpr double kRest = 60, kReuseAfter = 1;  // seconds: of a local port that rests (TIME_WAIT), and until it may be taken all the same

double seconds(Nanos d) { return static_cast<double>(d.count()) / 1e9; }
std::string shown(Nanos d) { return format_duration(round_for_report(d)); }
std::string shown_bytes(std::uint64_t bytes) { return format_size(static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX))); }

Finding finding(std::string_view check) {
  Finding f;
  f.check = check;
  return f;
}

// Of two levels the worse one stays.
void raise(Finding& f, Level level, std::string cure = {}) {
  if (level > f.level) f.level = level;
  if (!cure.empty()) f.cure = std::move(cure);
}

Finding descriptors(const MachineFacts& m, const Demand& d) {
  Finding f = finding("descriptors");
  if (!m.descriptors) return f;
  const std::uint64_t most = m.descriptors->hard;
  f.level = Level::ok;
  f.value = static_cast<double>(most);
  f.unit = "open files";
  const std::string now =
      m.descriptors->soft == most ? "" : fmt::format(", which thrum takes; the shell's limit is {}", m.descriptors->soft);
  f.says = most == host::DescriptorLimits::kNone ? "no limit of open files" : fmt::format("{} open files{}", most, now);
  const std::uint64_t needed = d.connections + std::min(kOwnDescriptors, UINT64_MAX - d.connections);
  const auto cure = [](std::uint64_t enough) {
    return fmt::format("ulimit -n {} (as root, or by nofile in /etc/security/limits.conf)", enough);
  };
  if (d.connections > 0 && most < needed) {
    f.says = fmt::format("{} connections at once need {} open files, and this process may have {}", d.connections, needed, most);
    raise(f, Level::warning, cure(needed));
  } else if (d.connections == 0 && most < 4096) {
    raise(f, Level::note, cure(65'536));
  }
  return f;
}

// How long a port that we closed first can't be used again, towards the same address and port.
double rest_of(const MachineFacts& m, const Demand& d) {
  const std::uint64_t reuse = m.tcp.time_wait_reuse.value_or(0);
  const bool may_reuse = (reuse == 1 || (reuse == 2 && d.is_on_this_machine)) && m.tcp.timestamps.value_or(0) != 0;
  return may_reuse ? kReuseAfter : kRest;
}

Finding ports(const MachineFacts& m, const Demand& d) {
  Finding f = finding("ports");
  const double all = static_cast<double>(m.ports.count()) * static_cast<double>(d.local_addresses), rest = rest_of(m, d);
  f.level = Level::ok;
  f.value = all;
  f.unit = "local ports";
  f.says = fmt::format("{:.0f} local ports to one address ({} to {})", all, m.ports.first, m.ports.last);
  if (m.time_waits) f.says += fmt::format(", {} rest now (TIME_WAIT)", *m.time_waits);
  if (m.tcp.time_wait_reuse) f.says += fmt::format(", tcp_tw_reuse is {}", *m.tcp.time_wait_reuse);
  if (!d.is_over_tcp) return f;
  constexpr std::string_view kWiden = "sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"";
  if (d.keep_alive || d.rate == 0) {
    if (static_cast<double>(d.connections) > all) {
      f.says = fmt::format("{} connections at once need as many local ports, and there are {:.0f} to one address", d.connections, all);
      raise(f, Level::warning, fmt::format("spread over more -laddr, or {}", kWiden));
    } else if (m.time_waits && 2 * static_cast<double>(*m.time_waits) > all) {
      raise(f, Level::note, "wait a minute, or use connections for more than one request");
    }
    return f;
  }
  const double lasting = d.duration > Nanos(0) ? std::min(rest, seconds(d.duration)) : rest;
  if (std::min(d.rate * lasting, static_cast<double>(d.hits)) <= all) return f;
  f.says = fmt::format(
      "-keepalive=false at {:.0f}/s takes a new local port for each hit, and one that thrum closes before its server does rests for {:.0f} "
      "s: "
      "this machine's {:.0f} ports can be used up in {:.0f}s",
      d.rate, rest, all, all / d.rate);
  raise(f, Level::warning,
        fmt::format("keep connections, spread over more -laddr, {}or {}", rest == kRest ? "sysctl -w net.ipv4.tcp_tw_reuse=1, " : "",
                    kWiden));
  return f;
}

Finding backlog(const MachineFacts& m, const Demand& d) {
  Finding f = finding("backlog");
  const std::string overflows = m.listen ? fmt::format("; {} overflows since this machine started", m.listen->overflows) : "";
  if (m.tcp.most_waiting) {
    f.level = Level::ok;
    f.value = static_cast<double>(*m.tcp.most_waiting);
    f.unit = "waiting connections";
    f.says = fmt::format("listeners here may let {} connections wait{}", *m.tcp.most_waiting, overflows);
    if (*m.tcp.most_waiting < 512 && d.is_on_this_machine) raise(f, Level::note, "sysctl -w net.core.somaxconn=4096");
  }
  if (!d.is_on_this_machine || !d.port) return f;
  if (!m.listener) {
    if (!m.tcp.most_waiting) return f;  // nothing of this is to be seen here
    f.says = fmt::format("nobody listens on port {}", *d.port);
    raise(f, Level::warning, "start the target first");
    return f;
  }
  const host::Listener& l = *m.listener;
  f.level = Level::ok;
  f.says = fmt::format("{} connections wait to be accepted on port {}{}{}", l.waiting, *d.port,
                       l.room ? fmt::format(", {} may", *l.room) : "", overflows);
  if (!l.room) return f;
  f.value = static_cast<double>(*l.room);
  f.unit = "waiting connections";
  const std::string cure = "a larger backlog in the target's listen(), and sysctl -w net.core.somaxconn=4096";
  if (l.waiting > *l.room)
    raise(f, Level::warning, "the target does not accept what waits: look there");
  else if (*l.room < 128 || (d.connections > *l.room && d.connections > 0))
    raise(f, Level::note, cure);
  return f;
}

Finding cores(const MachineFacts& m, const Demand& d) {
  Finding f = finding("cores");
  f.level = Level::ok;
  f.value = m.cores.allowed;
  f.unit = "cores";
  f.says = fmt::format("{} core{} to run on", m.cores.allowed, m.cores.allowed == 1 ? "" : "s");
  if (!d.is_on_this_machine) return f;
  f.says += ", which the target on this machine shares";
  raise(f, m.cores.usable() == 1 ? Level::warning : Level::note,
        "for figures that count, run the target on another machine, or keep the two apart: taskset -c 0 TARGET, taskset -c 1 thrum attack "
        "...");
  return f;
}

Finding quota(const MachineFacts& m, const Demand& d) {
  Finding f = finding("quota");
  f.level = Level::ok;
  f.unit = "cores";
  if (!m.cores.quota) {
    f.says = "no quota of CPU time";
    return f;
  }
  f.value = *m.cores.quota;
  f.says = fmt::format(
      "the control group may use {:.2f} cores{}", *m.cores.quota,
      m.throttling ? fmt::format(", and was stopped in {} of {} periods so far", m.throttling->throttled, m.throttling->periods) : "");
  const std::string cure = "a larger quota: docker run --cpus, resources.limits.cpu, CPUQuota=, or echo max > cpu.max";
  const bool is_light = d.rate > 0 && d.rate < kLight * *m.cores.quota;
  if (*m.cores.quota < 1 && !is_light)
    raise(f, Level::warning, cure);
  else if (*m.cores.quota < m.cores.allowed)
    raise(f, Level::note, cure);
  if (f.level == Level::warning) f.says += ": when that is used up, sending stands still until the next period";
  return f;
}

Finding memory(const MachineFacts& m, const Demand& d) {
  constexpr double kPerConnection = 32 * 1024, kBase = 32 << 20;
  Finding f = finding("memory");
  if (!m.memory && !m.memory_limit) return f;
  std::uint64_t left = UINT64_MAX;
  if (m.memory) {
    left = m.memory->available;
    f.says = fmt::format("{} of {} available", shown_bytes(m.memory->available), shown_bytes(m.memory->bytes));
  }
  if (m.memory_limit) {
    left = std::min(left, m.memory_limit->bytes - std::min(m.memory_limit->bytes, m.memory_limit->used));
    f.says += fmt::format("{}the control group uses {} of {}", f.says.empty() ? "" : "; ", shown_bytes(m.memory_limit->used),
                          shown_bytes(m.memory_limit->bytes));
  }
  f.level = Level::ok;
  f.value = static_cast<double>(left);
  f.unit = "bytes";
  const double needed = kBase + kPerConnection * static_cast<double>(d.connections);
  if (needed > static_cast<double>(left)) {
    f.says += fmt::format(": {} connections may need {}", d.connections, shown_bytes(static_cast<std::uint64_t>(std::min(needed, 1e18))));
    raise(f, Level::warning, "fewer connections, or more memory: docker run --memory, resources.limits.memory, or echo max > memory.max");
  }
  return f;
}

Finding congestion(const MachineFacts& m, const Demand&) {
  Finding f = finding("congestion");
  if (m.tcp.congestion_control.empty()) return f;
  f.level = Level::ok;
  f.says = fmt::format("TCP's congestion control is {}", printable(m.tcp.congestion_control));
  if (m.tcp.congestion_control != "cubic" && m.tcp.congestion_control != "reno") {
    f.says += ": latencies differ from those of machines with cubic, the usual one";
    raise(f, Level::note, "sysctl -w net.ipv4.tcp_congestion_control=cubic");
  }
  return f;
}

Finding governor(const MachineFacts& m, const Demand&) {
  Finding f = finding("governor");
  if (m.governors.empty()) return f;
  f.level = Level::ok;
  std::uint32_t slow = 0;
  for (const auto& [name, count] : m.governors) {
    f.says += fmt::format("{}{} of {} core{}", f.says.empty() ? "speed set by " : ", ", printable(name), count, count == 1 ? "" : "s");
    if (name != "performance") slow += count;
  }
  f.value = slow;
  f.unit = "cores";
  if (slow > 0) {
    f.says += ": a core that had a pause is slow at first";
    raise(f, Level::note, "cpupower frequency-set -g performance");
  }
  return f;
}

Finding clock_source(const MachineFacts& m, const Demand& d) {
  static constexpr std::array<std::string_view, 5> kSlow{"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
  Finding f = finding("clock");
  if (m.clock_source.empty()) return f;
  f.level = Level::ok;
  f.says = fmt::format("the clock source is {}", printable(m.clock_source));
  if (std::ranges::find(kSlow, m.clock_source) != kSlow.end()) {
    f.says += ": each look at the clock is a call of the kernel, several for every hit";
    raise(f, d.rate > 0 && d.rate < 1000 ? Level::note : Level::warning,
          "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, if available_clocksource beside it has it");
  }
  return f;
}

Finding timers(const MachineFacts& m, const Demand&) {
  constexpr Nanos kFine{200'000}, kBad{2'000'000};
  Finding f = finding("timers");
  if (!m.timer) return f;
  f.level = Level::ok;
  f.value = static_cast<double>(m.timer->p99.count()) / 1e3;
  f.unit = "µs";
  f.says = fmt::format("sleeps end {} late, one in a hundred {} or more (at most {})", shown(m.timer->p50), shown(m.timer->p99),
                       shown(m.timer->max));
  if (m.timer->p99 >= kFine)
    raise(f, m.timer->p99 >= kBad ? Level::warning : Level::note, "end other programs, or use a machine whose cores are not shared");
  return f;
}

Finding io_uring(const MachineFacts& m, const Demand&) {
  Finding f = finding("io_uring");
  if (!m.io_uring) return f;
  f.level = Level::ok;
  switch (*m.io_uring) {
    case host::IoUring::allowed:
      f.says = "io_uring is allowed";
      break;
    case host::IoUring::disabled:
      f.says = "io_uring is disabled: only epoll can be used";
      raise(f, Level::note, "sysctl -w kernel.io_uring_disabled=0");
      break;
    case host::IoUring::refused:
      f.says = "io_uring is refused, as containers do: only epoll can be used";
      raise(f, Level::note, "docker run --security-opt seccomp=PROFILE, with one that allows io_uring_setup");
      break;
    case host::IoUring::missing:
      f.says = "this kernel has no io_uring: only epoll can be used";
      raise(f, Level::note, "a kernel from 5.1 on");
      break;
  }
  return f;
}

Finding virtual_machine(const MachineFacts& m, const Demand&) {
  Finding f = finding("steal");
  if (!m.core_times || m.core_times->all == 0) return f;
  const double share = static_cast<double>(m.core_times->stolen) / static_cast<double>(m.core_times->all);
  f.level = Level::ok;
  f.value = 100 * share;
  f.unit = "%";
  if (m.is_virtual == false && m.core_times->stolen == 0) {
    f.says = "no virtual machine";
    return f;
  }
  f.says = fmt::format("{}its host kept {:.1f} % of the cores' time for others since it started",
                       m.is_virtual.value_or(true) ? "a virtual machine: " : "", 100 * share);
  if (share >= 0.01)
    raise(f, share >= 0.1 ? Level::warning : Level::note, "a machine with cores of its own (dedicated, not shared or burstable)");
  return f;
}

constexpr std::array<Check, 12> kChecks{descriptors, ports,    backlog,      cores,  quota,    memory,
                                        congestion,  governor, clock_source, timers, io_uring, virtual_machine};
// What can be told before an attack without measuring, and holds for what it is about to do.
constexpr std::array<Check, 4> kForewarned{ports, descriptors, quota, clock_source};

}  // namespace

std::string_view name_of(Level level) {
  switch (level) {
    case Level::unknown:
      return "unknown";
    case Level::ok:
      return "ok";
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
  }
  return "";
}

MachineFacts look_at_machine(const Demand& demand, const std::string& root) {
  MachineFacts m;
  m.descriptors = host::descriptor_limits();
  m.ports = host::local_ports(root);
  m.tcp = host::tcp_settings(root);
  m.time_waits = host::time_waits(root);
  m.listen = host::listen_counters(root);
  if (demand.port && demand.is_on_this_machine) m.listener = host::listener_on(*demand.port, root);
  m.cores = host::cores(root);
  m.throttling = host::throttling(host::cpu_quota(root));
  m.core_times = host::core_times(root);
  m.memory = host::memory(root);
  m.memory_limit = host::memory_limit(root);
  m.governors = host::governors(root);
  m.clock_source = host::clock_source(root);
  m.io_uring = host::io_uring(root);
  m.is_virtual = host::is_virtual(root);
  return m;
}

std::vector<Finding> findings(const MachineFacts& facts, const Demand& demand) {
  std::vector<Finding> all;
  for (const Check check : kChecks) {
    all.push_back(check(facts, demand));
    if (all.back().level == Level::unknown) all.back().says = "not known here";
  }
  return all;
}

std::vector<Finding> forewarnings(const MachineFacts& facts, const Demand& demand) {
  std::vector<Finding> all;
  for (const Check check : kForewarned)
    if (Finding f = check(facts, demand); f.level == Level::warning) all.push_back(std::move(f));
  return all;
}

}  // namespace thrum::mode
