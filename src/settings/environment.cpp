#include "settings/environment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace thrum::settings {
namespace {

constexpr std::string_view kPrefix = "THRUM_";

std::string flag_of(std::string_view variable) {
  std::string name = lower(variable.substr(kPrefix.size()));
  std::ranges::replace(name, '_', '-');
  return name;
}

void add(const Name& name, std::string_view variable, std::string_view value, std::vector<Setting>& into) {
  while (!value.empty()) {
    const std::size_t end = name.repeats ? std::min(value.find('\n'), value.size()) : value.size();
    if (const std::string_view line = value.substr(0, end); !trim(line).empty())
      into.push_back({std::string(name.name), std::string(line), std::string(variable), 0});
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

}  // namespace

std::string variable_of(std::string_view name) {
  std::string variable(kPrefix);
  for (const char c : name) variable += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return variable;
}

Environment read_environment(std::span<const std::string_view> variables, std::span<const Name> names) {
  Environment out;
  std::vector<std::string> known;
  for (const Name& name : names) known.emplace_back(name.name);
  for (const std::string_view each : variables) {
    const std::size_t equals = each.find('=');
    if (equals == each.npos || !each.starts_with(kPrefix)) continue;
    const std::string_view variable = each.substr(0, equals), value = each.substr(equals + 1);
    const std::string flag = flag_of(variable);
    if (const Name* const name = find_name(names, flag)) {
      if (name->is_here) add(*name, variable, value, out.settings);
    } else if (const std::string near = nearest(flag, known); !near.empty()) {
      out.doubts.push_back(
          fmt::format("{} is no setting and changes nothing; did you mean {}?", printable_prefix(variable, 60), variable_of(near)));
    }
  }
  std::ranges::sort(out.doubts);
  return out;
}

}  // namespace thrum::settings
