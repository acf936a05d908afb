// What connections are sent elsewhere by, as -connect-to and curl write it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "thrum/attacker.hpp"
#include "thrum/error.hpp"

namespace thrum::http {

// "HOST:PORT:HOST:PORT" entries, comma-separated: requests for the first pair go to the second. IPv6 addresses in brackets. As
// in curl, what is left out on the left stands for any, on the right for what the target says itself.
Expected<std::vector<ConnectTo>> parse_connect_to(std::string_view text);

// What stands between the colons outside of brackets, these taken off; nothing if the brackets make no sense.
std::optional<std::vector<std::string_view>> pieces_between_colons(std::string_view text);

}  // namespace thrum::http
