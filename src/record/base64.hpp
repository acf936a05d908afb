// Base64 (RFC 4648 section 4) as Go's standard encoding has it: padded; line ends inside are ignored when read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace thrum {

void append_base64(std::string_view bytes, std::string& out);
// Decodes into `into`, which has room for text.size() * 3 / 4 + 3 bytes; the number of bytes, or nothing if `text` is not base64.
std::optional<std::size_t> decode_base64(std::string_view text, char* into);

}  // namespace thrum
