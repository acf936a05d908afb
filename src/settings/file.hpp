// thrum.toml: keys are the names of flags. At its top what holds for every command, in [COMMAND] what holds for that one, in [run.NAME] a
// run that is asked for by its name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings/setting.hpp"
#include "thrum/error.hpp"

namespace thrum::settings {

inline constexpr std::string_view kDefaultFile = "thrum.toml";

struct File {
  std::string path;
  std::vector<Setting> common;
  std::vector<std::pair<std::string, std::vector<Setting>>> commands;  // in the file's order
  std::vector<std::pair<std::string, std::vector<Setting>>> runs;      // likewise

  const std::vector<Setting>* of_run(std::string_view name) const;  // null: there is none
};

struct FileRules {
  std::span<const Name> names;                 // of the flags that files can set
  std::span<const std::string_view> commands;  // that a table may be for
};

// Errors name file and line; of a key that is unknown the nearest known one, too.
Expected<File> read_file(const std::string& path, const FileRules& rules);
Expected<File> parse_file(std::string_view text, const std::string& path, const FileRules& rules);

// The file's text; errors name it.
Expected<std::string> read_text(const std::string& path);

// What it says to a command, and to one of its runs if `run` is not empty (which has to be there).
Expected<std::vector<Setting>> settings_of(const File& file, std::string_view command, std::string_view run, std::span<const Name> names);

}  // namespace thrum::settings
