#include "flag_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

namespace thrum::pairs {
namespace {

bool has(const Text& text, std::string_view part) { return text.find(part) != Text::npos; }

bool all_requests(const Seen& s, const std::function<bool(const Text&)>& fits) {
  const Words requests = s.requests();
  return !requests.empty() && std::ranges::all_of(requests, fits);
}
bool all_requests_have(const Seen& s, std::string_view part) {
  return all_requests(s, [&](const Text& r) { return has(r, part); });
}
bool any_hit(const Seen& s, const std::function<bool(const Hit&)>& fits) { return std::ranges::any_of(s.hits, fits); }
bool any_arrival(const Seen& s, const std::function<bool(const golden::WireArrival&)>& fits) {
  return std::ranges::any_of(s.servers(), [&](const SeenServer* server) { return std::ranges::any_of(server->arrivals, fits); });
}

bool overlap(const Seen& s) {
  std::vector<Hit> hits = s.hits;
  std::ranges::sort(hits, {}, [](const Hit& h) { return std::pair(h.sent.seconds, h.sent.nanos); });
  for (std::size_t i = 1; i < hits.size(); ++i)
    if (hits[i].sent.plus(Nanos(2'000'000)).before(hits[i - 1].sent.plus(hits[i - 1].latency))) return true;
  return false;
}

// `count` connections to one server, the last so long after the first.
bool opened(const Seen& s, std::size_t count, std::chrono::milliseconds within) {
  return std::ranges::any_of(s.servers(), [&](const SeenServer* server) {
    return server->arrivals.size() >= count && server->arrivals[count - 1].at - server->arrivals[0].at >= within;
  });
}

bool any_request(const SeenServer& server, const std::function<bool(const Text&)>& fits) {
  return std::ranges::any_of(server.requests, [&](const Words& connection) { return std::ranges::any_of(connection, fits); });
}

bool has_one_request_each(const Seen& s) {
  return std::ranges::all_of(s.servers(), [](const SeenServer* server) {
    return std::ranges::all_of(server->requests, [](const Words& requests) { return requests.size() <= 1; });
  });
}

bool is_http2(const Seen& s) { return all_requests_have(s, " HTTP/2\r\n"); }

bool timed_out(const Seen& s) {
  return any_hit(s, [](const Hit& h) { return h.outcome == Outcome::timeout; }) || has(s.printed, "timeout: ");
}
bool broke_expectation(const Seen& s) {
  return any_hit(s, [](const Hit& h) { return h.outcome == Outcome::expectation; }) || has(s.printed, "expectation: ");
}
bool got_through(const Seen& s) {
  return all_requests(s, [](const Text&) { return true; });
}
bool showed_certificate(const Seen& s) {
  return any_arrival(s, [](const golden::WireArrival& a) { return a.showed_certificate; }) && got_through(s);
}

const std::vector<Row>& all_rows() {
  static const std::vector<Row> kRows = {
      {"targets", {"-targets=other.txt"}, [](const Seen& s) { return all_requests_have(s, "/other"); }},
      {"format", {"-format=json", "-targets=targets.json"}, [](const Seen& s) { return all_requests_have(s, "/json"); }},
      // Of two targets in turn no two hits in a row have the same; by this seed the first ones do.
      {"order", {"-order=random", "-seed=8"}, [](const Seen& s) { return s.hits.size() >= 2 && s.hits[0].url == s.hits[1].url; }},
      {"lazy", {"-lazy"}, [](const Seen& s) { return s.hits.size() <= 2; }},
      {"once",
       {"-once"},
       [](const Seen& s) { return has(s.printed, "-Thrum-Seq: 1\n") || has(s.printed, "-thrum-seq: 1\n"); },
       {.no_attack = true}},
      {"body", {"-body=body.txt"}, [](const Seen& s) { return all_requests_have(s, "a body of a file"); }},
      {"chunked",
       {"-chunked", "-body=body.txt"},
       [](const Seen& s) {
         return is_http2(s) ? all_requests(s, [](const Text& r) { return !has(r, "\r\nContent-Length:"); })
                            : all_requests_have(s, "\r\nTransfer-Encoding: chunked\r\n");
       }},
      {"compression",
       {"-compression=false"},
       [](const Seen& s) { return all_requests(s, [](const Text& r) { return !has(r, "\r\nAccept-Encoding:"); }); }},
      {"header", {"-header=X-Flag: 1"}, [](const Seen& s) { return all_requests_have(s, "\r\nX-Flag: 1\r\n"); }},
      {"name",
       {"-name=trial"},
       [](const Seen& s) {
         return all_requests_have(s, "\r\nX-Thrum-Attack: trial\r\n") &&
                std::ranges::all_of(s.hits, [](const Hit& h) { return h.attack == "trial"; });
       }},
      {"rate",
       {"-rate=50"},
       [](const Seen& s) {
         return s.hits.size() < 2 || s.hits[1].due.since(s.hits[0].due).count() / 1'000'000 % 20 == 0;  // 10 ms without
       }},
      {"duration", {"-duration=25ms"}, [](const Seen& s) { return s.hits.size() <= 3; }},
      {"n", {"-n=2"}, [](const Seen& s) { return s.hits.size() <= 2; }},
      {"max-workers", {"-max-workers=1"}, [](const Seen& s) { return !overlap(s); }},
      {"catch-up",
       {"-catch-up=none", "-max-workers=1", "-rate=20"},
       [](const Seen& s) { return has(s.warnings, "sent "); },
       {.time = true}},
      {"grace", {"-grace=1ms"}, [](const Seen& s) { return any_hit(s, [](const Hit& h) { return h.outcome == Outcome::cut; }); }},
      {"strict-rate", {"-strict-rate", "-max-workers=1"}, [](const Seen& s) { return s.was_off_rate; }},
      {"timeout", {"-timeout=15ms"}, timed_out},
      {"t", {"-t=15ms"}, timed_out},
      {"redirects",
       {"-redirects=-1"},
       [](const Seen& s) { return all_requests(s, [](const Text& r) { return !has(r, "/after "); }); },
       {.moved = true}},
      {"expect-status", {"-expect-status=299"}, broke_expectation},
      {"expect-header", {"-expect-header=X-Not-There"}, broke_expectation},
      {"expect-size", {"-expect-size=>1TB"}, broke_expectation},
      {"expect-body", {"-expect-body=not there"}, broke_expectation},
      {"expect-json", {"-expect-json=.not.there"}, broke_expectation},
      {"keepalive",
       {"-keepalive=false"},
       [](const Seen& s) { return is_http2(s) ? has_one_request_each(s) : all_requests_have(s, "\r\nConnection: close\r\n"); }},
      {"connections",
       {"-connections=0", "-max-workers=1"},
       [](const Seen& s) { return s.requests().size() > 1 && has_one_request_each(s); }},
      {"max-connections", {"-max-connections=1"}, [](const Seen& s) { return is_http2(s) ? s.connections() == 1 : !overlap(s); }},
      {"preconnect", {"-preconnect=6"}, [](const Seen& s) { return opened(s, 6, std::chrono::milliseconds(0)); }},
      {"connect-rate", {"-connect-rate=50", "-preconnect=6"}, [](const Seen& s) { return opened(s, 6, std::chrono::milliseconds(60)); }},
      {"http2",
       {"-http2=false"},
       [](const Seen& s) {
         return got_through(s) && any_arrival(s, [](const golden::WireArrival& a) { return a.protocols == Words{"http/1.1"}; });
       },
       {.tls = true}},
      {"h2c", {"-h2c"}, is_http2, {.http2 = true}},
      {"streams", {"-streams=1", "-h2c"}, [](const Seen& s) { return opened(s, 2, std::chrono::milliseconds(0)); }, {.http2 = true}},
      {"dns-ttl",
       {"-dns-ttl=-1", "-resolvers=127.0.0.1:{D}", "-keepalive=false", "-max-workers=1"},
       [](const Seen& s) { return s.questions >= 2; },
       {.names = true}},
      {"resolvers", {"-resolvers=127.0.0.1:{D}"}, [](const Seen& s) { return s.questions > 0 && got_through(s); }, {.names = true}},
      {"unix-socket",
       {"-unix-socket=s.sock"},
       [](const Seen& s) { return !s.on_unix.requests.empty() && s.connections() == s.on_unix.requests.size(); }},
      {"connect-to",
       {"-connect-to=:{P}:127.0.0.1:{O}"},
       [](const Seen& s) { return !s.other.requests.empty() && s.plain.requests.empty(); }},
      {"laddr",
       {"-laddr=127.0.0.2"},
       [](const Seen& s) { return any_arrival(s, [](const golden::WireArrival& a) { return a.peer == "127.0.0.2"; }); }},
      {"proxy", {"-proxy=http://127.0.0.1:{X}"}, [](const Seen& s) { return any_request(s.proxy, [](const Text&) { return true; }); }},
      {"proxy-header",
       {"-proxy-header=X-Proxy: 1", "-proxy=http://127.0.0.1:{X}"},
       [](const Seen& s) { return any_request(s.proxy, [](const Text& r) { return has(r, "\r\nX-Proxy: 1\r\n"); }); }},
      {"session-tickets",
       {"-session-tickets", "-keepalive=false", "-max-workers=1"},
       [](const Seen& s) { return any_arrival(s, [](const golden::WireArrival& a) { return a.was_resumed; }); },
       {.tls = true}},
      {"insecure", {"-insecure"}, got_through, {.tls = true}},
      {"root-certs", {"-root-certs=ca.pem"}, got_through, {.tls = true}},
      {"cert", {"-cert=client.pem", "-key=client.key"}, showed_certificate, {.tls = true}},
      {"key", {"-key=client.key", "-cert=client.pem"}, showed_certificate, {.tls = true}},
      {"output", {"-output=elsewhere.json"}, [](const Seen&) { return std::filesystem::exists("elsewhere.json"); }},
      {"encoding", {"-encoding=native"}, [](const Seen& s) { return !s.file.empty() && s.file[0] != '{'; }},
      {"capture", {"-capture=headers"}, [](const Seen& s) { return any_hit(s, [](const Hit& h) { return h.has_headers; }); }},
      {"max-body",
       {"-max-body=4"},
       [](const Seen& s) {
         return any_hit(s, [](const Hit& h) { return h.body.value_or("") == "0123"; }) ||
                (has(s.printed, "0123") && !has(s.printed, "012345"));
       }},
      {"sample-failures",
       {"-sample-failures=2", "-expect-status=299"},
       [](const Seen& s) { return std::ranges::count_if(s.hits, [](const Hit& h) { return h.has_headers; }) >= 2; }},
      {"progress", {"-progress"}, [](const Seen& s) { return has(s.progress, "in flight"); }, {.time = true}},
      {"prometheus-addr", {"-prometheus-addr=127.0.0.1:0"}, [](const Seen& s) { return has(s.warnings, "metrics on http://127.0.0.1:"); }},
      {"prometheus-linger",
       {"-prometheus-linger=300ms", "-prometheus-addr=127.0.0.1:0"},
       [](const Seen& s) { return s.stayed >= std::chrono::milliseconds(290); }},
      {"cpus", {"-cpus=2", "-encoding=native"}, [](const Seen& s) { return s.shards == 2u; }},
  };
  return kRows;
}

constexpr NoRow kWithoutRow[] = {
    {"workers", "slots made ready early: nothing shows them but memory"},
    {"spin", "how a hit meets its time to the microsecond: sleeper_test and pacer_test"},
    {"io", "no byte on the wire is another by it: e2e/io.sh, and the engine's suites run over both"},
    {"fail-if", "the exit code is the program's: e2e/gates.sh"},
    {"junit", "refused without -fail-if: e2e/gates.sh"},
    {"seed", "refused where nothing is drawn: e2e/rates.sh, e2e/order.sh and shape_stages_test"},
    {"latency", "no result is another by it: e2e/rates.sh"},
    {"abort-if", "the exit code is the program's: e2e/control.sh and abort_watch_test"},
    {"allow-host", "refuses, and is seen in nothing that is sent: e2e/guards.sh"},
    {"allow-net", "refuses, and is seen in nothing that is sent: e2e/guards.sh"},
    {"max-requests", "refuses, and is seen in nothing that is sent: e2e/guards.sh"},
    {"max-rate", "refuses, and is seen in nothing that is sent: e2e/guards.sh"},
    {"max-concurrency", "refuses, and is seen in nothing that is sent: e2e/guards.sh"},
    {"dry-run", "nothing is sent: e2e/guards.sh"},
    {"config", "the program around the attack reads it: e2e/settings.sh"},
    {"write-config", "nothing is sent: e2e/settings.sh"},
    {"control", "changes come from outside: e2e/control.sh"},
    {"warmup", "its hits are of no figure: e2e/rates.sh and attack_warmup_test"},
    {"profile", "the program around the attack writes it: e2e/profile.sh"},
    {"version", "nothing else happens"},
    {"help", "nothing else happens"},
};

constexpr auto kRefused = Exception::Kind::refused, kTold = Exception::Kind::told, kUnseen = Exception::Kind::unseen;

constexpr Exception kExceptions[] = {
    {kRefused, "unix-socket", "connect-to", "a unix socket has no network"},
    {kRefused, "unix-socket", "laddr", "a unix socket has no network"},
    {kRefused, "unix-socket", "resolvers", "a unix socket has no network"},
    {kRefused, "unix-socket", "dns-ttl", "a unix socket has no network"},
    {kRefused, "unix-socket", "proxy", "a unix socket has no network"},
    {kRefused, "unix-socket", "proxy-header", "a unix socket has no network"},
    {kRefused, "lazy", "order", "targets are not known in time"},
    {kRefused, "lazy", "preconnect", "hosts are not known in time"},
    {kRefused, "lazy", "connect-rate", "hosts are not known in time"},
    {kRefused, "keepalive", "preconnect", "connections would not be kept"},
    {kRefused, "keepalive", "connect-rate", "connections would not be kept"},
    {kRefused, "dns-ttl", "preconnect", "its row has -keepalive=false"},
    {kRefused, "dns-ttl", "connect-rate", "its row has -keepalive=false"},
    {kRefused, "session-tickets", "preconnect", "its row has -keepalive=false"},
    {kRefused, "session-tickets", "connect-rate", "its row has -keepalive=false"},
    {kRefused, "connections", "preconnect", "connections would not be kept"},
    {kRefused, "connections", "connect-rate", "connections would not be kept"},
    {kRefused, "max-connections", "preconnect", "two numbers for one thing"},
    {kRefused, "max-connections", "connect-rate", "two numbers for one thing"},
    {kRefused, "once", "sample-failures", "it is about an attack, or what becomes of results"},
    {kUnseen, "timeout", "sample-failures", "nothing comes that could be kept"},
    {kUnseen, "grace", "sample-failures", "nothing comes that could be kept"},
    {kRefused, "once", "order", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "lazy", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "rate", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "duration", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "n", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "max-workers", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "catch-up", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "grace", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "strict-rate", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "connections", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "max-connections", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "preconnect", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "connect-rate", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "streams", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "dns-ttl", "its row has -max-workers=1"},
    {kRefused, "once", "session-tickets", "its row has -max-workers=1"},
    {kRefused, "once", "output", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "encoding", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "capture", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "progress", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "prometheus-addr", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "prometheus-linger", "it is about an attack, or what becomes of results"},
    {kRefused, "once", "cpus", "it is about an attack, or what becomes of results"},
    {kRefused, "connect-to", "proxy", "which of the two would lead?"},
    {kRefused, "connect-to", "proxy-header", "which of the two would lead?"},

    {kRefused, "http2", "h2c", "the one forbids what the other asks for"},
    {kRefused, "http2", "streams", "the one forbids what the other is about"},

    {kTold, "insecure", "root-certs", "any certificate is accepted"},

    {kUnseen, "timeout", "expect-status", "nothing comes that could be looked at"},
    {kUnseen, "timeout", "expect-header", "nothing comes that could be looked at"},
    {kUnseen, "timeout", "expect-size", "nothing comes that could be looked at"},
    {kUnseen, "timeout", "expect-body", "nothing comes that could be looked at"},
    {kUnseen, "timeout", "expect-json", "nothing comes that could be looked at"},
    {kUnseen, "grace", "expect-status", "nothing comes that could be looked at"},
    {kUnseen, "grace", "expect-header", "nothing comes that could be looked at"},
    {kUnseen, "grace", "expect-size", "nothing comes that could be looked at"},
    {kUnseen, "grace", "expect-body", "nothing comes that could be looked at"},
    {kUnseen, "grace", "expect-json", "nothing comes that could be looked at"},
    {kUnseen, "timeout", "capture", "nothing comes that could be kept"},
    {kUnseen, "timeout", "max-body", "nothing comes that could be kept"},
    {kUnseen, "timeout", "progress", "it is over before there is progress to show"},
    {kUnseen, "timeout", "session-tickets", "a connection may end before its ticket has come"},
    {kUnseen, "duration", "catch-up", "one hit is due"},
    {kUnseen, "timeout", "strict-rate", "hits that end in time make none late"},
    {kUnseen, "timeout", "catch-up", "hits that end in time make none late"},
    {kUnseen, "grace", "capture", "nothing comes that could be kept"},
    {kUnseen, "grace", "max-body", "nothing comes that could be kept"},
    {kUnseen, "grace", "progress", "it is over before there is progress to show"},
    {kUnseen, "catch-up", "grace", "that a hit is too late is noticed when a slot is free, and then nothing is in flight"},
    {kUnseen, "catch-up", "connections", "one or two hits are sent"},
    {kUnseen, "catch-up", "order", "one or two hits are sent"},
    {kUnseen, "catch-up", "dns-ttl", "one or two hits are sent"},
    {kUnseen, "catch-up", "session-tickets", "one or two hits are sent"},
    {kUnseen, "duration", "connections", "one hit is sent, as those that wait for a worker are missed at the end"},
    {kUnseen, "duration", "dns-ttl", "one hit is sent, as those that wait for a worker are missed at the end"},
    {kUnseen, "duration", "session-tickets", "one hit is sent, as those that wait for a worker are missed at the end"},
    {kUnseen, "max-workers", "cpus", "no more threads than hits in flight"},
    {kUnseen, "catch-up", "cpus", "no more threads than hits in flight"},
    {kUnseen, "strict-rate", "cpus", "no more threads than hits in flight"},
    {kUnseen, "connections", "cpus", "no more threads than hits in flight"},
    {kUnseen, "session-tickets", "cpus", "no more threads than hits in flight"},
    {kUnseen, "dns-ttl", "cpus", "no more threads than hits in flight"},
    {kUnseen, "max-connections", "cpus", "no more threads than connections"},
    {kUnseen, "max-workers", "streams", "one request at a time"},
    {kUnseen, "strict-rate", "streams", "one request at a time"},
    {kUnseen, "catch-up", "streams", "one request at a time"},
    {kUnseen, "max-connections", "streams", "there is no second connection to go to"},
    {kUnseen, "session-tickets", "h2c", "it is about http targets"},
    {kUnseen, "insecure", "h2c", "it is about http targets"},
    {kUnseen, "root-certs", "h2c", "it is about http targets"},
    {kUnseen, "cert", "h2c", "it is about http targets"},
    {kUnseen, "key", "h2c", "it is about http targets"},
    {kUnseen, "connect-to", "resolvers", "where it leads is an address"},
    {kUnseen, "connect-to", "dns-ttl", "where it leads is an address"},
    {kUnseen, "proxy", "resolvers", "the proxy looks targets up, and is an address itself"},
    {kUnseen, "proxy", "dns-ttl", "the proxy looks targets up, and is an address itself"},
    {kUnseen, "proxy-header", "resolvers", "the proxy looks targets up, and is an address itself"},
    {kUnseen, "proxy-header", "dns-ttl", "the proxy looks targets up, and is an address itself"},
};

}  // namespace

Words Seen::requests() const {
  Words all;
  for (const SeenServer* server : servers())
    for (const Words& connection : server->requests)
      for (const Text& request : connection)
        if (!request.starts_with("CONNECT ")) all.push_back(request);
  return all;
}

std::size_t Seen::connections() const {
  std::size_t all = 0;
  for (const SeenServer* server : servers()) all += server->requests.size();
  return all;
}

std::span<const Row> rows() { return all_rows(); }
std::span<const NoRow> without_row() { return kWithoutRow; }
std::span<const Exception> exceptions() { return kExceptions; }

}  // namespace thrum::pairs
