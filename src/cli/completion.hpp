// Completion scripts for shells, made from the flag table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thrum::cli {

// "bash", "zsh" or "fish"; nothing for another shell.
std::optional<std::string> completion_script(std::string_view shell);

}  // namespace thrum::cli
