#include "cli/completion.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/flag.hpp"

namespace thrum::cli {
namespace {

std::vector<const Flag*> working_flags(Command command) {
  std::vector<const Flag*> out;
  for (const Flag& flag : flag_table())
    if (flag.commands.has(command)) out.push_back(&flag);
  return out;
}

std::vector<std::string> names_of(const Flag& flag) {
  std::vector<std::string> out{std::string(flag.name)};
  for_each_word(flag.also, [&](std::string_view other) { out.emplace_back(other); });
  return out;
}

std::string command_names() {
  std::string out;
  for (const CommandInfo& c : command_table()) out += fmt::format("{}{}", out.empty() ? "" : " ", c.name);
  return out;
}

// "-a|-b|--a|--b" for a case label of the flags of `command` for which `wanted` holds.
template <class Wanted>
std::string labels(Command command, Wanted&& wanted) {
  std::string out;
  for (const Flag* flag : working_flags(command)) {
    if (!wanted(*flag)) continue;
    for (const std::string& name : names_of(*flag)) out += fmt::format("{}-{}|--{}", out.empty() ? "" : "|", name, name);
  }
  return out;
}

// A single-quoted word of sh.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// One function; the word before the cursor decides between a value and a flag, the first plain word is the command.
std::string bash() {
  std::string out =
      "# bash completion for thrum; made by `thrum completion bash`\n"
      "_thrum() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in\n";
  std::string commands = command_names();
  for (char& c : commands)
    if (c == ' ') c = '|';
  out += fmt::format("      {}) command=${{COMP_WORDS[i]}}; break ;;\n    esac\n  done\n  case $command in\n", commands);
  for (const CommandInfo& c : command_table()) {
    out += fmt::format("    {})\n      case $before in\n", c.name);
    for (const Flag* flag : working_flags(c.command)) {
      if (flag->takes != Takes::choice) continue;
      out += fmt::format("        {}) COMPREPLY=($(compgen -W {} -- \"$word\")); return ;;\n",
                         labels(c.command, [&](const Flag& f) { return &f == flag; }), quoted(flag->choices));
    }
    if (const std::string files = labels(c.command, [](const Flag& f) { return f.takes == Takes::file; }); !files.empty())
      out += fmt::format("        {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", files);
    if (const std::string values = labels(c.command, [](const Flag& f) { return f.takes == Takes::value; }); !values.empty())
      out += fmt::format("        {}) COMPREPLY=(); return ;;\n", values);
    std::string flags;
    for (const Flag* flag : working_flags(c.command))
      for (const std::string& name : names_of(*flag)) flags += fmt::format("{}-{}", flags.empty() ? "" : " ", name);
    out += fmt::format("      esac\n      [[ $word == -* ]] && COMPREPLY=($(compgen -W {} -- \"$word\")) && return\n      ;;\n",
                       quoted(flags));
  }
  out += fmt::format(
      "    *)\n"
      "      COMPREPLY=($(compgen -W {} -- \"$word\"))\n"
      "      return\n"
      "      ;;\n"
      "  esac\n"
      "  COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _thrum thrum\n",
      quoted(command_names() + " -help -version -cpus"));
  return out;
}

// Brackets and colons mean something in an _arguments specification.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_argument(const Flag& flag) {
  switch (flag.takes) {
    case Takes::nothing:
      return "";
    case Takes::file:
      return fmt::format(":{}:_files", zsh_text(flag.value));
    case Takes::choice:
      return fmt::format(":{}:({})", zsh_text(flag.value), flag.choices);
    case Takes::value:
      break;
  }
  return fmt::format(":{}: ", zsh_text(flag.value));
}

std::string zsh() {
  std::string out =
      "#compdef thrum\n"
      "# zsh completion for thrum; made by `thrum completion zsh`\n"
      "local -a commands=(\n";
  for (const CommandInfo& c : command_table()) out += fmt::format("  {}\n", quoted(fmt::format("{}:{}", c.name, zsh_text(c.help))));
  out +=
      ")\n"
      "local command=${words[(r)";
  std::string commands = command_names();
  for (char& c : commands)
    if (c == ' ') c = '|';
  out += fmt::format("({})]}}\ncase $command in\n", commands);
  for (const CommandInfo& c : command_table()) {
    out += fmt::format("  {})\n    _arguments", c.name);
    for (const Flag* flag : working_flags(c.command))
      for (const std::string& name : names_of(*flag))
        out += fmt::format(" \\\n      {}",
                           quoted(fmt::format("{}-{}{}[{}]{}", flag->repeats ? "*" : "", name, flag->takes == Takes::nothing ? "" : "=-",
                                              zsh_text(flag->help), zsh_argument(*flag))));
    out += " \\\n      '*:file:_files'\n    ;;\n";
  }
  return out + "  *)\n    _describe command commands\n    ;;\nesac\n";
}

std::string fish() {
  std::string out = "# fish completion for thrum; made by `thrum completion fish`\n";
  for (const CommandInfo& c : command_table())
    out += fmt::format("complete -c thrum -n __fish_use_subcommand -f -a {} -d {}\n", c.name, quoted(c.help));
  for (const CommandInfo& c : command_table()) {
    for (const Flag* flag : working_flags(c.command)) {
      std::string takes;
      if (flag->takes == Takes::file) takes = " -r -F";
      if (flag->takes == Takes::value) takes = " -x";
      if (flag->takes == Takes::choice) takes = fmt::format(" -x -a {}", quoted(flag->choices));
      for (const std::string& name : names_of(*flag))
        out +=
            fmt::format("complete -c thrum -n '__fish_seen_subcommand_from {}' -o {}{} -d {}\n", c.name, name, takes, quoted(flag->help));
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return std::nullopt;
}

}  // namespace thrum::cli
