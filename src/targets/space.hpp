// White space around lines, as vegeta trims it: Unicode's, since a line pasted from a web page brings no-break spaces along.
#pragma once

#include <cstddef>
#include <string_view>

namespace thrum::targets {

// Bytes of the white space character (UTF-8) that `s` begins with, 0 if it begins with none.
std::size_t space_length(std::string_view s);
std::string_view trim_space(std::string_view s);

}  // namespace thrum::targets
