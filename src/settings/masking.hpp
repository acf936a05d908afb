// What must not be shown, logged or kept in results: the one place that knows which words are secrets.
#pragma once

#include <string>
#include <string_view>

namespace thrum::settings {

inline constexpr std::string_view kMasked = "***";

// "Bearer ***": the scheme of credentials stays; "sid=***; theme=***": the names of cookies do. Other headers are themselves.
std::string masked_header_value(std::string_view name, std::string_view value);
bool is_secret_header(std::string_view name);

// The password of the user info, and the values of a query whose names tell that they are secrets: token, key, signature …
std::string masked_url(std::string_view url);

// The value of a flag, by the flag's name.
std::string masked_flag(std::string_view flag, std::string_view value);

}  // namespace thrum::settings
