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
  std::string run;                          // the named run that they are of; empty: none
};
// Of a command that has -config; others are told nothing.
Expected<FoundSettings> find_settings(const Invocation& invocation);
// The runs that have a table of their own, in the file's order. An error: there are none.
Expected<std::vector<std::string>> named_runs(const Invocation& invocation);
// The invocation once more, of one of them.
Expected<Invocation> of_named_run(const Invocation& invocation, const std::string& run);

// The file that such a command reads; empty: there is none.
std::string settings_file_of(const Invocation& invocation);

// To the file that was read, or to a new thrum.toml: what stood at its top is replaced, its tables stay, and the file as it was stays
// beside it. Gives what was done, for people.
Expected<std::string> save_settings(const Invocation& invocation);

// -write-config
Expected<ExitCode> write_config(const Invocation& invocation);

}  // namespace thrum::cli
