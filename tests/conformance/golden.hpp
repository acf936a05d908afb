// The recorded cases in tests/data/golden/vegeta (see its README): what was run, and what it gave.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace thrum::golden {

struct Case {
  std::string id, folder, command, compare, note;
  std::string stdout_file;   // a path, or empty: nothing was written
  std::string zone = "UTC";  // of the process: TZ
  int exit = 0;

  friend void PrintTo(const Case& c, std::ostream* to) { *to << c.id; }
};

std::string root();
// The cases whose command holds `part`, in the order of the file.
std::vector<Case> cases_with(std::string_view part);
// The words of a command as a shell sees them; only '…' quotes.
std::vector<std::string> words(std::string_view command);
// `text` with each `what` in it changed to `with`.
std::string replaced(std::string text, std::string_view what, std::string_view with);
// A path for a file of this process alone.
std::string scratch_file(std::string_view name);
// The bytes of a file, unpacked if its name ends in .gz.
std::string contents(const std::string& path);

}  // namespace thrum::golden
