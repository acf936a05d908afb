// What the flag table looks like to people: -h, the man pages and the manual's tables.
#pragma once

#include <string>

#include "cli/flag.hpp"

namespace thrum::cli {

// For a terminal of 80 columns. Command::none: thrum itself.
std::string help_text(Command command);

// A man page in roff: thrum(1), thrum-attack(1).
std::string man_page(Command command);
bool has_man_page(Command command);  // those whose help says it all have none

// The table of `command`'s flags as it stands in the manual, in Markdown.
std::string manual_table(Command command);

}  // namespace thrum::cli
