// The flags, in the order in which help and the manual list them.
// Wording: `help` is one line without a full stop; `more` is whole sentences; both speak to the person at the shell.
#include <array>
#include <iterator>
#include <utility>

#include "base/size.hpp"
#include "cli/flag.hpp"
#include "cli/options.hpp"
#include "cli/value.hpp"

namespace thrum::cli {
namespace {

using Text = std::string_view;

template <class To, class From>
Expected<void> put(To& to, Expected<From> value) {
  if (!value) return std::unexpected(std::move(value.error()));
  to = std::move(*value);
  return {};
}

Expected<void> put_text(std::string& to, Text value) {
  to = value;
  return {};
}

Expected<void> put_output(std::string& to, Text value) {
  if (value.empty()) return usage_error("needs a file's name, or stdout");
  to = value == "-" ? "stdout" : value;
  return {};
}

Expected<void> put_proxy(mode::AttackRequest& to, Text value) {
  if (value.empty()) return usage_error("needs a proxy, like http://proxy.test:3128, or none");
  to.heeds_environment = false;
  to.options.proxy.url = value == "none" ? "" : value;
  return {};
}

template <class T>
Expected<void> append(std::vector<T>& to, Expected<std::vector<T>> more) {
  if (!more) return std::unexpected(std::move(more.error()));
  to.insert(to.end(), std::make_move_iterator(more->begin()), std::make_move_iterator(more->end()));
  return {};
}

Expected<void> put_format(TargetFormat& to, Text value) {
  const auto word = read_choice(value, "http json");
  if (!word) return std::unexpected(word.error());
  return put(to, parse_target_format(*word));
}

Expected<void> put_encoding(Encoding& to, Text value) {
  const auto word = read_choice(value, "native gob json csv");
  if (!word) return std::unexpected(word.error());
  to = *encoding_named(*word);
  return {};
}

// Of one rate that stays.
Expected<void> put_per_second(double& into, std::string_view v) {
  const auto shape = read_pace(v);
  if (!shape) return std::unexpected(shape.error());
  if (!shape->stages().empty()) return usage_error("one rate is needed, as in 100/s");
  into = shape->peak();
  return {};
}

Expected<void> put_trial(Nanos& into, std::string_view v) {
  const auto time = read_duration(v);
  if (!time) return std::unexpected(time.error());
  if (*time < std::chrono::milliseconds(500)) return usage_error("too short to see anything; give 500ms at least");
  into = *time;
  return {};
}

constexpr Command kAttack = Command::attack, kReport = Command::report, kPlot = Command::plot, kEncode = Command::encode,
                  kShape = Command::shape, kCapacity = Command::capacity, kDoctor = Command::doctor, kServe = Command::serve;

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
     .commands = kAttack | kCapacity,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.attack.options.chunked, read_bool(v)); }},
    {.name = "compression",
     .takes = Takes::nothing,
     .initial = "true",
     .help = "Send Accept-Encoding: gzip; what comes is counted as it came over the wire",
     .commands = kAttack | kCapacity,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.attack.options.compression, read_bool(v)); }},
    {.name = "header",
     .also = "H",
     .value = "\"NAME: VALUE\"",
     .help = "Header of every target that doesn't have it itself; may be repeated",
     .more = "Names keep their case and order. A target's own header of the same name wins. An empty value takes away a header that "
             "thrum sends by itself (`User-Agent`, `Accept-Encoding`).",
     .commands = kAttack | kCapacity,
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
     .commands = kAttack,
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
     .commands = kAttack,
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
     .commands = kAttack,
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
     .commands = kAttack,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.catch_up, read_catch_up(v)); }},
    {.name = "grace",
     .value = "TIME",
     .help = "How long to wait for answers after the last hit, then cut (default the timeout)",
     .commands = kAttack,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.options.grace, read_duration(v)); }},
    {.name = "strict-rate",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Exit with 3 when the rate could not be kept because of this machine or these flags",
     .commands = kAttack,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.attack.strict_rate, read_bool(v)); }},
    {.name = "spin",
     .value = "auto|TIME",
     .initial = "auto",
     .help = "How long before a hit is due to stop sleeping and watch the clock; 0: never",
     .more = "Watching the clock sends a hit within a few microseconds of its time and costs CPU. `auto` follows what this machine's "
             "timers need and keeps the cost under a tenth of a core.",
     .commands = kAttack | kCapacity,
     .group = Group::pace,
     .bind = [](Options& o, Text v) -> Expected<void> {
       if (v == "auto") {
         o.attack.options.spin.reset();
         return {};
       }
       return put(o.attack.options.spin, read_duration(v));
     }},

    // attack: connections and TLS
    {.name = "timeout",
     .value = "TIME",
     .initial = "30s",
     .help = "Longest time from sending a request to the end of its answer; 0: none",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.timeout, read_duration(v)); }},
    {.name = "t",
     .value = "TIME",
     .help = "Short for -timeout; a bare number is seconds",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.timeout, read_seconds_or_duration(v)); }},
    {.name = "redirects",
     .value = "COUNT",
     .initial = "10",
     .help = "Most redirects to follow; 0: any is an error; -1: none is followed, and a 3xx is a success",
     .more = "A hit is the whole chain: its latency, `-timeout` and worker last from the first request to the last response.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.redirects, read_redirects(v)); }},
    {.name = "keepalive",
     .takes = Takes::nothing,
     .initial = "true",
     .help = "Use a connection for more than one request",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.keep_alive, read_bool(v)); }},
    {.name = "connections",
     .value = "COUNT",
     .initial = "10000",
     .help = "Most idle connections to keep per host",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.connections, read_count(v)); }},
    {.name = "max-connections",
     .value = "COUNT",
     .help = "Most connections per host, busy and idle (default 0: no limit)",
     .more = "When they are all busy, a hit that is due waits, and the report says that this was the limit.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.max_connections, read_cap(v)); }},
    {.name = "preconnect",
     .value = "COUNT",
     .help = "Open this many connections to each host before the first hit, and keep to them",
     .more = "The attack begins when all are open, or fails with the reason why they are not. It stands for `-max-connections` of the same "
             "number, and can't be had with `-lazy`, which doesn't know the hosts.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.preconnect, read_count(v, 1)); }},
    {.name = "connect-rate",
     .value = "RATE",
     .help = "How fast -preconnect opens connections: 100/s, 6/m (default as they come up, 64 at a time)",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.connect_rate, read_pace(v)); }},
    {.name = "http2",
     .takes = Takes::nothing,
     .initial = "true",
     .help = "Offer HTTP/2 to https targets",
     .more =
         "The server chooses, in the TLS handshake; the report says how many answers came by which protocol. With `-http2=false` only "
         "HTTP/1.1 is offered, with `-http2=only` only HTTP/2 (http targets get it without asking, as by `-h2c`): a server that doesn't "
         "speak it fails the hit.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind =
         [](Options& o, Text v) {
           o.attack.options.http2_only = v == "only";
           return put(o.attack.options.http2, v == "only" ? Expected<bool>(true) : read_bool(v));
         }},
    {.name = "h2c",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Send to http targets by HTTP/2, without asking first",
     .more = "A server that doesn't speak it is an error; nothing is sent by HTTP/1.1 instead. https targets are not concerned.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.h2c, read_bool(v)); }},
    {.name = "streams",
     .value = "COUNT",
     .help = "Most requests at once on a connection of HTTP/2 (default what the server allows, at most 250)",
     .more = "When all streams of all connections are taken, another connection is opened, up to `-max-connections`.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) -> Expected<void> {
       const auto count = read_count(v, 1, 100'000);
       if (!count) return std::unexpected(count.error());
       o.attack.options.streams = static_cast<std::uint32_t>(*count);
       return {};
     }},
    {.name = "dns-ttl",
     .value = "TIME",
     .initial = "0s",
     .help = "How long to remember a name's addresses; 0: for the whole attack; -1: look up for each connection",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.dns_ttl, read_dns_ttl(v)); }},
    {.name = "resolvers",
     .value = "IP[:PORT],...",
     .help = "Name servers to ask (default those of /etc/resolv.conf)",
     .more = "`localhost` and `/etc/hosts` still come first, and the search list of `/etc/resolv.conf` still counts.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return append(o.attack.options.resolvers, read_list(v)); },
     .repeats = true},
    {.name = "unix-socket",
     .takes = Takes::file,
     .value = "PATH",
     .help = "Connect to this unix socket, whatever the targets' hosts are",
     .more = "The URL's host is still what the Host header and TLS name, but it is not looked up. `@name` is an abstract socket.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put_text(o.attack.options.unix_socket, v); }},
    {.name = "connect-to",
     .value = "HOST:PORT:HOST:PORT,...",
     .help = "Connect to the second host and port for targets at the first; may be repeated",
     .more = "Host header and TLS name stay the target's. Entries for the same target share its connections evenly. IPv6 addresses stand "
             "in brackets; a part left out means any on the left, the target's own on the right.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return append(o.attack.options.connect_to, read_connect_to(v)); },
     .repeats = true},
    {.name = "laddr",
     .value = "IP,...",
     .help = "Local addresses to connect from, in turn: 10.0.0.5, 10.0.0.5-10.0.0.9, 10.0.0.0/28 (default the kernel's choice)",
     .more = "Each address has some 28,000 local ports of its own towards one target (net.ipv4.ip_local_port_range).",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return append(o.attack.options.local_addresses, read_list(v)); },
     .repeats = true},
    {.name = "proxy",
     .value = "URL|none",
     .help = "Proxy for all targets: http://, https://, socks5:// or socks5h://[USER:PASSWORD@]HOST:PORT",
     .more = "Without it HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY say which targets go by which proxy; `none` heeds none of them. "
             "With socks5 we look names up, with socks5h the proxy does.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put_proxy(o.attack, v); }},
    {.name = "proxy-header",
     .value = "\"NAME: VALUE\"",
     .help = "Header for the proxy, not for the target; may be repeated",
     .more = "It is sent with CONNECT, and with each request that a proxy gets as it is, which are those for http targets.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) -> Expected<void> {
       auto header = read_header(v);
       if (!header) return std::unexpected(header.error());
       o.attack.options.proxy.headers.push_back(std::move(*header));
       return {};
     },
     .repeats = true},
    {.name = "session-tickets",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Resume TLS sessions: later connections skip part of the handshake",
     .more = "Off, each connection pays for a whole handshake, as a new visitor's does.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.tls.session_tickets, read_bool(v)); }},
    {.name = "insecure",
     .also = "k",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Accept any server certificate",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) -> Expected<void> {
       const auto on = read_bool(v);
       if (!on) return std::unexpected(on.error());
       o.attack.options.tls.verify = !*on;
       return {};
     }},
    {.name = "root-certs",
     .takes = Takes::file,
     .value = "FILE,...",
     .help = "PEM files with the authorities to trust (default the system's)",
     .more = "This is the flag for a server with a certificate of your own making. `-cert` is something else: it shows *our* certificate "
             "to the "
             "server.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return append(o.attack.options.tls.root_cert_files, read_list(v)); },
     .repeats = true},
    {.name = "cert",
     .takes = Takes::file,
     .value = "FILE",
     .help = "PEM file with the certificate to show to the server",
     .more = "When `-key` is not given, its key is taken from the same file.",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put_text(o.attack.options.tls.cert_file, v); }},
    {.name = "key",
     .takes = Takes::file,
     .value = "FILE",
     .help = "PEM file with the key of -cert (default the file of -cert)",
     .commands = kAttack | kCapacity,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put_text(o.attack.options.tls.key_file, v); }},

    // attack: results
    {.name = "output",
     .takes = Takes::file,
     .value = "FILE",
     .initial = "stdout",
     .help = "Where the results go; on a terminal, without this, a text report is shown instead",
     .commands = kAttack,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_output(o.attack.output, v); }},
    {.name = "encoding",
     .takes = Takes::choice,
     .value = "ENCODING",
     .initial = "native",
     .choices = "native gob json csv",
     .help = "How the results are written: native, gob (vegeta's), json or csv",
     .commands = kAttack,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_encoding(o.attack.encoding, v); }},
    {.name = "capture",
     .value = "PARTS",
     .help = "Parts of each response to keep in the results: headers, body, or headers,body (default none)",
     .commands = kAttack,
     .group = Group::output,
     .bind = [](Options& o, Text v) -> Expected<void> {
       const auto parts = read_list(v);
       if (!parts) return std::unexpected(parts.error());
       for (const std::string& part : *parts) {
         const auto known = read_choice(part, "headers body");
         if (!known) return std::unexpected(known.error());
         o.attack.capture_body = o.attack.capture_body || *known == "body";
         o.attack.options.capture_headers = o.attack.options.capture_headers || *known == "headers";
       }
       return {};
     }},
    {.name = "max-body",
     .value = "SIZE",
     .help =
         "Most bytes of each response body to keep, like 512, 10KB; -1: all; implies -capture body (default 0, or all with -capture body)",
     .commands = kAttack,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.attack.max_body, v.empty() ? Expected<std::int64_t>(0) : parse_size(v)); }},
    {.name = "progress",
     .takes = Takes::nothing,
     .help = "Show progress on stderr (default only when it is a terminal)",
     .commands = kAttack | kCapacity,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.attack.progress, read_bool(v)); }},
    {.name = "prometheus-addr",
     .also = "metrics",
     .value = "HOST:PORT",
     .help = "Serve live metrics for Prometheus there; without a host to this machine only",
     .more = "Vegeta's metrics and thrum's own (docs/metrics.md), on any path. Port 0 takes a free one, which is printed.",
     .commands = kAttack,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_text(o.attack.metrics_addr, v); }},
    {.name = "prometheus-linger",
     .value = "TIME",
     .initial = "0s",
     .help = "How long the last metrics stay there after the end; Ctrl-C ends it",
     .more = "Give it a little more than the time between two scrapes, so that the last one sees all.",
     .commands = kAttack,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.attack.metrics_linger, read_duration(v)); }},

    // report
    {.name = "type",
     .value = "TYPE",
     .initial = "text",
     .help = "text, json, hist, hist[0,5ms,1s], hdrplot, hdrlog, or csv (a row a second)",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_text(o.report.type, v); }},
    {.name = "buckets",
     .value = "[0,5ms,1s]",
     .help = "Bounds of the histogram, for hist and json",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_text(o.report.buckets, v); }},
    {.name = "percentiles",
     .value = "50,99,99.9",
     .help = "Further percentiles for text and json",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_text(o.report.percentiles, v); }},
    {.name = "from",
     .value = "TIME",
     .initial = "0s",
     .help = "Only results sent so long after their run's start, or later",
     .commands = kReport,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.report.from, read_duration(v)); }},
    {.name = "to",
     .value = "TIME",
     .help = "Only results sent before so long after their run's start",
     .commands = kReport,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.report.to, read_duration(v)); }},
    {.name = "where",
     .value = "CONDITION",
     .help = "Only results of which this holds: code>=500, method=POST, url~^/api, error~timeout, latency>1s",
     .more = "Joined by `,` or `and`, by `or`, turned round by `not` or `!`, grouped by `( )`; docs/report.md has the rules.",
     .commands = kReport,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.report.where, v); }},
    {.name = "by",
     .takes = Takes::choice,
     .value = "WHAT",
     .choices = "url target name method code attack host run",
     .help = "A table of groups, in text and json: url, target, name (of targets), method, code, attack, host or run",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.report.by, read_choice(v, "url target name method code attack host run")); }},
    {.name = "group",
     .value = "/user/:id",
     .help = "URLs that count as one group: a path with :name or * for any segment (repeatable)",
     .more = "For `-by=url` and `-by=target`. A `*` at the end stands for all that follows. The first rule that fits names the group.",
     .commands = kReport,
     .group = Group::output,
     .bind =
         [](Options& o, Text v) {
           o.report.group_rules.emplace_back(v);
           return Expected<void>();
         },
     .repeats = true},
    {.name = "max-groups",
     .value = "N",
     .help = "How many groups have a row of their own, the busiest first (default 100); the others share one",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.report.max_groups, read_count(v, 1, 1000)); }},
    {.name = "latency",
     .takes = Takes::choice,
     .value = "CLOCK",
     .choices = "service response",
     .help = "By which latency to judge: service, from the sending, or response, from when a request was due (default as the run was)",
     .more = "For percentiles, histograms, groups and gates that name no clock of their own. An attack keeps its choice in native results, "
             "where `report` finds it; without one it is service latency, as in vegeta.",
     .commands = kAttack | kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) -> Expected<void> {
       const auto clock = read_choice(v, "service response");
       if (!clock) return std::unexpected(clock.error());
       o.attack.latency = *clock == "response" ? LatencyClock::response : LatencyClock::service;
       o.report.latency = o.attack.latency;
       return {};
     }},
    {.name = "abort-if",
     .value = "GATE for TIME",
     .help = "End the attack early if this holds over so long a time: errors>10% for 5s, p99>2s for 30s; may be repeated",
     .more = "Gates are written as for `-fail-if`, and look at the results of that time (without one, 5s) if there are five at least. What "
             "is in flight is waited for, everything is written, the reason stands in the report, and the exit code is 4.",
     .commands = kAttack,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return o.attack.abort_if.emplace_back(v), Expected<void>(); },
     .repeats = true},
    {.name = "control",
     .takes = Takes::file,
     .value = "SOCKET",
     .help = "Make a unix socket there, by which thrum control changes the rate, pauses and resumes while the attack goes on",
     .more = "Each change is kept in the results, and begins a stage of the report.",
     .commands = kAttack,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put_text(o.attack.control, v); }},
    {.name = "fail-if",
     .value = "GATE",
     .help = "Exit with 4 if this holds: p99>250ms, success<99.9%, missed>0, url(/api/*).p99>100ms; may be repeated",
     .more = "Several gates may stand in one, with commas between them. docs/gates.md has them all.",
     .commands = kAttack | kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return o.attack.fail_if.emplace_back(v), o.report.fail_if.emplace_back(v), Expected<void>(); },
     .repeats = true},
    {.name = "junit",
     .takes = Takes::file,
     .value = "FILE",
     .help = "Write the verdicts on -fail-if there, as JUnit's XML",
     .commands = kAttack | kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return o.attack.junit = v, o.report.junit = v, Expected<void>(); }},
    {.name = "every",
     .value = "TIME",
     .initial = "0s",
     .help = "Report each time this has passed, while results still come; 0: only at the end",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.report.every, read_duration(v)); }},
    {.name = "explain",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Print what every figure of a report is, and read nothing",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.report.explain, read_bool(v)); }},
    {.name = "output",
     .takes = Takes::file,
     .value = "FILE",
     .initial = "stdout",
     .help = "Where the report goes; never over what it reads",
     .more = "It is not written over a file of results either, unless `-force` says so.",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_output(o.report.output, v); }},
    {.name = "force",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Let -output overwrite a file of results",
     .commands = kReport,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.report.force, read_bool(v)); }},
    {.name = "with-warmup",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Count the results of the warm-up, too",
     .commands = kReport,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.report.with_warmup, read_bool(v)); }},
    {.name = "strict",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Fail on damaged results instead of using what is whole",
     .commands = kReport,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.report.strict, read_bool(v)); }},

    // plot
    {.name = "title",
     .value = "TEXT",
     .initial = "thrum plot",
     .help = "Title and headline of the page",
     .commands = kPlot,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_text(o.plot.title, v); }},
    {.name = "threshold",
     .value = "N",
     .initial = "4000",
     .help = "Points of a series to show, at least 3; 0: all",
     .more = "They are chosen so that the curve keeps its shape; what they leave out of the highest and lowest is shown as extremes.",
     .commands = kPlot,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.plot.threshold, read_count(v)); }},
    {.name = "output",
     .takes = Takes::file,
     .value = "FILE",
     .initial = "stdout",
     .help = "Where the page goes; never over what it reads",
     .more = "It is not written over a file of results either, unless `-force` says so.",
     .commands = kPlot,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_output(o.plot.output, v); }},
    {.name = "force",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Let -output overwrite a file of results",
     .commands = kPlot,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.plot.force, read_bool(v)); }},
    {.name = "strict",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Fail on damaged results instead of using what is whole",
     .commands = kPlot,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.plot.strict, read_bool(v)); }},

    // encode
    {.name = "to",
     .takes = Takes::choice,
     .value = "ENCODING",
     .initial = "json",
     .choices = "native gob json csv",
     .help = "What to write: native, gob (vegeta's), json or csv",
     .commands = kEncode,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_encoding(o.encode.to, v); }},
    {.name = "csv-header",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Begin csv with a row that names the columns",
     .commands = kEncode,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.encode.csv_header, read_bool(v)); }},
    {.name = "output",
     .takes = Takes::file,
     .value = "FILE",
     .initial = "stdout",
     .help = "Where the encoded results go; never over what is read",
     .more = "It is not written over another file of results either, unless `-force` says so.",
     .commands = kEncode,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_output(o.encode.output, v); }},
    {.name = "force",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Let -output overwrite a file of results",
     .commands = kEncode,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.encode.force, read_bool(v)); }},
    {.name = "strict",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Fail on damaged results instead of passing on what is whole",
     .commands = kEncode,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put(o.encode.strict, read_bool(v)); }},

    // capacity
    {.name = "slo",
     .value = "GATES",
     .help = "What has to hold: p99<200ms, success>99.9%, code(5xx)==0; several with commas, or repeated",
     .more =
         "Written as for `-fail-if` of attack and report (docs/gates.md), though here it is what must be, not what must not. Latencies are "
         "response latencies: from when a request was due. Unless it says something of success, errors or codes, success>=99% is added.",
     .commands = kCapacity,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return o.capacity.slo.emplace_back(v), Expected<void>(); },
     .repeats = true},
    {.name = "from",
     .value = "RATE",
     .initial = "50/s",
     .help = "The rate to try first; from there it doubles or halves",
     .commands = kCapacity,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put_per_second(o.capacity.search.from, v); }},
    {.name = "most",
     .value = "RATE",
     .help = "The highest rate to try (default no limit)",
     .commands = kCapacity,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put_per_second(o.capacity.search.most, v); }},
    {.name = "step",
     .value = "TIME",
     .initial = "4s",
     .help = "How long to try a rate",
     .commands = kCapacity,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put_trial(o.capacity.search.step, v); }},
    {.name = "confirm",
     .value = "TIME",
     .initial = "20s",
     .help = "How long to hold what was found, twice, before it is believed",
     .commands = kCapacity,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put_trial(o.capacity.search.confirm, v); }},
    {.name = "json",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Print JSON: rate, interval, and every step",
     .commands = kCapacity,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.capacity.json, read_bool(v)); }},
    {.name = "html",
     .takes = Takes::file,
     .value = "FILE",
     .help = "Write a page with a chart of all that was tried, too",
     .commands = kCapacity,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_text(o.capacity.html, v); }},

    // shape
    {.name = "duration",
     .also = "z",
     .value = "TIME",
     .help = "How much of the rate to show (default all, or the beginning of one that goes on)",
     .commands = kShape,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.shape.duration, read_duration(v)); }},
    {.name = "width",
     .value = "N",
     .help = "Columns of the drawing (default as the terminal has, or 80)",
     .commands = kShape,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.shape.columns, read_count(v, 40, 220)); }},

    // doctor
    {.name = "rate",
     .value = "RATE",
     .help = "The rate that is planned, written as for attack",
     .commands = kDoctor,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.doctor.shape, parse_shape(v)); }},
    {.name = "connections",
     .value = "COUNT",
     .help = "How many connections will be open at once",
     .commands = kDoctor,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.doctor.connections, read_count(v)); }},
    {.name = "keepalive",
     .takes = Takes::nothing,
     .initial = "true",
     .help = "Whether a connection will be used for more than one request",
     .commands = kDoctor,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.doctor.keep_alive, read_bool(v)); }},
    {.name = "json",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Print JSON, for programs",
     .commands = kDoctor,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put(o.doctor.json, read_bool(v)); }},

    // serve
    {.name = "addr",
     .value = "HOST:PORT",
     .initial = "127.0.0.1:18080",
     .help = "Where to listen; port 0: a free one, which is printed; no host: on all addresses",
     .commands = kServe,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.serve.addr, v); }},
    {.name = "tls",
     .value = "HOST:PORT",
     .help = "Listen for HTTPS there as well",
     .commands = kServe,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.serve.tls_addr, v); }},
    {.name = "cert",
     .takes = Takes::file,
     .value = "FILE",
     .help = "PEM file with the certificate for -tls (default one made at start)",
     .more = "The one made at start is for 127.0.0.1, ::1, localhost, this machine's name and the host of `-tls`.",
     .commands = kServe,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.serve.cert_file, v); }},
    {.name = "key",
     .takes = Takes::file,
     .value = "FILE",
     .help = "PEM file with the key of -cert (default the file of -cert)",
     .commands = kServe,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.serve.key_file, v); }},
    {.name = "cert-out",
     .takes = Takes::file,
     .value = "FILE",
     .help = "Where to write the certificate made at start, for thrum attack -root-certs",
     .commands = kServe,
     .group = Group::input,
     .bind = [](Options& o, Text v) { return put_text(o.serve.cert_out, v); }},
    {.name = "workers",
     .value = "COUNT",
     .initial = "4",
     .help = "Workers that /api/report has: as many reports are made at once",
     .commands = kServe,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.serve.workers, read_count(v, 1, 100'000)); }},
    {.name = "work",
     .value = "TIME",
     .initial = "25ms",
     .help = "How long a report takes its worker",
     .more = "With the defaults /api/report answers 160 requests a second and not one more: enough to see what overload looks like.",
     .commands = kServe,
     .group = Group::pace,
     .bind = [](Options& o, Text v) { return put(o.serve.work, read_duration(v)); }},
    {.name = "log",
     .takes = Takes::file,
     .value = "FILE",
     .help = "Write a line of JSON for each request: when it came, method, target, and X-Thrum-Seq",
     .commands = kServe,
     .group = Group::output,
     .bind = [](Options& o, Text v) { return put_text(o.serve.log, v); }},

    // everywhere
    {.name = "cpus",
     .also = "threads",
     .value = "COUNT|auto",
     .initial = "auto",
     .help = "Most threads to send with; commands that don't send use one",
     .commands = CommandSet::all(),
     .bind = [](Options& o, Text v) { return put(o.attack.options.shards, read_cores(v)); }},
    {.name = "profile",
     .takes = Takes::choice,
     .value = "WHAT",
     .choices = "cpu heap",
     .help = "Write a profile of thrum itself to cpu.pprof or heap.pprof: cpu or heap",
     .more = "In the current folder, for `go tool pprof` and `google-pprof`.",
     .commands = CommandSet::all(),
     .bind = [](Options& o, Text v) { return put(o.profile, read_choice(v, "cpu heap")); }},
    {.name = "version",
     .also = "V",
     .takes = Takes::nothing,
     .help = "Print version, commit, compiler and date, then exit",
     .commands = CommandSet::all(),
     .bind = [](Options& o, Text v) { return put(o.version, read_bool(v)); }},
    {.name = "help",
     .also = "h",
     .takes = Takes::nothing,
     .help = "Print help, then exit",
     .commands = CommandSet::all(),
     .bind = [](Options& o, Text v) { return put(o.help, read_bool(v)); }},
});

}  // namespace

std::span<const Flag> flag_table() { return kFlags; }

bool Flag::goes_by(std::string_view word) const {
  bool found = name == word;
  for_each_word(also, [&](std::string_view other) { found = found || other == word; });
  return found;
}

const Flag* find_flag(Command command, std::string_view name) {
  for (const Flag& flag : kFlags)
    if (flag.commands.has(command) && flag.goes_by(name)) return &flag;
  return nullptr;
}

}  // namespace thrum::cli
