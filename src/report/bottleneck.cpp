#include "report/bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "load/limit.hpp"
#include "report/judgement.hpp"

namespace thrum::report {
namespace {

std::string shown(Nanos d) { return format_duration(round_for_report(d)); }

double share(std::uint64_t some, std::uint64_t all) { return all == 0 ? 0 : 100 * static_cast<double>(some) / static_cast<double>(all); }

// Late with CPU to spare: a quota stopped us, other programs or other machines had the cores, or sleeps ended late.
Bottleneck of_machine(const Summary& s) {
  const Interference& i = s.interference;
  const std::string busy =
      fmt::format("; the busiest of {} sending thread{} was {:.0f} % busy", s.shards, s.shards == 1 ? "" : "s", 100 * s.busiest_shard);
  if (i.throttled_time > s.elapsed / 20)
    return {Whose::thrum, fmt::format("CPU: the quota of its control group ({:.2f} cores) stopped it", i.quota),
            fmt::format(" for {} in {} of {} periods{}", shown(i.throttled_time), i.throttled, i.periods, busy)};
  if (s.busiest_shard < 0.7 && i.stolen > 0.1)
    return {Whose::thrum, "CPU: the host of this virtual machine kept it",
            fmt::format(" for {:.0f} % of the time{}", 100 * i.stolen, busy)};
  if (s.busiest_shard < 0.7 && s.waited_for_core > 0.2)
    return {Whose::thrum, "CPU: other programs had it",
            fmt::format("{}, and waited {:.0f} % of the time for a core", busy, 100 * s.waited_for_core)};
  return {Whose::thrum, s.busiest_shard < 0.7 ? "this machine woke thrum late" : "CPU", busy};
}

Bottleneck of_network(const Summary& s) {
  const Traffic& t = s.traffic;
  if (load::loses_segments(t)) {
    const bool mostly_opening = t.retransmitted_opening >= t.retransmitted / 5 * 4;
    return {
        Whose::network, fmt::format("{:.1f} % of the segments sent had to be sent again", share(t.retransmitted, t.segments_out)),
        fmt::format(" ({} of {}){}", t.retransmitted, t.segments_out,
                    mostly_opening ? ", most of them to open connections, which a target whose listen queue is full drops as well" : "")};
  }
  if (load::misses_segments(t))
    return {Whose::network, fmt::format("{:.1f} % of the segments that came were out of order", share(t.out_of_order, t.segments_in)),
            fmt::format(" ({} of {}): some before them were lost or overtaken", t.out_of_order, t.segments_in)};
  return {Whose::network, "requests or answers queued on their way",
          fmt::format(": a round trip took {}, {} at the least", shown(t.rtt), shown(t.least_rtt))};
}

// Without a word on what it answered.
Bottleneck of_target(const Summary& s) {
  if (load::overflows_listeners(s))
    return {Whose::target, fmt::format("its listen queue was full {} times", s.interference.listen_overflows),
            ": connections came up late"};
  return {Whose::target, "answers came more slowly than requests were due", ""};
}

Bottleneck of_answers(const RunInput& run) {
  const Rates rates = rates_of(run);
  Bottleneck b{Whose::target, "answers came more slowly than requests were sent", ""};
  if (rates.answered && rates.sent && *rates.answered < *rates.sent)
    b = {Whose::target, fmt::format("it answered {:.2f} of the {:.2f} requests sent per second", *rates.answered, *rates.sent), ""};
  return b;
}

Bottleneck reached(const Summary& s, std::string_view what, std::string_view more = {}) {
  std::string enough = s.limit_needed == 0 ? "" : fmt::format("; about {} would have been enough at the latency seen", s.limit_needed);
  return {Whose::thrum, fmt::format("{} ({})", what, s.limit_value), enough + std::string(more)};
}

// A machine that was a little late now and then is not the reason why answers kept coming later and later.
bool is_mere_lateness(const RunInput& run, const Summary& s) {
  const Metrics& m = run.metrics;
  return s.limit == Limit::cpu && s.books.missed == 0 && !load::lacks_cpu(s) && m.lags().mean().count() < m.latencies().mean().count() / 10;
}

}  // namespace

std::string_view name_of(Whose whose) {
  switch (whose) {
    case Whose::nobody:
      return "";
    case Whose::target:
      return "target";
    case Whose::network:
      return "network";
    case Whose::thrum:
      return "thrum";
  }
  return "";
}

Bottleneck bottleneck(const Summary& s) {
  switch (s.limit) {
    case Limit::none:
      return {Whose::nobody, s.books.missed == 0 ? "" : "none was seen", ""};
    case Limit::workers:
      return reached(s, "-max-workers");
    case Limit::connections:
      return reached(s, "-max-connections");
    case Limit::descriptors:
      return reached(s, "open files", "; raise them with ulimit -n");
    case Limit::local_ports:
      return {Whose::thrum, "local ports", "; reuse connections, or send from more addresses"};
    case Limit::targets:
      return {Whose::thrum, "the targets came more slowly than they were due", ""};
    case Limit::cpu:
      return of_machine(s);
    case Limit::target:
      return of_target(s);
    case Limit::network:
      return of_network(s);
  }
  return {Whose::nobody, "unknown", ""};
}

Bottleneck bottleneck(const RunInput& run) {
  if (!run.plan || !run.plan->summary) return {};
  const Summary& s = *run.plan->summary;
  const bool fell_behind = falling_behind(run.metrics).has_value();
  const bool lacks_answers = fell_behind || has_many_timeouts(run.metrics);
  if (!lacks_answers || (s.limit != Limit::none && !is_mere_lateness(run, s))) return bottleneck(s);
  if (load::lacks_cpu(s)) return of_machine(s);
  if (load::misses_segments(s.traffic) || load::queues(s.traffic, run.metrics.figures().latencies.mean)) return of_network(s);
  if (fell_behind) return of_answers(run);
  const std::uint64_t timeouts = run.metrics.ended_as(Outcome::timeout), all = run.metrics.requests();
  return {Whose::target, fmt::format("{:.1f} % of the requests were not answered in time", share(timeouts, all)),
          fmt::format(" ({} of {})", timeouts, all)};
}

std::string plain_words(const Bottleneck& b) {
  const std::string_view prefix = b.whose == Whose::target ? "the target: " : b.whose == Whose::network ? "the network: " : "";
  return fmt::format("{}{}{}", prefix, b.what, b.details);
}

std::string sentence(const Bottleneck& b) { return (b.whose == Whose::thrum ? "thrum: " : "") + plain_words(b); }

std::string limit_sentence(std::span<const RunInput> runs) {
  if (runs.size() == 1) return sentence(bottleneck(runs[0]));
  std::vector<std::pair<std::string, std::string>> limits;  // words, runs
  for (const RunInput& run : runs) {
    Bottleneck b = bottleneck(run);
    if (b.what.empty()) continue;
    b.details.clear();
    const std::string words = sentence(b);
    const auto same = std::ranges::find(limits, words, &std::pair<std::string, std::string>::first);
    if (same == limits.end())
      limits.emplace_back(words, printable(run.name));
    else
      same->second += ", " + printable(run.name);
  }
  std::string out;
  for (const auto& [words, names] : limits) out += fmt::format("{}{} in {}", out.empty() ? "" : "; ", words, names);
  return out;
}

std::string_view limited_by(std::span<const RunInput> runs) {
  std::optional<Whose> all;
  for (const RunInput& run : runs) {
    const Whose whose = bottleneck(run).whose;
    if (whose == Whose::nobody) continue;
    if (all && *all != whose) return "";
    all = whose;
  }
  return all ? name_of(*all) : "";
}

}  // namespace thrum::report
