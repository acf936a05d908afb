#include "cli/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "cli/value.hpp"
#include "targets/url_guess.hpp"

namespace thrum::cli {
namespace {

// One flag as typed. Only after the command is known is it clear which row of the table it means.
struct TypedFlag {
  std::string_view name;
  std::optional<std::string_view> value;
};

struct Words {
  std::vector<TypedFlag> flags;
  std::vector<std::string_view> plain;          // command and arguments
  std::size_t dashes = std::string_view::npos;  // those from here on stand behind "--"
};

// A name takes a value in all commands or in none (a test holds that), so the words can be told apart before the command
// is known.
const Flag* any_flag(std::string_view name) {
  const auto flags = flag_table();
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const Flag& f) { return f.goes_by(name); });
  return found == flags.end() ? nullptr : &*found;
}

const CommandInfo* command_named(std::string_view name) {
  const auto commands = command_table();
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const CommandInfo& c) { return c.name == name; });
  return found == commands.end() || found->command == Command::none ? nullptr : &*found;
}

// For errors: the command that the line seems to mean.
Command likely_command(std::span<const std::string_view> args) {
  for (const std::string_view word : args)
    if (const CommandInfo* c = command_named(word)) return c->command;
  return std::ranges::any_of(args, targets::looks_like_url) ? Command::run : Command::none;
}

std::string shown(std::string_view text) { return printable_prefix(text, 60); }

std::string more_help(Command command) {
  return command == Command::none ? "thrum -h lists the flags" : fmt::format("thrum {} -h lists its flags", info(command).name);
}

std::string unknown_flag(Command command, std::string_view name) {
  std::vector<std::string> names;
  for (const Flag& flag : flag_table()) {
    if (!flag.commands.has(command)) continue;
    names.emplace_back(flag.name);
    for_each_word(flag.also, [&](std::string_view other) { names.emplace_back(other); });
  }
  const std::string near = nearest(name, names);
  return fmt::format("unknown flag -{}; {}", shown(name), near.empty() ? more_help(command) : fmt::format("did you mean -{}?", near));
}

std::string unknown_command(std::string_view word) {
  std::vector<std::string> names;
  for (const CommandInfo& c : command_table())
    if (c.command != Command::none) names.emplace_back(c.name);
  if (const std::string near = nearest(word, names); !near.empty())
    return fmt::format("unknown command \"{}\"; did you mean {}?", shown(word), near);
  return fmt::format("unknown command \"{}\", and no URL; the commands are {}", shown(word), fmt::join(names, ", "));
}

bool is_help_word(std::string_view word) { return word == "-h" || word == "--h" || word == "-help" || word == "--help"; }

// What is no flag is then a command of curl, of which thrum knows no more.
bool asks_for_curl(const std::vector<TypedFlag>& flags) {
  return std::ranges::any_of(flags,
                             [](const TypedFlag& f) { return f.name == "curl" && read_bool(f.value.value_or("true")).value_or(false); });
}

bool asks_for_form(const TypedFlag& typed) {
  const Flag* const flag = find_flag(Command::run, typed.name);
  return flag != nullptr && flag->name == "setup";
}

std::expected<Words, ParseFailure> split(std::span<const std::string_view> args) {
  Words words;
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string_view word = args[i];
    if (word == "--") {
      words.dashes = words.plain.size();
      words.plain.insert(words.plain.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      words.plain.push_back(word);
      continue;
    }
    word.remove_prefix(word[1] == '-' ? 2 : 1);
    const std::size_t equals = word.find('=');
    TypedFlag typed{word.substr(0, equals), std::nullopt};
    if (equals != std::string_view::npos) typed.value = word.substr(equals + 1);
    if (typed.name.empty())
      return std::unexpected(
          ParseFailure{likely_command(args), {ErrorKind::usage, fmt::format("\"{}\": a flag's name is missing", shown(args[i]))}});
    const Flag* flag = any_flag(typed.name);
    if (flag == nullptr) {
      const bool is_of_curl = asks_for_curl(words.flags);
      const Command command = is_of_curl ? Command::run : likely_command(args);
      std::string text =
          is_of_curl ? fmt::format("unknown flag -{}; a command of curl stands behind --, as in -curl -- curl ...", shown(typed.name))
                     : unknown_flag(command, typed.name);
      return std::unexpected(ParseFailure{command, {ErrorKind::usage, std::move(text)}});
    }
    if (!typed.value && flag->takes != Takes::nothing) {
      if (++i == args.size()) {
        const Command command = likely_command(args);
        return std::unexpected(
            ParseFailure{command, {ErrorKind::usage, fmt::format("-{} needs a value; {}", typed.name, more_help(command))}});
      }
      typed.value = args[i];
    }
    words.flags.push_back(typed);
  }
  return words;
}

