// Settings from the environment: THRUM_RATE is -rate, THRUM_MAX_REQUESTS is -max-requests.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings/setting.hpp"

namespace thrum::settings {

struct Environment {
  std::vector<Setting> settings;
  std::vector<std::string> doubts;  // variables that look like slips of the pen, a line each
};

// `variables`: "NAME=value" each. Lines of one value are several where a flag repeats; empty ones say nothing. Other programs may have
// variables of the same beginning (orchestrators make THRUM_PORT of a service's name): those that are near no flag are passed over.
Environment read_environment(std::span<const std::string_view> variables, std::span<const Name> names);

// "THRUM_MAX_REQUESTS" of "max-requests".
std::string variable_of(std::string_view name);

}  // namespace thrum::settings
