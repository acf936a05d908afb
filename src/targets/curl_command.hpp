// A command line of curl as a target: what browsers, Postman and documentation give as "copy as cURL". The request is the one that curl
// sends; docs/curl.md has the options, and what can't be reproduced.
//
//   auto command = targets::read_curl({"curl", "-H", "Accept: text/html", "http://127.0.0.1:8080/"});
//   if (!command) …                                  // one line: an unknown option, more than one URL, a quote that is not closed
//   targets::apply(command->settings, options);      // -k, -L, -x, --resolve, …: into AttackOptions
//   if (command->settings.says_proxy()) …            // then the environment's proxies are not to be heeded
//   for (const std::string& note : command->notes) … // what is not as with curl, a line each, for stderr
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "targets/curl_settings.hpp"
#include "targets/shell_words.hpp"
#include "thrum/error.hpp"
#include "thrum/target.hpp"

namespace thrum::targets {

struct CurlCommand {
  Target target;
  CurlSettings settings;
  std::vector<std::string> notes;
};

// What stands behind -curl: no word at all (the command is read from stdin), "@FILE", a command in one word, or its words as the shell
// has split them. The leading "curl" may be missing.
Expected<CurlCommand> read_curl(std::span<const std::string> arguments);

// A command as text, in bash's quoting or cmd's.
Expected<CurlCommand> read_curl_text(std::string_view text);
Expected<CurlCommand> read_curl_text(std::string_view text, Shell shell);
// A command as words.
Expected<CurlCommand> read_curl_words(std::span<const std::string> words);

}  // namespace thrum::targets