Expected<void> apply(Command command, const TypedFlag& typed, Options& options) {
  const Flag* flag = find_flag(command, typed.name);
  if (flag == nullptr) {
    if (command == Command::none) return usage_error(fmt::format("-{} is a flag of a command; thrum -h lists them", typed.name));
    return usage_error(fmt::format("{} has no flag -{}; {}", info(command).name, typed.name, more_help(command)));
  }
  const std::string_view value = typed.value.value_or("true");
  const auto done = flag->bind(options, value);
  if (done) {
    options.attack.typed.emplace_back(flag->name, value);
    return {};
  }
  return std::unexpected(Error{done.error().kind, fmt::format("-{}: {}", typed.name, done.error().text)});
}

// Whether something more specific says what `setting` does, in its own way or by another flag. Of two in one place the flag that comes
// later in the table counts.
bool is_overruled(Command command, const settings::Setting& setting, const Flag& flag, std::span<const settings::Setting> settings,
                  const std::vector<TypedFlag>& typed) {
  if (flag.is_guard) return false;
  const Flag* const other = flag.instead_of.empty() ? nullptr : find_flag(command, flag.instead_of);
  const auto is_either = [&](const TypedFlag& t) {
    const Flag* const known = find_flag(command, t.name);
    return known == &flag || (known != nullptr && known == other);
  };
  if (std::ranges::any_of(typed, is_either)) return true;
  return other != nullptr && std::ranges::any_of(settings, [&](const settings::Setting& s) {
           return s.name == other->name && (s.source > setting.source || (s.source == setting.source && other > &flag));
         });
}

// What the command line says nothing of.
Expected<void> apply(Command command, std::span<const settings::Setting> settings, const std::vector<TypedFlag>& typed, Options& options) {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const settings::Setting& each = settings[i];
    const Flag* const flag = find_flag(command, each.name);
    if (flag == nullptr || is_overruled(command, each, *flag, settings, typed)) continue;
    if (i > 0 && each.source != settings[i - 1].source) options.attack.guard.next_source();
    if (auto done = flag->bind(options, each.value); !done)
      return std::unexpected(Error{ErrorKind::usage, fmt::format("{}: {}: {}", each.where, each.name, done.error().text)});
    options.attack.typed.emplace_back(flag->name, each.value);
  }
  options.attack.settled = options.attack.typed.size();
  options.attack.guard.next_source();
  return {};
}

}  // namespace

std::expected<Invocation, ParseFailure> parse(std::span<const std::string_view> args, std::span<const settings::Setting> settings) {
  Invocation out;
  out.words.assign(args.begin(), args.end());
  auto words = split(args);
  if (!words && std::any_of(args.begin(), args.end(), is_help_word)) {
    out.command = likely_command(args);
    out.options.help = true;
    return out;
  }
  if (!words) return std::unexpected(words.error());

  std::span<const std::string_view> plain = words->plain;
  const bool asks_help = std::any_of(words->flags.begin(), words->flags.end(), [](const TypedFlag& f) {
    const Flag* flag = find_flag(Command::none, f.name);
    return flag != nullptr && flag->name == "help" && !f.value;
  });
  const bool is_curl = asks_for_curl(words->flags);
  if (plain.empty() && is_curl) out.command = Command::run;  // it comes from stdin
  if (!plain.empty()) {
    const CommandInfo* const found = words->dashes == 0 && is_curl ? nullptr : command_named(plain[0]);
    if (found != nullptr) {
      out.command = found->command;
      plain = plain.subspan(1);
    } else if (is_curl || targets::looks_like_url(plain[0])) {
      out.command = Command::run;  // thrum URL
    } else if (!asks_help) {
      return std::unexpected(ParseFailure{Command::none, {ErrorKind::usage, unknown_command(plain[0])}});
    }
  } else if (std::ranges::any_of(words->flags, asks_for_form)) {
    out.command = Command::run;  // thrum -i
  }
  if (asks_help) {
    out.options.help = true;
    return out;
  }
  if (auto done = apply(out.command, settings, words->flags, out.options); !done)
    return std::unexpected(ParseFailure{out.command, done.error()});
  for (const TypedFlag& typed : words->flags) {
    if (auto done = apply(out.command, typed, out.options); !done) return std::unexpected(ParseFailure{out.command, done.error()});
  }
  out.arguments.assign(plain.begin(), plain.end());
  return out;
}

Expected<void> check_arguments(const Invocation& invocation) {
  const CommandInfo& about = info(invocation.command);
  if (invocation.command == Command::help && invocation.arguments.size() > 1)
    return usage_error(fmt::format("explains one command at a time, and \"{}\" is one too many", shown(invocation.arguments[1])));
  if (!about.arguments.empty() || invocation.arguments.empty()) return {};
  return usage_error(fmt::format("takes flags only, and \"{}\" is none; {}", shown(invocation.arguments[0]), more_help(about.command)));
}

}  // namespace thrum::cli
