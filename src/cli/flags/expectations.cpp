// What the user expects of responses.
#include <array>

#include "cli/flags/binding.hpp"

namespace thrum::cli {
namespace {

// One more of those that add up.
Expected<void> add(Options& o, Text what, Text text) { return add_expectation(what, text, o.attack.options.expect); }

// The last of those that are said once stands.
Expected<void> set(Options& o, Text what, Text text, std::string Expectations::* field) {
  Expectations said;
  if (auto ok = add_expectation(what, text, said); !ok) return ok;
  o.attack.options.expect.*field = said.*field;
  return {};
}

constexpr auto kFlags = std::to_array<Flag>({
    {.name = "expect-status",
     .value = "CODES",
     .help = "Statuses that count as success, like 200,404 or 2xx or 200-299 (default 200-399)",
     .more = "It is the last response of a hit that counts: redirects are followed before (`-redirects`).",
     .commands = kSenders,
     .group = Group::expectations,
     .bind = [](Options& o, Text v) { return set(o, "status", v, &Expectations::status); }},
    {.name = "expect-header",
     .value = "\"NAME[: VALUE]\"",
     .help = "A header that must be there; in VALUE * stands for anything, ~REGEX matches; may be repeated",
     .commands = kSenders,
     .group = Group::expectations,
     .bind = [](Options& o, Text v) { return add(o, "header", v); },
     .repeats = true},
    {.name = "expect-size",
     .value = "SIZE",
     .help = "Bytes that the body must have on the wire: 512, >0, <=1MB, 100-200",
     .commands = kSenders,
     .group = Group::expectations,
     .bind = [](Options& o, Text v) { return set(o, "size", v, &Expectations::size); }},
    {.name = "expect-body",
     .value = "TEXT",
     .help = "Text that must be in the body; ~REGEX: a match; !TEXT or !~REGEX: must not be there; may be repeated",
     .more = "Looked for in the body as it is after gzip or deflate. `=TEXT` is for a text that begins with `~`, `!` or `=`.",
     .commands = kSenders,
     .group = Group::expectations,
     .bind = [](Options& o, Text v) { return add(o, "body", v); },
     .repeats = true},
    {.name = "expect-json",
     .value = "PATH[=VALUE]",
     .help = "Value in a JSON body: .status=ok, .items[0].id, .count>0, .error!=true, .name~^a; may be repeated",
     .more = "A path alone must be there. `=` and `!=` take a text with or without quotes, a number, true, false or null; `<`, `<=`, `>`, "
             "`>=` numbers; `~` a regular expression for texts.",
     .commands = kSenders,
     .group = Group::expectations,
     .bind = [](Options& o, Text v) { return add(o, "json", v); },
     .repeats = true},
});

}  // namespace

std::span<const Flag> expectation_flags() { return kFlags; }

}  // namespace thrum::cli
