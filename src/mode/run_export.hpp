// What a run is written to by a key of its screen: files in the working directory, under names that nobody has taken.
#pragma once

#include <string>
#include <string_view>

#include "mode/run.hpp"
#include "thrum/error.hpp"

namespace thrum::mode {

// "thrum-20261201-165444.json", or with -2, -3 … behind the time where that is there. Gives its name.
Expected<std::string> write_export(std::string_view extension, std::string_view text);

// The request as a command of curl, with its secrets: it is for the clipboard of whoever typed them.
std::string curl_text(const RunRequest& request);

}  // namespace thrum::mode
