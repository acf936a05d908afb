// Settings written down, so that parse_file() reads the same again.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "settings/setting.hpp"
#include "thrum/error.hpp"

namespace thrum::settings {

// The file's text. `how`: the command line that runs it, for the comment on its top.
std::string file_text(std::span<const Setting> settings, std::span<const Name> names, std::string_view how);

// A new file; one that is there is left alone, and an error. Where a value is secret, only its owner may read it.
Expected<void> write_new_file(const std::string& path, std::string_view text, bool is_secret);

// From the first line that begins a table on, with the comments right above it; empty: there is none.
std::string_view tables_of(std::string_view text);
// The file is either as it was or holds `text`; as it was it stays as PATH~. Symbolic links are followed.
Expected<void> replace_file(const std::string& path, std::string_view text, bool is_secret);

}  // namespace thrum::settings
