// Reason phrases of the status codes that are registered (RFC 9110 and the IANA registry).
#pragma once

#include <string_view>

namespace thrum::http {

// "" for codes that have none.
std::string_view standard_reason(int status);

}  // namespace thrum::http
