// What runs are called so that nobody takes one for another: by their attacks' names, and by their files where those are
// missing or equal.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace thrum::report {

struct NamedRun {
  std::string attack;  // may be empty
  std::string file;    // as the user named it
};

struct RunName {
  std::string label;  // as vegeta would call it, as long as that is unambiguous; a single run without a name has none
  std::string shown;  // for people: the same, but never empty
};

// One for each run, all different.
std::vector<RunName> names_of(std::span<const NamedRun> runs);

}  // namespace thrum::report
