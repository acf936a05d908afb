// The flags, in the order in which help and the manual list them; the tables are in flags/.
// Wording: `help` is one line without a full stop; `more` is whole sentences; both speak to the person at the shell.
#include <vector>

#include "cli/flag.hpp"
#include "cli/flags/binding.hpp"

namespace thrum::cli {

std::span<const Flag> flag_table() {
  static const std::vector<Flag> kAll = [] {
    std::vector<Flag> all;
    for (const std::span<const Flag> part :
         {sending_flags(), expectation_flags(), connection_flags(), guard_flags(), result_flags(), run_flags(), other_flags()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return kAll;
}

bool Flag::goes_by(std::string_view word) const {
  bool found = name == word;
  for_each_word(also, [&](std::string_view other) { found = found || other == word; });
  return found;
}

const Flag* find_flag(Command command, std::string_view name) {
  for (const Flag& flag : flag_table())
    if (flag.commands.has(command) && flag.goes_by(name)) return &flag;
  return nullptr;
}

}  // namespace thrum::cli
