// Room cli: what people type and what comes back to their shell. It turns flags into options, makes one call into a mode and
// turns the answer into an exit code. It must not know how anything is done.
//
// One table of flags drives parsing, help, man pages, completions and the manual's flag tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "thrum/error.hpp"

namespace thrum::cli {

struct Options;

enum class Command : std::uint8_t {
  none,
  attack,
  report,
  plot,
  encode,
  shape,
  doctor,
  control,
  capacity,
  serve,
  run,
  schema,
  version,
  help
};

// A set of commands, for flags that several share.
class CommandSet {
 public:
  constexpr CommandSet() = default;
  constexpr CommandSet(Command c) : bits_(1u << static_cast<unsigned>(c)) {}  // NOLINT(google-explicit-constructor): a set of one
  constexpr CommandSet operator|(CommandSet o) const { return CommandSet(bits_ | o.bits_); }
  constexpr bool has(Command c) const { return (bits_ >> static_cast<unsigned>(c) & 1u) != 0; }
  constexpr bool overlaps(CommandSet o) const { return (bits_ & o.bits_) != 0; }
  static constexpr CommandSet all() { return CommandSet(~0u); }

 private:
  explicit constexpr CommandSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};
constexpr CommandSet operator|(Command a, Command b) { return CommandSet(a) | CommandSet(b); }

// What follows a flag: nothing (a switch, though -switch=false works), or a value.
enum class Takes : std::uint8_t { nothing, file, choice, value };

// The headings under which help and the manual list flags, in this order.
enum class Group : std::uint8_t { input, pace, expectations, connections, guards, output, everywhere };
std::string_view heading(Group group, Command command);

struct Flag {
  using Bind = Expected<void> (*)(Options&, std::string_view value);

  std::string_view name = {};     // without dashes
  std::string_view also = {};     // other names, blank-separated: "k", "threads"
  Takes takes = Takes::value;     // what completion offers, and whether the next word belongs to the flag
  std::string_view value = {};    // what the value is called in help: FILE, RATE
  std::string_view initial = {};  // the default, as one would type it; empty: none, or said in `help`
  std::string_view choices = {};  // for Takes::choice, blank-separated
  std::string_view help = {};     // one line
  std::string_view more = {};     // what the manual adds
  CommandSet commands = {};
  Group group = Group::everywhere;
  Bind bind = nullptr;
  bool repeats = false;              // may be given several times, each adding to the last
  bool is_guard = false;             // what a file says is not undone by the command line
  std::string_view instead_of = {};  // a flag that says the same in another way: of a file's, what is more specific counts
  std::string_view stands_for = {};  // the flag whose value it is, too, if it is no other name of it

  bool goes_by(std::string_view word) const;  // its name, or another of its names
};

std::span<const Flag> flag_table();

struct CommandInfo {
  Command command = Command::none;
  std::string_view name = {};
  std::string_view arguments = {};  // for the usage line, after [flags]
  std::string_view help = {};       // one line
  std::string_view more = {};       // a paragraph or two for help and the manual
  std::string_view examples = {};   // one a line
};

std::span<const CommandInfo> command_table();
const CommandInfo& info(Command command);

// The flag of `command` (or of no command in particular) that goes by `name`, null if there is none.
const Flag* find_flag(Command command, std::string_view name);

// Calls visit(name) for each blank-separated word.
template <class Visit>
void for_each_word(std::string_view words, Visit&& visit) {
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    visit(words.substr(0, end));
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
}

}  // namespace thrum::cli
