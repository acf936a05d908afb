#include "cli/settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "settings/environment.hpp"
#include "settings/file.hpp"
#include "settings/masking.hpp"
#include "settings/write.hpp"
#include "targets/url_guess.hpp"

namespace thrum::cli {
namespace {

// What a command that sends does with one run is no setting of all runs.
bool is_for_one_run(std::string_view name) {
  constexpr std::string_view kWords[] = {"config", "write-config", "curl", "all", "dry-run", "once", "setup", "help", "version", "profile"};
  return std::ranges::find(kWords, name) != std::end(kWords);
}

bool has_config(Command command) { return command != Command::none && find_flag(command, "config") != nullptr; }

std::vector<std::string_view> commands_with_config() {
  std::vector<std::string_view> names;
  for (const CommandInfo& each : command_table())
    if (has_config(each.command)) names.push_back(each.name);
  return names;
}

std::vector<std::string_view> variables() {
  std::vector<std::string_view> all;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) all.emplace_back(*each);
  return all;
}

std::string names_of(const std::vector<settings::Setting>& settings) {
  std::vector<std::string> names;
  for (const settings::Setting& each : settings)
    if (std::ranges::find(names, each.name) == names.end()) names.push_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<settings::Name> setting_names(Command command) {
  std::vector<settings::Name> names;
  for (const CommandInfo& each : command_table()) {
    if (!has_config(each.command)) continue;
    for (const Flag& flag : flag_table()) {
      const bool is_known = std::ranges::any_of(names, [&](const settings::Name& n) { return n.name == flag.name; });
      if (!flag.commands.has(each.command) || is_known || is_for_one_run(flag.name) || !flag.stands_for.empty()) continue;
      const Flag* const here = find_flag(command, flag.name);
      const Flag& shown = here != nullptr ? *here : flag;
      names.push_back({shown.name, shown.also, shown.takes == Takes::nothing, shown.repeats, shown.is_guard, here != nullptr});
    }
  }
  return names;
}

namespace {

std::optional<std::string> config_path(const Invocation& invocation) {
  const std::string& asked = invocation.options.config;
  std::string path = asked.empty() ? std::string(settings::kDefaultFile) : asked;
  if (asked == "none" || (asked.empty() && ::access(path.c_str(), F_OK) != 0)) return std::nullopt;
  return path;
}

std::vector<std::string> run_names(const settings::File& file) {
  std::vector<std::string> names;
  for (const auto& [name, settings] : file.runs) names.push_back(name);
  return names;
}

// The run that a command line asks for by its name: the first argument, unless it can only be a URL.
Expected<std::string> asked_run(const Invocation& invocation, const settings::File& file) {
  if (!invocation.run.empty()) return invocation.run;
  if (invocation.command != Command::run || invocation.options.run.is_curl || invocation.arguments.size() != 1) return "";
  const std::string& word = invocation.arguments[0];
  if (file.of_run(word) != nullptr) return word;
  if (file.runs.empty() || targets::looks_like_url(word)) return "";
  const std::string near = nearest(word, run_names(file));
  return usage_error(fmt::format(
      "\"{}\" is no URL, and {} has no [run.{}]; {}", printable_prefix(word, 60), printable(file.path), printable_prefix(word, 60),
      near.empty() ? fmt::format("its runs are {}", printable_prefix(fmt::format("{}", fmt::join(run_names(file), ", ")), 200))
                   : fmt::format("did you mean {}?", printable(near))));
}

}  // namespace

Expected<FoundSettings> find_settings(const Invocation& invocation) {
  FoundSettings found;
  if (!has_config(invocation.command)) return found;
  const std::vector<settings::Name> names = setting_names(invocation.command);
  const std::vector<std::string_view> commands = commands_with_config();
  if (const auto path = config_path(invocation)) {
    const auto file = settings::read_file(*path, {names, commands});
    if (!file) return std::unexpected(file.error());
    auto run = asked_run(invocation, *file);
    if (!run) return std::unexpected(std::move(run.error()));
    auto own = settings::settings_of(*file, info(invocation.command).name, *run, names);
    if (!own) return std::unexpected(own.error());
    found.run = std::move(*run);
    // What nobody has asked for is told.
    if (invocation.options.config.empty() && found.run.empty() && !invocation.options.run.all && !own->empty())
      found.words.push_back(fmt::format("settings from {}: {}", *path, names_of(*own)));
    found.settings = std::move(*own);
  }
  settings::Environment environment = settings::read_environment(variables(), names);
  found.settings = settings::overlay(std::move(found.settings), std::move(environment.settings), names);
  found.words.insert(found.words.end(), environment.doubts.begin(), environment.doubts.end());
  return found;
}

Expected<std::vector<std::string>> named_runs(const Invocation& invocation) {
  const auto path = config_path(invocation);
  if (!path)
    return usage_error("-all sends the runs of a file, and there is no thrum.toml here; write one with [run.NAME], or say -config=FILE");
  const std::vector<settings::Name> names = setting_names(invocation.command);
  const std::vector<std::string_view> commands = commands_with_config();
  const auto file = settings::read_file(*path, {names, commands});
  if (!file) return std::unexpected(file.error());
  if (file->runs.empty()) return usage_error(fmt::format("-all sends the runs of {}, and it has no [run.NAME]", printable(*path)));
  return run_names(*file);
}

Expected<Invocation> of_named_run(const Invocation& invocation, const std::string& run) {
  Invocation named = invocation;
  named.run = run;
  const auto found = find_settings(named);
  if (!found) return std::unexpected(found.error());
  auto whole = parse(std::vector<std::string_view>(invocation.words.begin(), invocation.words.end()), found->settings);
  if (!whole) return std::unexpected(std::move(whole.error().error));
  whole->run = run;
  return std::move(*whole);
}

std::string settings_file_of(const Invocation& invocation) {
  const std::string& asked = invocation.options.config;
  if (asked == "none") return "";
  const std::string path = asked.empty() ? std::string(settings::kDefaultFile) : asked;
  return ::access(path.c_str(), F_OK) == 0 ? path : "";
}

// What the invocation says, as settings: its flags by their names, and the URL of a run.
std::vector<settings::Setting> settings_said(const Invocation& invocation, bool& is_secret) {
  const std::vector<settings::Name> names = setting_names(invocation.command);
  std::vector<settings::Setting> all;
  const auto add = [&](std::string name, std::string value) {
    is_secret = is_secret || settings::masked_flag(name, value) != value;
    if (settings::find_name(names, name) != nullptr) all.push_back({std::move(name), std::move(value), {}, 0});
  };
  if (invocation.command == Command::run && !invocation.arguments.empty()) add("url", invocation.arguments[0]);
  for (const auto& [typed, value] : invocation.options.attack.typed) {
    const Flag* const flag = find_flag(invocation.command, typed);
    std::string name = flag->stands_for.empty() ? typed : std::string(flag->stands_for), text = value;
    if (name == "url" && !invocation.arguments.empty()) continue;  // the argument wins
    // -t alone takes bare numbers, which are seconds.
    if (name != typed && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; })) text += 's';
    add(std::move(name), std::move(text));
  }
  return all;
}

