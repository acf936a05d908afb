// What is sent, how fast, and for how long. Wording: flag_table.cpp.
#include <array>

#include "cli/flags/binding.hpp"

namespace thrum::cli {
namespace {

constexpr auto kFlags = std::to_array<Flag>({
    // attack: what to send
    {.name = "targets",
     .takes = Takes::file,
     .value = "FILE",
     .initial = "stdin",
     .help = "Where the targets are",
     .more = "One request a paragraph: `METHOD URL`, then its headers, then `@file` for its body (docs/targets.md). A body file is looked "
             "for in the folder one stands in, then beside the targets.",
     .commands = kAttack | kCapacity,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.attack.targets, v == "-" ? "stdin" : v); }},
    {.name = "format",
     .takes = Takes::choice,
     .value = "FORMAT",
     .initial = "http",
     .choices = "http json",
     .help = "How the targets are written: http or json",
     .more = "`json` is one object a line with method, url, header and a base64 body.",
     .commands = kAttack | kCapacity,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_format(o.attack.format, v); }},
    {.name = "order",
     .takes = Takes::choice,
     .value = "ORDER",
     .choices = "sequence shuffle random weighted",
     .help = "How targets take turns: sequence, shuffle, random, weighted (default weighted if a target has a weight, else sequence)",
     .more =
         "`sequence` is the list's order, round and round; `shuffle` draws a new order for each round; `random` draws a target for each "
         "hit; `weighted` gives each its share, at no time a whole hit off (docs/targets.md).",
     .commands = kAttack,
     .group = Group::input,
     .bind = [](Options& o, Text v) -> Expected<void> {
       const auto word = read_choice(v, "sequence shuffle random weighted");
       if (!word) return std::unexpected(word.error());
       return put(o.attack.options.order, parse_order(*word));
     }},
    {.name = "lazy",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Read targets while attacking; each is sent once, and the attack ends with them",
     .more = "Without it all targets are read first and sent in turn, round and round. With it memory stays flat however long the list is.",
     .commands = kAttack,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.attack.lazy, read_bool(v)); }},
    {.name = "once",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Send each target one time and print what goes over the wire, both ways",
     .more =
         "For the question what is really sent: heads as they are, bodies (of `-max-body` bytes, default 4096), the connection, its TLS "
         "and certificate, the phases' times. One request at a time; no results are kept.",
     .commands = kAttack,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.attack.once, read_bool(v)); }},
    {.name = "body",
     .takes = Takes::file,
     .value = "FILE",
     .help = "Body of every target that names none of its own",
     .commands = kAttack | kCapacity,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.attack.body, v); }},
    {.name = "chunked",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Send bodies with Transfer-Encoding: chunked",
     .commands = kSenders,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.attack.options.chunked, read_bool(v)); }},
    {.name = "compression",
     .takes = Takes::nothing,
     .initial = "true",
     .help = "Send Accept-Encoding: gzip; what comes is counted as it came over the wire",
     .commands = kSenders,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.attack.options.compression, read_bool(v)); }},
    {.name = "header",
     .also = "H headers",
     .value = "\"NAME: VALUE\"",
     .help = "Header of every target that doesn't have it itself; may be repeated",
     .more = "Names keep their case and order. A target's own header of the same name wins. An empty value takes away a header that "
             "thrum sends by itself (`User-Agent`, `Accept-Encoding`).",
     .commands = kSenders,
     .group = Group::input,
     .bind = [](Options& o, Text v) -> Expected<void> {
       auto header = read_header(v);
       if (!header) return std::unexpected(header.error());
       o.attack.options.headers.push_back(std::move(*header));
       return {};
     },
     .repeats = true},
    {.name = "name",
     .value = "NAME",
     .help = "Name of the attack: kept in its results, and sent as X-Thrum-Attack",
     .commands = kAttack | kRun,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.attack.options.name, v); }},

    // attack: how fast, how long
    {.name = "rate",
     .value = "RATE",
     .initial = "50/1s",
     .help = "Requests per time unit: 100, 100/s, 1.5/s, 6/m; 0 or infinity: as fast as -max-workers allow; or a shape",
     .more = "Requests leave on this schedule whatever the server does: hit n is due at n / rate after the start. With `0` or "
             "`infinity` there is no schedule: each of `-max-workers` sends as soon as its last answer came. Shapes, such as "
             "`10..500/s over 1m, hold 5m`, are explained in docs/rates.md; `thrum shape` draws them.",
     .commands = kAttack,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.shape, parse_shape(v)); }},
    {.name = "seed",
     .value = "N",
     .help = "Draw random arrivals and the order of targets from this number; the same number draws the same (default any)",
     .more = "The number that was used stands in the results, and in the report in JSON.",
     .commands = kAttack | kRun,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.seed, read_count(v, 0, std::int64_t{1} << 53)); }},
    {.name = "duration",
     .also = "z",
     .value = "TIME",
     .initial = "0s",
     .help = "How long to send; 0: until Ctrl-C, or the end of the rate's stages or of the targets",
     .more = "The hits due before the duration ends are sent; answers are waited for afterwards (`-grace`).",
     .commands = kAttack,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.duration, read_duration(v)); }},
    {.name = "n",
     .value = "COUNT",
     .help = "Send exactly this many requests; with -duration, whichever comes first ends the attack",
     .commands = kAttack,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.hits, read_count(v, 1)); }},
    {.name = "warmup",
     .value = "TIME|RATE",
     .initial = "0s",
     .help = "Before the attack, send for so long without counting: at the rate it begins with, or at one that ends by itself",
     .more = "Connections opened in it stay open. `-warmup='1..100/s over 10s'` climbs. What was sent is told in one line of the report; "
             "its results are kept, marked, in the native format only, and left out of every figure.",
     .commands = kAttack | kRun,
     .group = Group::pace,
     .bind = [](Options& o, Text v) -> Expected<void> {
       auto warmup = read_warmup(v);
       if (!warmup) return std::unexpected(warmup.error());
       o.attack.options.warmup = warmup->first;
       o.attack.options.warmup_shape = std::move(warmup->second);
       return {};
     }},
    {.name = "workers",
     .value = "COUNT",
     .initial = "10",
     .help = "Slots for requests in flight that are made ready before the first hit",
     .more = "More are added as they are needed, up to `-max-workers`. A worker is a slot, not a thread.",
     .commands = kAttack | kCapacity,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.workers, read_count(v)); }},
    {.name = "max-workers",
     .value = "COUNT",
     .help = "Most requests in flight at once (default no limit)",
     .more = "When they are all in use, a hit that is due waits, and the report says that this was the limit.",
     .commands = kAttack | kCapacity,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.max_workers, read_count(v, 1)); }},
    {.name = "catch-up",
     .value = "all|N%|none",
     .initial = "all",
     .help = "What to do with hits that could not leave when due: send all at once, at N% of the rate, or drop them",
     .more = "`all` sends them as soon as possible; `150%` at most at one and a half times the rate until the schedule is even again; "
             "`none` drops what is more than one slot late and counts it as missed.",
     .commands = kAttack | kRun,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.catch_up, read_catch_up(v)); }},
    {.name = "grace",
     .value = "TIME",
     .help = "How long to wait for answers after the last hit, then cut (default the timeout)",
     .commands = kAttack | kRun,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.grace, read_duration(v)); }},
    {.name = "strict-rate",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Exit with 3 when the rate could not be kept because of this machine or these flags",
     .commands = kAttack | kRun,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.strict_rate, read_bool(v)); }},
    {.name = "spin",
     .value = "auto|TIME",
     .initial = "auto",
     .help = "How long before a hit is due to stop sleeping and watch the clock; 0: never",
     .more = "Watching the clock sends a hit within a few microseconds of its time and costs CPU. `auto` follows what this machine's "
             "timers need and keeps the cost under a tenth of a core.",
     .commands = kSenders,
     .group = Group::pace,
     .bind = [](Options& o, Text v) -> Expected<void> {
       if (v == "auto") {
         o.attack.options.spin.reset();
         return {};
       }
       return put(o.attack.options.spin, read_duration(v));
     }},
    {.name = "io",
     .takes = Takes::choice,
     .value = "HOW",
     .initial = "auto",
     .choices = "auto epoll uring",
     .help = "How the kernel serves connections: auto, epoll, uring (io_uring; an error where it is not to be had)",
     .more = "`auto` takes what was measured to be the cheaper for such targets, and epoll where io_uring is not allowed (docs/attack.md).",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) -> Expected<void> {
       const auto word = read_choice(v, "auto epoll uring");
       if (!word) return std::unexpected(word.error());
       return put(o.attack.options.io, parse_io(*word));
     }},
});

}  // namespace

std::span<const Flag> sending_flags() { return kFlags; }

}  // namespace thrum::cli
