// A JSON string as vegeta writes it: <, > and & escaped as in HTML, U+2028 and U+2029 too, invalid UTF-8 as \ufffd.
#pragma once

#include <string>
#include <string_view>

namespace thrum {

void append_json_string(std::string_view s, std::string& out);

}  // namespace thrum