Expected<ExitCode> write_config(const Invocation& invocation) {
  if (invocation.options.run.is_curl)
    return usage_error("-write-config can't write a command of curl; keep it in a file, and run it with -curl -- @FILE");
  bool is_secret = false;
  const std::vector<settings::Setting> all = settings_said(invocation, is_secret);
  const std::string& path = invocation.options.write_config;
  const std::string how = fmt::format("thrum {} -config={}", info(invocation.command).name, path);
  const std::string text = settings::file_text(all, setting_names(invocation.command), how);
  if (auto written = settings::write_new_file(path, text, is_secret); !written) return std::unexpected(written.error());
  say(invocation.command, fmt::format("wrote {}; to run it: {}", printable(path), printable(how)));
  return ExitCode::done;
}

Expected<std::string> save_settings(const Invocation& invocation) {
  bool is_secret = false;
  const std::vector<settings::Name> names = setting_names(invocation.command);
  const std::vector<std::string_view> commands = commands_with_config();
  const std::vector<settings::Setting> all = settings_said(invocation, is_secret);
  const std::string there = settings_file_of(invocation), path = there.empty() ? std::string(settings::kDefaultFile) : there;
  const std::string_view command = info(invocation.command).name;
  const std::string how = there.empty() || path == settings::kDefaultFile ? "thrum" : fmt::format("thrum run -config={}", path);
  std::string text = settings::file_text(all, names, how);
  if (!there.empty()) {
    auto before = settings::read_text(path);
    if (!before) return std::unexpected(before.error());
    text += settings::tables_of(*before);
  }
  // Tables that stay may say otherwise, and would win.
  const auto read = settings::parse_file(text, path, {names, commands});
  if (!read) return std::unexpected(read.error());
  auto holds = settings::settings_of(*read, command, "", names);
  if (!holds) return std::unexpected(holds.error());
  for (const settings::Setting& each : all) {
    const bool is_kept =
        std::ranges::any_of(*holds, [&](const settings::Setting& s) { return s.name == each.name && s.value == each.value; });
    if (!is_kept)
      return usage_error(fmt::format("{}: [{}] says {} otherwise and would win; change it there", printable(path), command, each.name));
  }
  if (auto written = settings::replace_file(path, text, is_secret); !written) return std::unexpected(written.error());
  return fmt::format("saved to {}{}; {} runs it", printable(path), there.empty() ? "" : fmt::format(" (as it was: {}~)", printable(path)),
                     how);
}

}  // namespace thrum::cli
