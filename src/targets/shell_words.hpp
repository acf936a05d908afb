// The words of a command line as a shell would hand them to a program: bash's quoting (and what other shells share with it), or cmd.exe's
// with the rules by which a Windows program takes its line apart. Nothing is expanded or run: a command that was pasted is data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"

namespace thrum::targets {

enum class Shell : std::uint8_t {
  posix,  // '…', "…", $'…', backslashes, a backslash at the end of a line
  cmd,    // "…", ^ before a character or the end of a line; a backslash is a backslash, except before a quote
};

// By its first quote or continued line; posix where there is none.
Shell guess_shell(std::string_view text);

struct ShellWords {
  std::vector<std::string> words;
  std::string left_as_is;   // the first "$NAME", "$(…)" or "`…`" that a shell would have replaced by something; empty: none
  std::string_view behind;  // what follows the command from its first |, ;, & , < or > on; empty: nothing
};

// Up to the command's end. Errors: a quote that is not closed.
Expected<ShellWords> split_words(std::string_view text, Shell shell);

}  // namespace thrum::targets
