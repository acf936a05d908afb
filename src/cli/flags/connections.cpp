// Connections and TLS.
#include <array>

#include "cli/flags/binding.hpp"
#include "http/connect_to.hpp"

namespace thrum::cli {
namespace {

constexpr auto kFlags = std::to_array<Flag>({
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
     .bind = [](Options& o, Text v) { return put(o.attack.options.timeout, read_seconds_or_duration(v)); },
     .stands_for = "timeout"},
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
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.keep_alive, read_bool(v)); }},
    {.name = "connections",
     .value = "COUNT",
     .initial = "10000",
     .help = "Most idle connections to keep per host",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.connections, read_count(v)); }},
    {.name = "max-connections",
     .value = "COUNT",
     .help = "Most connections per host, busy and idle (default 0: no limit)",
     .more = "When they are all busy, a hit that is due waits, and the report says that this was the limit.",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.max_connections, read_cap(v)); }},
    {.name = "preconnect",
     .value = "COUNT",
     .help = "Open this many connections to each host before the first hit, and keep to them",
     .more = "The attack begins when all are open, or fails with the reason why they are not. It stands for `-max-connections` of the same "
             "number, and can't be had with `-lazy`, which doesn't know the hosts.",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.preconnect, read_count(v, 1)); }},
    {.name = "connect-rate",
     .value = "RATE",
     .help = "How fast -preconnect opens connections: 100/s, 6/m (default as they come up, 64 at a time)",
     .commands = kSenders,
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
     .commands = kSenders,
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
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.h2c, read_bool(v)); }},
    {.name = "streams",
     .value = "COUNT",
     .help = "Most requests at once on a connection of HTTP/2 (default what the server allows, at most 250)",
     .more = "When all streams of all connections are taken, another connection is opened, up to `-max-connections`.",
     .commands = kSenders,
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
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.dns_ttl, read_dns_ttl(v)); }},
    {.name = "resolvers",
     .value = "IP[:PORT],...",
     .help = "Name servers to ask (default those of /etc/resolv.conf)",
     .more = "`localhost` and `/etc/hosts` still come first, and the search list of `/etc/resolv.conf` still counts.",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return append(o.attack.options.resolvers, read_list(v)); },
     .repeats = true},
    {.name = "unix-socket",
     .takes = Takes::file,
     .value = "PATH",
     .help = "Connect to this unix socket, whatever the targets' hosts are",
     .more = "The URL's host is still what the Host header and TLS name, but it is not looked up. `@name` is an abstract socket.",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put_text(o.attack.options.unix_socket, v); }},
    {.name = "connect-to",
     .value = "HOST:PORT:HOST:PORT,...",
     .help = "Connect to the second host and port for targets at the first; may be repeated",
     .more = "Host header and TLS name stay the target's. Entries for the same target share its connections evenly. IPv6 addresses stand "
             "in brackets; a part left out means any on the left, the target's own on the right.",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return append(o.attack.options.connect_to, http::parse_connect_to(v)); },
     .repeats = true},
    {.name = "laddr",
     .value = "IP,...",
     .help = "Local addresses to connect from, in turn: 10.0.0.5, 10.0.0.5-10.0.0.9, 10.0.0.0/28 (default the kernel's choice)",
     .more = "Each address has some 28,000 local ports of its own towards one target (net.ipv4.ip_local_port_range).",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return append(o.attack.options.local_addresses, read_list(v)); },
     .repeats = true},
    {.name = "proxy",
     .also = "x",
     .value = "URL|none",
     .help = "Proxy for all targets: http://, https://, socks5:// or socks5h://[USER:PASSWORD@]HOST:PORT",
     .more = "Without it HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY say which targets go by which proxy; `none` heeds none of them. "
             "With socks5 we look names up, with socks5h the proxy does.",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put_proxy(o.attack, v); }},
    {.name = "proxy-header",
     .value = "\"NAME: VALUE\"",
     .help = "Header for the proxy, not for the target; may be repeated",
     .more = "It is sent with CONNECT, and with each request that a proxy gets as it is, which are those for http targets.",
     .commands = kSenders,
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
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put(o.attack.options.tls.session_tickets, read_bool(v)); }},
    {.name = "insecure",
     .also = "k",
     .takes = Takes::nothing,
     .initial = "false",
     .help = "Accept any server certificate",
     .commands = kSenders,
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
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return append(o.attack.options.tls.root_cert_files, read_list(v)); },
     .repeats = true},
    {.name = "cert",
     .takes = Takes::file,
     .value = "FILE",
     .help = "PEM file with the certificate to show to the server",
     .more = "When `-key` is not given, its key is taken from the same file.",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put_text(o.attack.options.tls.cert_file, v); }},
    {.name = "key",
     .takes = Takes::file,
     .value = "FILE",
     .help = "PEM file with the key of -cert (default the file of -cert)",
     .commands = kSenders,
     .group = Group::connections,
     .bind = [](Options& o, Text v) { return put_text(o.attack.options.tls.key_file, v); }},
});

}  // namespace

std::span<const Flag> connection_flags() { return kFlags; }

}  // namespace thrum::cli
