// Byte sizes: "512", "1KB", "10 MB", "-1" (no limit) as vegeta's -max-body reads them (units of 1024, case ignored).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "thrum/error.hpp"

namespace thrum {

Expected<std::int64_t> parse_size(std::string_view text);
std::string format_size(std::int64_t bytes);

}  // namespace thrum
