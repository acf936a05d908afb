// A URL as people type it where one is expected: "example.test", "localhost:8080/api", "[::1]:80". What is left out is guessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thrum::targets {

// Whether a word is meant as a URL or a host: it has a scheme, a dot, a port, a path, or is localhost.
bool looks_like_url(std::string_view word);
// The scheme that is guessed, with the word behind it: http for a host with a port and for this machine, https for others. None: there
// is one already.
std::optional<std::string> guessed_url(std::string_view word);

}  // namespace thrum::targets
