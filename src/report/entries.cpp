#include "report/entries.hpp"

#include <fmt/format.h>

#include <array>

namespace thrum::report {
namespace {

constexpr std::string_view kAlways = "always";

constexpr auto kEntries = std::to_array<Entry>({
    {Id::requests, "Requests", "total, rate, throughput", ".requests .rate .throughput", kAlways,
     "total: results read. rate: total divided by `attack` of the next line, per second; n requests have n - 1 gaps between them, so it is "
     "a "
     "little above the rate asked for, and with a single request it is just 1. throughput: successes divided by `total` of the next line."},
    {Id::duration, "Duration", "total, attack, wait", ".duration .wait .earliest .latest .end", kAlways,
     "attack: from the sending of the first request to that of the last. wait: from then until the last answer came. total: both "
     "together. A long wait means that answers were still owed when sending was over."},
    {Id::latencies, "Latencies", "min, mean, 50, 90, 95, 99, max", ".latencies", kAlways,
     "Service latency: from the moment a request was sent to the last byte of its response, or to its failure; failures count. A number "
     "like 95 is a percentile: 95 % of the results were at most that slow. Percentiles are exact up to 4,096 results and within 0.05 % "
     "beyond; between two results they lie on the straight line between them. min leaves out a latency of exactly 0, max is exact."},
    {Id::clock, "Clock", "of latencies", ".clock", "-latency=response",
     "Latencies, and all percentiles, histograms and gates that name no clock of their own, are response latencies: from when a request "
     "was "
     "due to its end."},
    {Id::bytes_in, "Bytes In", "total, mean", ".bytes_in", kAlways,
     "Bytes of response bodies as they came over the wire, whether kept or not, and per request."},
    {Id::bytes_out, "Bytes Out", "total, mean", ".bytes_out", kAlways, "Bytes of request bodies, and per request."},
    {Id::success, "Success", "ratio", ".success", kAlways,
     "Share of results with a status code that counts as success (200 to 399 unless the run was told otherwise)."},
    {Id::status_codes, "Status Codes", "code:count", ".status_codes", kAlways,
     "How many results ended with which status code. Code 0: no whole response came; the error says why."},
    {Id::error_set, "Error Set:", "", ".errors .error_counts", kAlways,
     "Each different error once, in the order first seen; of more than 50 the most frequent 50. A status that is not a success is an "
     "error, "
     "too. Control characters are shown as escapes."},
    {Id::filter, "Filter", "from, to, where", ".filter", "-from, -to or -where",
     "This report is of a part of the results: those sent from `from` until before `to` after their run's start, for which `where` holds, "
     "and how many of all results those are. Everything else is of this part alone; what was asked for and missed is known of whole runs "
     "only, and is left out."},
    {Id::sending, "Sending", "asked, sent, answered, missed", ".asked .sent .answered .missed", "results recorded by thrum",
     "asked: requests that the rate and duration called for. sent: those that went out. answered: those to which a whole response came, of "
     "whatever status. missed: those that never left, because something kept them until the end or -catch-up dropped them. asked = sent + "
     "missed, always. A dash: not known (the run is still going, was killed, or asks for no rate)."},
    {Id::warmup, "Warm-up", "length, sent, failed", ".warmup", "-warmup",
     "What was sent before the run began. It is part of no other figure, and the connections that it opened are not counted as new ones."},
    {Id::changes, "Changes", "at, what", ".runs[].plan.changes", "the run was changed while it went on",
     "What was done to the run by -control, or by -abort-if, and how long after its start."},
    {Id::rates, "Rates", "asked, sent, answered", ".rates", "results recorded by thrum",
     "The same per second: as asked for; sent per second of the schedule; answered per second from the start to the last answer. Of "
     "several "
     "runs: the sum of those that ran at the same time, where it was highest."},
    {Id::lost, "Lost", "results", ".lost", "not every result that was written could be read",
     "Results that the run wrote and that could not be read: the file is damaged or was cut short. All other figures are of the rest."},
    {Id::limit, "Limit", "reason", ".limit .limited_by", "something was the limit",
     "What kept requests from leaving when they were due, or answers from keeping up with them; whose limit it was, and why. thrum: a cap "
     "that was asked for, or something this machine has too little of; the numbers above are then not those of the rate asked for. target: "
     "it answered more slowly than it was asked, or had no room for connections. network: at least 1 % of the segments were lost, or most "
     "of the latency was spent in queues on the way."},
    {Id::connections, "Connections", "opened, reused, peak, new/s", ".runs[].plan.connections", "results recorded by thrum",
     "Connections opened in all, how often one was used again, the most that were open at once (all sending threads together, each at its "
     "own "
     "peak), and how many were opened per second of sending, -preconnect's left out."},
    {Id::addresses, "Addresses", "address:connections", ".runs[].plan.addresses", "connections went to more than one address",
     "How many connections were opened to which address: of the target (a name with several is used address by address), or of a proxy."},
    {Id::proxies, "Proxies", "URL", ".runs[].plan.proxies", "requests went by a proxy",
     "The proxies between thrum and the target, whose work is part of every figure here. Passwords are left out."},
    {Id::network, "Network", "in/s, out/s, sent again, rtt", ".runs[].plan.traffic", "results recorded by thrum",
     "Bytes per second over connections (heads, bodies, TLS; not TCP's own), the share of TCP segments that had to be sent again, and "
     "TCP's "
     "mean round trip. Connections are asked about when they end: all of them, or a sample of at most 1,000 a second."},
    {Id::machine, "Machine", "stopped, stolen, overflows", ".runs[].plan.machine", "one of these is not zero",
     "What this machine did to the run. stopped: how long the quota of its control group kept it from running, on all cores together. "
     "stolen: the share of the cores' time that the host of a virtual machine kept for others. overflows: connections that listeners on "
     "this machine had no room for, if a target is on it."},
    {Id::peaks, "Peaks", "100 ms, 1 s", ".runs[].peaks", "one run recorded by thrum",
     "The highest rates at which requests were sent, per second: in the busiest tenth of a second and in the busiest second. Far above the "
     "rate asked for, they are requests that were made up for, and what the target felt."},
    {Id::lag, "Lag", "mean, 50, 99, max", ".lag", "results recorded by thrum",
     "How long after its due time a request was sent. Microseconds are the clock's and the kernel's; milliseconds mean that the sender was "
     "short of something."},
    {Id::late, "Late", "requests, share", ".late", "some were",
     "Requests that were sent more than a millisecond after they were due, and their share of those sent."},
    {Id::service, "Service", "mean, 50, 95, 99, 99.9, max", ".service", "-latency=response",
     "Service latency: from the sending of a request to the last byte of its response, or to its failure."},
    {Id::response, "Response", "mean, 50, 95, 99, 99.9, max", ".response", "it differs from the service latency by more than 5 %",
     "Response latency: from the moment a request was due to its end, which is what somebody felt who arrived on time. It holds the time a "
     "request waited to be sent, which the latencies above leave out."},
    {Id::successes, "Successes", "min, mean, 50, 90, 95, 99, max", ".successes", "some results failed and some did not",
     "Latencies of the successes alone: failures are often much quicker, or as slow as the timeout."},
    {Id::tail, "Tail", "99.9, 99.99", ".service", "1,000 results and more",
     "Further percentiles of the latencies; 99.99 from 10,000 results on."},
    {Id::percentiles, "Percentiles", "as asked", ".percentiles", "-percentiles",
     "The percentiles of the latencies asked for with -percentiles."},
    {Id::failures, "Failures", "cause:count", ".failures", "something failed and the results say how",
     "How many results failed in which phase: dns, connect, tls, proxy, send, response (no HTTP), truncated, timeout, status (a status "
     "that is "
     "no success), cut (ended by us), client limit (descriptors, ports or memory of this machine), expectation, redirect."},
    {Id::samples, "Sample", "hit, status, error, body", ".samples", "a failed response was kept",
     "A response that was no success: the first of each kind that was kept (-sample-failures, -max-body; of those that broke an "
     "expectation "
     "one always is), with its hit's number, its status, what was wrong with it, and how its body begins. In JSON, its headers and the "
     "first "
     "4 KiB of its body."},
    {Id::behind, "Behind", "reason", ".behind", "the target fell behind",
     "The target answered more slowly than requests were sent: latency kept growing (by at least 50 ms a second) while requests were sent, "
     "and the rest took at least 4 % of that time. The rate was more than it can do; a longer run would show longer latencies."},
    {Id::weak, "Weak", "percentiles", ".weak", "there are too few results for a percentile shown",
     "Percentiles above which not even one result is to be expected: they are the largest value or close to it, and another run may well "
     "give another. 99 needs 100 results, 99.9 needs 1,000."},
    {Id::redirects, "Redirects", "followed, results", ".redirects .redirected", "redirects were followed",
     "Redirects followed, and how many results they belong to: a result is of the whole chain, from the first request to the last "
     "response."},
    {Id::retries, "Retries", "requests, connections opened", ".retries .runs[].plan.connections", "requests were sent again",
     "Requests sent again because the connection they were sent on had been closed by the target meanwhile, or because an HTTP/2 server "
     "said that it had not looked at them, and connections opened in all."},
    {Id::protocols, "Protocols", "protocol:count", ".runs[].plan.protocols", "something was answered by HTTP/2",
     "How many whole responses came by which protocol. Of whole runs: -from, -to and -where change nothing here."},
    {Id::spooled, "Spooled", "bytes", ".runs[].plan.spooled_bytes", "the output was slower than the attack",
     "Most bytes of results that waited on disk because whoever reads them was slow. Nothing was lost, and the attack did not wait."},
    {Id::captures, "Captures", "cut short", ".runs[].plan.truncated_captures", "captured bodies were cut short",
     "Response bodies that were kept only in part because too many bytes were waiting to be written."},
    {Id::errors, "Errors", "count, first, last, targets", ".error_counts", "something failed",
     "A line for each kind of error, the most frequent first, of more than 10 those: how many requests ended so, when the first and the "
     "last of "
     "them were sent, after the first request of all, and from how many targets they came (method and URL; 16+: 16 or more)."},
    {Id::phases, "Phases", "count, min, mean, 50, 90, 99, max", ".phases", "the results know of them",
     "A line for each part of a hit, of those hits only that went through it (how many: count). DNS, connect and TLS are of hits that had "
     "to wait for a new connection; with a proxy, connect includes what was said to it. First byte: from the sending of the request to the "
     "first byte of its response, and if a connection had to be opened first, that included. Transfer: from there to the last byte. "
     "Redirecting: from the sending until the last redirect on the way had come; first byte is then that of the last response."},
    {Id::stages, "Stages", "asked, sent, rate, throughput, success, 50, 99, max", ".stages", "the rate had several stages",
     "A line for each stage of the rate, of the hits that were due in it: how many were asked for and sent, sent per second of the stage, "
     "successes per second from its first request to its last answer, latencies, and whether it kept up. Where more was asked for than "
     "sent, hits of the stage were missed."},
    {Id::targets, "Targets", "weight, wanted, sent, share", ".order .targets", "targets have names or weights, or -order was given",
     "In brackets the order in which targets were sent. A line for each target, by its name, or method and URL: its weight, the share of "
     "all hits that it was to have by that, how many results it has, and which share of all results that is. Beyond 200 targets the "
     "lightest share the line `others`."},
    {Id::runs, "Runs", "asked/s, sent, rate, throughput, success, 50, 99, max", ".runs", "several runs were read",
     "A line for each run, by the attack's name or the file's: its own rate asked for, its own figures as above (throughput: successes per "
     "second from its start to its last answer), and whether it kept up."},
    {Id::groups, "Groups", "requests, rate, success, mean, 50, 90, 95, 99, max, weak", ".groups .other_groups .grouped_by", "-by",
     "A line for each group of results, the busiest first: how many, how many per second over the same time as the whole report, the share "
     "of successes and the latencies, with the percentiles asked for with -percentiles among them. weak: percentiles for which the group "
     "has too few results. Groups beyond -max-groups share the line `others`; the last line is of all results."},
    {Id::gates, "Gates", "", ".gates", "-fail-if",
     "A line for each gate: what it came to, and whether the run failed by it. Where nothing is known of what a gate asks for, it failed."},
});

static_assert([] {
  for (std::size_t i = 0; i < kEntries.size(); ++i)
    if (static_cast<std::size_t>(kEntries[i].id) != i) return false;
  return true;
}());

std::string wrapped(std::string_view words, std::size_t width, std::string_view indent) {
  std::string out, line;
  const auto flush = [&] {
    (out += indent) += line;
    out += '\n';
    line.clear();
  };
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    const std::string_view word = words.substr(0, end);
    if (!line.empty() && line.size() + 1 + word.size() > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
    words.remove_prefix(end == words.npos ? words.size() : end + 1);
  }
  if (!line.empty()) flush();
  return out;
}

std::string with_keys(const Entry& e) { return e.keys.empty() ? std::string(e.label) : fmt::format("{} [{}]", e.label, e.keys); }

}  // namespace

std::span<const Entry> entries() { return kEntries; }
const Entry& entry(Id id) { return kEntries[static_cast<std::size_t>(id)]; }

std::string explain() {
  std::string out;
  for (const Entry& e : kEntries) {
    out += with_keys(e);
    out += '\n';
    out += wrapped(e.means, 92, "    ");
    if (e.when != kAlways) out += fmt::format("    Shown when: {}.\n", e.when);
    out += fmt::format("    JSON: {}\n\n", e.json);
  }
  out.pop_back();
  return out;
}

std::string explain_as_markdown() {
  std::string out = "| line | shown when | in JSON | what it is |\n|---|---|---|---|\n";
  for (const Entry& e : kEntries) out += fmt::format("| `{}` | {} | `{}` | {} |\n", with_keys(e), e.when, e.json, e.means);
  return out;
}

}  // namespace thrum::report
