// What a header line may be made of (RFC 9110 sections 5.1 and 5.5). Checked while the list is read, so that a slip is told
// with its line before anything is sent.
#pragma once

#include <string>
#include <string_view>

namespace thrum::targets {

// What is wrong with the header, in words; empty if nothing is.
std::string header_fault(std::string_view name, std::string_view value);

}  // namespace thrum::targets
