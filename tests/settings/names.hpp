// The flags that tests of settings know.
#pragma once

#include <string>
#include <vector>

#include "settings/file.hpp"

namespace thrum::settings {

inline constexpr Name kNames[] = {
    {.name = "rate"},
    {.name = "duration", .also = "z"},
    {.name = "insecure", .also = "k", .is_switch = true},
    {.name = "header", .also = "H", .repeats = true},
    {.name = "max-requests", .is_guard = true},
    {.name = "allow-host", .repeats = true, .is_guard = true},
    {.name = "number", .is_here = false},
};
inline constexpr std::string_view kCommands[] = {"attack", "capacity"};
inline constexpr FileRules kRules{kNames, kCommands};

inline std::string text_of(const std::vector<Setting>& settings) {
  std::string out;
  for (const Setting& s : settings) out += s.name + "=" + s.value + " ";
  return out.empty() ? out : out.substr(0, out.size() - 1);
}

}  // namespace thrum::settings
