// What of this machine a run would suffer from: facts, what is asked of them, and a finding for each, with its figures and its
// cure. `thrum doctor` shows all; an attack tells the warnings among those that it will meet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/counters.hpp"
#include "host/limits.hpp"
#include "host/machine.hpp"
#include "host/tcp.hpp"
#include "host/timer_error.hpp"
#include "mode/demand.hpp"

namespace thrum::mode {

// As far as they can be seen: none, and empty, is "not known".
struct MachineFacts {
  std::optional<host::DescriptorLimits> descriptors;
  host::PortRange ports;
  host::TcpSettings tcp;
  std::optional<std::uint64_t> time_waits;
  std::optional<host::ListenCounters> listen;
  std::optional<host::Listener> listener;  // at the demand's port
  host::Cores cores;
  std::optional<host::Throttling> throttling;
  std::optional<host::CoreTimes> core_times;
  std::optional<host::Memory> memory;
  std::optional<host::MemoryLimit> memory_limit;
  std::vector<std::pair<std::string, std::uint32_t>> governors;
  std::string clock_source;
  std::optional<host::TimerError> timer;  // measured: only doctor takes the time
  std::optional<host::IoUring> io_uring;
  std::optional<bool> is_virtual;
};
// From below `root`, which only tests set. All but `timer`.
MachineFacts look_at_machine(const Demand& demand, const std::string& root = {});

enum class Level : std::uint8_t { unknown, ok, note, warning };
std::string_view name_of(Level level);

struct Finding {
  std::string_view check = {};       // "descriptors"
  Level level = Level::unknown;      //
  std::string says = {};             // a line, with its figures
  std::optional<double> value = {};  // the figure that counts
  std::string_view unit = {};        // of that
  std::string cure = {};             // what to type, or to do; empty: nothing to cure
};

// One for each thing that is looked at, always in the same order.
std::vector<Finding> findings(const MachineFacts& facts, const Demand& demand);
// Those that say of this very demand that it will not be met.
std::vector<Finding> forewarnings(const MachineFacts& facts, const Demand& demand);

}  // namespace thrum::mode
