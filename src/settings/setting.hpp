// Room settings: what a run is told by files and by the environment, which hosts and rates it is held to, and which of its words are
// secrets. It must not know sending, nor which flags there are: it is given their names.
//
// A setting is a flag's name and a value as one would type it, and where it stands, for errors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"

namespace thrum::settings {

// A flag that a setting can be for.
struct Name {
  std::string_view name;
  std::string_view also = {};  // other names, blank-separated
  bool is_switch = false;      // true or false
  bool repeats = false;        // may be given several times: an array in a file
  bool is_guard = false;       // holds whatever else is said: a guard of a file is not undone by the command line
  bool is_here = true;         // false: another command's, passed over
};

struct Setting {
  std::string name;   // Name::name, whatever name it was given by
  std::string value;  // of a flag that repeats: one of several
  std::string where;  // "thrum.toml:12", "THRUM_RATE"
  int source = 0;     // the higher, the more specific: guards of different sources restrict each other
};

// Null: there is none of that name.
const Name* find_name(std::span<const Name> names, std::string_view word);

// `lower` where `higher` says nothing of the same flag, then `higher`, which is of another source. Guards of both stay.
std::vector<Setting> overlay(std::vector<Setting> lower, std::vector<Setting> higher, std::span<const Name> names);

}  // namespace thrum::settings
