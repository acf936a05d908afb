#include "cli/help.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/text.hpp"
#include "base/version.hpp"

namespace thrum::cli {
namespace {

constexpr std::size_t kWidth = 80, kIndent = 4;
constexpr std::array<Group, 7> kGroups{Group::input,  Group::pace,   Group::expectations, Group::connections,
                                       Group::guards, Group::output, Group::everywhere};

// `text` in lines of at most kWidth, each after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out, line;
  for_each_word(text, [&](std::string_view word) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > kWidth) {
      out += fmt::format("{:{}}{}\n", "", indent, line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  });
  return out + fmt::format("{:{}}{}\n", "", indent, line);
}

std::vector<const Flag*> flags_of(Command command, Group group) {
  std::vector<const Flag*> out;
  for (const Flag& flag : flag_table())
    if (flag.commands.has(command) && flag.group == group) out.push_back(&flag);
  return out;
}

// "-duration, -z TIME"
std::string shape_of(const Flag& flag) {
  std::string out = fmt::format("-{}", flag.name);
  for_each_word(flag.also, [&](std::string_view other) { out += fmt::format(", -{}", other); });
  if (flag.takes != Takes::nothing) out += fmt::format(" {}", flag.value);
  return out;
}

// The default where it says something: a switch that is off by default needs no word.
std::string_view telling_default(const Flag& flag) { return flag.takes == Takes::nothing && flag.initial == "false" ? "" : flag.initial; }

std::string help_with_default(const Flag& flag) {
  const std::string_view initial = telling_default(flag);
  return initial.empty() ? std::string(flag.help) : fmt::format("{} (default {})", flag.help, initial);
}

std::string command_list() {
  std::string out = "Commands\n";
  for (const CommandInfo& c : command_table()) out += fmt::format("  {:<9} {}\n", c.name, c.help);
  return out;
}

std::string synopsis(const CommandInfo& command) {
  if (command.command == Command::none) return "thrum COMMAND [FLAGS]";
  return fmt::format("thrum {} [FLAGS]{}{}", command.name, command.arguments.empty() ? "" : " ", command.arguments);
}

// roff: a backslash, and a dot or quote at a line's start, mean something.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c != '`' && c != '*')  // Markdown's marks for code and stress say nothing here
      out += c;
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

// Markdown: a bar ends a table's cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

std::string help_text(Command command) {
  const CommandInfo& about = info(command);
  std::string out = fmt::format("thrum{}{}: {}\n\nUsage: {}\n\n", about.name.empty() ? "" : " ", about.name, about.help, synopsis(about));
  if (!about.more.empty()) out += wrapped(about.more, 0) + "\n";
  if (command == Command::none) out += command_list() + "\n";
  for (const Group group : kGroups) {
    const auto flags = flags_of(command, group);
    if (flags.empty()) continue;
    out += fmt::format("{}\n", heading(group, command));
    for (const Flag* flag : flags) out += fmt::format("  {}\n", shape_of(*flag)) + wrapped(help_with_default(*flag), kIndent + 2);
    out += '\n';
  }
  out += "Examples\n";
  for_each_line(about.examples, [&](std::string_view line) { out += fmt::format("  {}\n", line); });
  if (command == Command::none) out += "\nthrum COMMAND -h explains a command; `man thrum` and docs/ hold the manual.\n";
  return out;
}

bool has_man_page(Command command) { return command != Command::version && command != Command::help; }

std::string man_page(Command command) {
  const CommandInfo& about = info(command);
  const std::string name = command == Command::none ? "thrum" : fmt::format("thrum-{}", about.name);
  std::string out = fmt::format(".TH {} 1 {} \"thrum {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(name), build_date(), kVersion,
                                roff(name), roff(about.help));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n", roff(synopsis(about)));
  if (!about.more.empty()) out += fmt::format(".SH DESCRIPTION\n{}\n", roff(about.more));
  if (command == Command::none) {
    out += ".SH COMMANDS\n";
    for (const CommandInfo& c : command_table()) out += fmt::format(".TP\n.B {}\n{}\n", roff(c.name), roff(c.help));
  }
  out += ".SH OPTIONS\nA flag begins with one dash or two; its value follows after a blank or an equals sign.\n";
  for (const Group group : kGroups) {
    const auto flags = flags_of(command, group);
    if (flags.empty()) continue;
    out += fmt::format(".SS {}\n", roff(heading(group, command)));
    for (const Flag* flag : flags) {
      out += fmt::format(".TP\n.B {}\n{}.\n", roff(shape_of(*flag)), roff(help_with_default(*flag)));
      if (!flag->more.empty()) out += fmt::format("{}\n", roff(flag->more));
    }
  }
  out += ".SH EXAMPLES\n.nf\n";
  for_each_line(about.examples, [&](std::string_view line) { out += fmt::format("{}\n", roff(line)); });
  out +=
      ".fi\n.SH EXIT STATUS\n0 done as asked; 1 could not be done; 2 asked for wrongly; 3 the rate was not kept (\\-strict\\-rate); "
      "130 interrupted twice.\n.SH SEE ALSO\n";
  std::string others;
  if (command != Command::none) others = "thrum(1)";
  for (const CommandInfo& c : command_table())
    if (c.command != command && has_man_page(c.command)) others += fmt::format("{}thrum\\-{}(1)", others.empty() ? "" : ", ", c.name);
  return out + others + "\n";
}

std::string manual_table(Command command) {
  std::string out = "| flag | default | what it does |\n|---|---|---|\n";
  for (const Group group : kGroups) {
    for (const Flag* flag : flags_of(command, group)) {
      std::string names = fmt::format("`-{}", flag->name);
      if (flag->takes != Takes::nothing) names += fmt::format(" {}", flag->value);
      names += '`';
      for_each_word(flag->also, [&](std::string_view other) { names += fmt::format(" `-{}`", other); });
      const std::string_view initial = telling_default(*flag);
      out += fmt::format("| {} | {} | {}.{}{} |\n", cell(names), initial.empty() ? "" : fmt::format("`{}`", cell(initial)),
                         cell(flag->help), flag->more.empty() ? "" : " ", cell(flag->more));
    }
  }
  return out;
}

}  // namespace thrum::cli
