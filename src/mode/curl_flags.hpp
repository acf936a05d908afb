// A curl command as flags of thrum run: for who goes on from it by hand, as the setup form does. What no flag can say is a note.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "targets/curl_command.hpp"

namespace thrum::mode {

struct CurlFlags {
  std::vector<std::pair<std::string, std::string>> flags;
  std::vector<std::string> notes;  // the command's own, too
};

// Errors: a body that can't stand in a command line.
Expected<CurlFlags> flags_of(const targets::CurlCommand& command);
// Of what stands behind -curl.
Expected<CurlFlags> read_curl_flags(std::span<const std::string> arguments);

}  // namespace thrum::mode
