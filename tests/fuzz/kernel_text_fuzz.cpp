// Any text as what a kernel writes in /proc and /sys: the worst that comes of it is that nothing is known.
#include <cstdint>
#include <string>

#include "host/control_groups.hpp"
#include "host/counters.hpp"
#include "host/kernel_text.hpp"
#include "host/tcp.hpp"
#include "require.hpp"

using thrum::fuzz::require;
namespace host = thrum::host;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view word : host::split(text, " \n")) require(!word.empty() && word.find_first_of(" \n") == word.npos);
  (void)host::value_of(text, "MemTotal");
  (void)host::counter_of(text, "TcpExt", "ListenOverflows");
  require(host::throttling_from(text).time >= thrum::Nanos(0));
  if (const auto times = host::core_times_from(text)) {
    host::Counters before, after;
    before.core_times = host::CoreTimes{};
    after.core_times = times;
    const double stolen = host::difference(before, after).stolen;
    require(stolen >= 0 && stolen <= 1);
  }
  if (const auto found = host::listener_in(text, 0x1f90)) require(!found->room);
  return 0;
}
