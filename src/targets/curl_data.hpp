// The bodies of a curl command: -d and its kin, joined as curl joins them, and files that it names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "targets/curl_options.hpp"
#include "thrum/error.hpp"

namespace thrum::targets {

// Reads files that a command names. Standard input can be read once, and not at all where the command itself came from it.
class CurlFiles {
 public:
  enum class May : std::uint8_t { all, files, nothing };  // nothing: for commands that nobody has looked at
  explicit CurlFiles(May may = May::all) : may_(may) {}
  // `option`: which one named it, for messages. "-" is standard input.
  Expected<std::string> read(std::string_view path, std::string_view option);

 private:
  May may_;
};

// What the value of -d, --data-raw, --data-binary, --data-urlencode or --json stands for.
Expected<std::string> read_curl_data(CurlAct act, std::string_view option, std::string_view value, CurlFiles& files);

// Joins it to what came before.
void add_curl_data(std::string& data, bool& has_data, CurlAct act, std::string_view more);

// "content", "=content", "name=content", "@file", "name@file", escaped as --data-urlencode and --url-query do.
Expected<std::string> escape_curl_data(std::string_view option, std::string_view value, CurlFiles& files);

}  // namespace thrum::targets
