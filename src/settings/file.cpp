#include "settings/file.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <fcntl.h>
#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "base/fd.hpp"
#include "base/text.hpp"

namespace thrum::settings {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;

// Reads tables of one file.
class Reader {
 public:
  Reader(std::string path, const FileRules& rules) : rules_(rules) { file_.path = std::move(path); }

  Expected<File> read(const toml::table& top) && {
    for (const auto& [key, node] : in_order(top)) {
      const toml::table* const table = node->as_table();
      Expected<void> done;
      if (table == nullptr)
        done = setting(key, *node, file_.common);
      else if (key == "run")
        done = runs(*table);
      else if (std::ranges::find(rules_.commands, std::string_view(key)) != rules_.commands.end())
        done = settings(*table, file_.commands.emplace_back(key, std::vector<Setting>()).second);
      else
        done = fault(*node, fmt::format("[{}] is none of the tables [{}] and [run.NAME]", printable_prefix(key, 40),
                                        fmt::join(rules_.commands, "], [")));
      if (!done) return std::unexpected(std::move(done.error()));
    }
    return std::move(file_);
  }

 private:
  using Entries = std::vector<std::pair<std::string, const toml::node*>>;

  // As they stand in the file, not by name.
  static Entries in_order(const toml::table& table) {
    Entries entries;
    for (const auto& [key, node] : table) entries.emplace_back(key.str(), &node);
    std::ranges::stable_sort(entries, {},
                             [](const auto& e) { return std::pair(e.second->source().begin.line, e.second->source().begin.column); });
    return entries;
  }

  std::string where(const toml::node& node) const { return fmt::format("{}:{}", printable(file_.path), node.source().begin.line); }
  std::unexpected<Error> fault(const toml::node& node, std::string_view text) const {
    return usage_error(fmt::format("{}: {}", where(node), text));
  }

  // Its tables are runs; what else it holds is for the command of that name.
  Expected<void> runs(const toml::table& all) {
    std::vector<Setting> common;
    for (const auto& [key, node] : in_order(all)) {
      const toml::table* const table = node->as_table();
      auto done =
          table == nullptr ? setting(key, *node, common) : settings(*table, file_.runs.emplace_back(key, std::vector<Setting>()).second);
      if (!done) return done;
    }
    if (!common.empty()) file_.commands.emplace_back("run", std::move(common));
    return {};
  }

  Expected<void> settings(const toml::table& table, std::vector<Setting>& into) {
    for (const auto& [key, node] : in_order(table))
      if (auto done = setting(key, *node, into); !done) return done;
    return {};
  }

  Expected<void> setting(const std::string& key, const toml::node& node, std::vector<Setting>& into) {
    const Name* const name = find_name(rules_.names, key);
    if (name == nullptr) return unknown(key, node);
    const toml::array* const array = node.as_array();
    if (array != nullptr && !name->repeats) return fault(node, fmt::format("{} takes one value, not a list", name->name));
    if (!name->is_here) return {};
    if (std::ranges::any_of(into, [&](const Setting& s) { return s.name == name->name; }))
      return fault(node, fmt::format("{} is another name of {}, which is there already", printable_prefix(key, 40), name->name));
    if (array == nullptr) return value(*name, node, into);
    for (const toml::node& each : *array)
      if (auto done = value(*name, each, into); !done) return done;
    return {};
  }

  Expected<void> value(const Name& name, const toml::node& node, std::vector<Setting>& into) {
    std::optional<std::string> text;
    if (const auto* const s = node.as_string())
      text = s->get();
    else if (const auto* const whole = node.as_integer())
      text = std::to_string(whole->get());
    else if (const auto* const number = node.as_floating_point())
      text = fmt::format("{}", number->get());
    else if (const auto* const is_on = node.as_boolean())
      text = is_on->get() ? "true" : "false";
    if (!text) return fault(node, fmt::format("{} takes a text, a number, true or false", name.name));
    if (name.is_switch && !node.is_boolean() && !node.is_string()) return fault(node, fmt::format("{} takes true or false", name.name));
    into.push_back({std::string(name.name), std::move(*text), where(node), 0});
    return {};
  }

  Expected<void> unknown(std::string_view key, const toml::node& node) const {
    std::vector<std::string> known;
    for (const Name& name : rules_.names) known.emplace_back(name.name);
    const std::string near = nearest(key, known);
    return fault(node,
                 fmt::format("unknown key {}; {}", printable_prefix(key, 40),
                             near.empty() ? "keys are the names of flags, as in rate = \"100/s\"" : fmt::format("did you mean {}?", near)));
  }

  FileRules rules_;
  File file_;
};

}  // namespace

Expected<std::string> read_text(const std::string& path) {
  const auto failed = [&](int code) {
    return failure(fmt::format("config file \"{}\": {}", printable(path), lower(std::generic_category().message(code))));
  };
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) {
    const int code = errno;
    const std::string near = code == ENOENT ? nearest_file(path) : "";
    if (!near.empty())
      return failure(fmt::format("config file \"{}\": no such file; did you mean \"{}\"?", printable(path), printable(near)));
    return failed(code);
  }
  std::string text;
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(errno);
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > kLargest) return failure(fmt::format("config file \"{}\": more than 1 MiB", printable(path)));
  }
}

const std::vector<Setting>* File::of_run(std::string_view name) const {
  const auto found = std::ranges::find(runs, name, [](const auto& run) { return std::string_view(run.first); });
  return found == runs.end() ? nullptr : &found->second;
}

Expected<File> parse_file(std::string_view text, const std::string& path, const FileRules& rules) {
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return usage_error(fmt::format("{}:{}: {}", printable(path), error.source().begin.line, printable_prefix(error.description(), 160)));
  }
  return Reader(path, rules).read(parsed.table());
}

Expected<File> read_file(const std::string& path, const FileRules& rules) {
  const auto text = read_text(path);
  if (!text) return std::unexpected(text.error());
  return parse_file(*text, path, rules);
}

Expected<std::vector<Setting>> settings_of(const File& file, std::string_view command, std::string_view run, std::span<const Name> names) {
  std::vector<Setting> all = file.common;
  for (const auto& [name, own] : file.commands)
    if (name == command) all = overlay(std::move(all), own, names);
  if (run.empty()) return all;
  const std::vector<Setting>* const own = file.of_run(run);
  if (own != nullptr) return overlay(std::move(all), *own, names);
  std::vector<std::string> known;
  for (const auto& [name, settings] : file.runs) known.push_back(name);
  const std::string near = nearest(run, known);
  return usage_error(fmt::format("{} has no [run.{}]; {}", printable(file.path), printable_prefix(run, 40),
                                 known.empty() ? "it has no runs"
                                 : near.empty()
                                     ? fmt::format("its runs are {}", printable_prefix(fmt::format("{}", fmt::join(known, ", ")), 160))
                                     : fmt::format("did you mean {}?", printable(near))));
}

}  // namespace thrum::settings
