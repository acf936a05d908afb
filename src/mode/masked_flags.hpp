// Flags as they may travel with results and reports: what opens doors is left out.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thrum::mode {

using TypedFlags = std::vector<std::pair<std::string, std::string>>;

TypedFlags masked(TypedFlags typed);
// A URL without its password, and without tokens in its query: "http://me:***@host/".
std::string masked_url(std::string_view url);

}  // namespace thrum::mode
