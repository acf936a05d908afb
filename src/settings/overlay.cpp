#include <algorithm>
#include <iterator>

#include "settings/setting.hpp"

namespace thrum::settings {
namespace {

bool is_among(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

const Name* find_name(std::span<const Name> names, std::string_view word) {
  const auto found = std::ranges::find_if(names, [=](const Name& n) { return n.name == word || is_among(n.also, word); });
  return found == names.end() ? nullptr : &*found;
}

std::vector<Setting> overlay(std::vector<Setting> lower, std::vector<Setting> higher, std::span<const Name> names) {
  std::erase_if(lower, [&](const Setting& low) {
    const Name* const name = find_name(names, low.name);
    if (name != nullptr && name->is_guard) return false;
    return std::ranges::any_of(higher, [&](const Setting& high) { return high.name == low.name; });
  });
  int source = 0;
  for (const Setting& low : lower) source = std::max(source, low.source + 1);
  for (Setting& high : higher) high.source += source;
  lower.insert(lower.end(), std::make_move_iterator(higher.begin()), std::make_move_iterator(higher.end()));
  return lower;
}

}  // namespace thrum::settings
