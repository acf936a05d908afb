// Guardrails, and where settings come from and go to. Wording: flag_table.cpp.
#include <array>

#include "cli/flags/binding.hpp"

namespace thrum::cli {
namespace {

constexpr CommandSet kSends = kAttack | kRun | kCapacity;

Expected<void> cap_rate(settings::Guard& guard, Text value) {
  double most = 0;
  if (auto read = put_per_second(most, value); !read) return read;
  guard.cap_rate(most);
  return {};
}

constexpr auto kFlags = std::to_array<Flag>({
    {.name = "allow-host",
     .value = "HOST,...",
     .help = "Send to these hosts only: shop.test, .shop.test with all below it, or *; may be repeated",
     .more = "Each target's host has to be one of them before anything is sent, and so has each host that a redirect leads to: there the "
             "hit fails. Ports don't matter. What a config file, the environment and the command line say has to hold each by itself.",
     .commands = kSends,
     .group = Group::guards,
     .bind = [](Options& o, Text v) { return o.attack.guard.allow_hosts(v); },
     .repeats = true,
     .is_guard = true},
    {.name = "allow-net",
     .value = "NETWORK,...",
     .help = "Connect to addresses in these networks only: 10.0.0.0/8, 192.0.2.7, fd00::/8; may be repeated",
     .more = "Whatever names resolve to, and whenever. Where a proxy is used, its address is meant.",
     .commands = kSends,
     .group = Group::guards,
     .bind = [](Options& o, Text v) { return o.attack.guard.allow_networks(v); },
     .repeats = true,
     .is_guard = true},
    {.name = "max-requests",
     .value = "COUNT",
     .help = "Refuse to begin what would send more requests than this",
     .more = "The warm-up counts, a chain of redirects is one. An attack needs an end that is known: `-n`, or a rate and a duration.",
     .commands = kSends,
     .group = Group::guards,
     .bind = [](Options& o, Text v) -> Expected<void> {
       const auto most = read_count(v, 1);
       if (!most) return std::unexpected(most.error());
       o.attack.guard.cap_requests(*most);
       return {};
     },
     .is_guard = true},
    {.name = "max-rate",
     .value = "RATE",
     .help = "Refuse to begin at a higher rate than this, or to change to one: 100/s, 600/m",
     .more = "The highest rate of a shape counts. Hits that are late may still leave faster, unless `-catch-up` says otherwise.",
     .commands = kSends,
     .group = Group::guards,
     .bind = [](Options& o, Text v) { return cap_rate(o.attack.guard, v); },
     .is_guard = true},
    {.name = "max-concurrency",
     .value = "COUNT",
     .help = "Refuse to begin with more requests in flight than this",
     .more = "Without `-max-workers` there are at most as many as this.",
     .commands = kSends,
     .group = Group::guards,
     .bind = [](Options& o, Text v) -> Expected<void> {
       const auto most = read_count(v, 1);
       if (!most) return std::unexpected(most.error());
       o.attack.guard.cap_concurrency(*most);
       return {};
     },
     .is_guard = true},
    {.name = "dry-run",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Say what would be sent, and send nothing",
     .more = "Targets, flags and guards are read and checked as they would be. Secrets are masked.",
     .commands = kAttack | kRun,
     .group = Group::guards,
     .bind = [](Options& o, Text v) { return put(o.attack.dry_run, read_bool(v)); }},
    {.name = "config",
     .takes = Takes::file,
     .value = "FILE|none",
     .help = "Read settings from this file (default thrum.toml, where there is one)",
     .more =
         "Its keys are the names of flags (docs/config.md). A flag on the command line wins over a variable such as THRUM_RATE, and that "
         "over the file.",
     .commands = kSends,
     .group = Group::guards,
     .bind = [](Options& o, Text v) -> Expected<void> {
       if (v.empty()) return usage_error("needs a file's name, or none");
       return put_text(o.config, v);
     }},
    {.name = "write-config",
     .takes = Takes::file,
     .value = "FILE",
     .help = "Write the settings of this command line to a new file, and send nothing",
     .more =
         "Only what was said is written: by flags, by variables, and by the file that was read. If a secret is among it, nobody else may "
         "read the file.",
     .commands = kSends,
     .group = Group::guards,
     .bind = [](Options& o, Text v) -> Expected<void> {
       if (v.empty()) return usage_error("needs a file's name");
       return put_text(o.write_config, v);
     }},
});

}  // namespace

std::span<const Flag> guard_flags() { return kFlags; }

}  // namespace thrum::cli
