// How the demo site answers: the few forms that its endpoints share.
#pragma once

#include <cstdint>
#include <string_view>

#include "serve/server.hpp"

namespace thrum::serve {

inline constexpr std::string_view kJson = "application/json";

// {"error": "…"}; `why` holds nothing that JSON escapes.
void answer_error(Ticket ticket, int status, std::string_view why, std::string_view headers = {});
// The first `n` bytes of the pattern, without ever holding them.
void answer_pattern(Ticket ticket, std::uint64_t n);

}  // namespace thrum::serve
