// Base64 (RFC 4648 section 4) as Go's standard decoder takes it: padding required, line ends inside ignored, nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thrum::targets {

// The decoded bytes into `out`; or where the first wrong byte is (the text's length if it ends too early).
std::optional<std::size_t> decode_base64(std::string_view text, std::string& out);

}  // namespace thrum::targets
