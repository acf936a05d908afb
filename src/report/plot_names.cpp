#include "report/plot_names.hpp"

#include <map>
#include <set>
#include <string_view>

namespace thrum::report {
namespace {

std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

// A file by the last part of its path, unless another file's is the same.
std::vector<std::string> short_files(std::span<const NamedRun> runs) {
  std::map<std::string_view, std::set<std::string_view>> paths;
  for (const NamedRun& run : runs) paths[last_part(run.file)].insert(run.file);
  std::vector<std::string> files;
  for (const NamedRun& run : runs) {
    const std::string_view part = last_part(run.file);
    files.emplace_back(paths[part].size() == 1 ? part : std::string_view(run.file));
  }
  return files;
}

std::string not_in(const std::set<std::string>& taken, const std::string& name) {
  std::string unique = name;
  for (int i = 2; taken.contains(unique); ++i) unique = name + " #" + std::to_string(i);
  return unique;
}

}  // namespace

std::vector<RunName> names_of(std::span<const NamedRun> runs) {
  const std::vector<std::string> files = short_files(runs);
  std::map<std::string_view, std::size_t> of_same_attack;
  for (const NamedRun& run : runs) ++of_same_attack[run.attack];

  std::vector<RunName> names;
  std::set<std::string> labels, shown;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& attack = runs[i].attack;
    RunName name;
    if (of_same_attack[attack] == 1)
      name.label = attack;
    else
      name.label = attack.empty() ? files[i] : attack + " (" + files[i] + ")";
    name.label = not_in(labels, name.label);
    name.shown = not_in(shown, name.label.empty() ? files[i] : name.label);
    labels.insert(name.label);
    shown.insert(name.shown);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace thrum::report
