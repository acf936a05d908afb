// What a command is told besides its command line: thrum.toml and the environment, through the table of flags.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/parse.hpp"
#include "settings/setting.hpp"
#include "thrum/error.hpp"

namespace thrum::cli {

// The flags that files and variables can set; those that `command` doesn't have are passed over.
std::vector<settings::Name> setting_names(Command command);

struct FoundSettings {
  std::vector<settings::Setting> settings;  // the file's, then the environment's
  std::vector<std::string> words;           // for people, a line each
};
// Of a command that has -config; others are told nothing.
Expected<FoundSettings> find_settings(const Invocation& invocation);

// -write-config
Expected<ExitCode> write_config(const Invocation& invocation);

}  // namespace thrum::cli
