#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "base/text.hpp"
#include "report/bottleneck.hpp"
#include "report/columns.hpp"
#include "report/entries.hpp"
#include "report/groups.hpp"
#include "report/judgement.hpp"
#include "report/times.hpp"

namespace thrum::report {
namespace {

constexpr std::size_t kMostErrors = 50, kMostChanges = 20;

std::string shown(Nanos d) { return format_duration(round_for_report(d)); }

std::string joined(const std::vector<std::string>& values) { return fmt::format("{}", fmt::join(values, ", ")); }

std::string latencies_of(const Histogram& h, std::span<const double> percentiles) {
  std::vector<std::string> out;
  for (const double p : percentiles) out.push_back(shown(h.quantile(p / 100)));
  return joined(out);
}

// "label  [keys]  value" in columns as wide as vegeta's lines need them, so that ours stand under them.
void line(std::string& out, Id id, std::string_view value, std::string_view keys = {}) {
  const Entry& e = entry(id);
  out += fmt::format("{:12}\t{:32}\t{}\n", e.label, fmt::format("[{}]", keys.empty() ? e.keys : keys), value);
}

std::string joined_counts(const auto& counts) {
  std::string out;
  for (const auto& [key, count] : counts) out += fmt::format("{}:{}  ", key, count);
  return out;
}

void vegetas_lines(const Input& input, std::string& out) {
  const Figures& f = input.total.figures();
  line(out, Id::requests, fmt::format("{}, {:.2f}, {:.2f}", f.requests, f.rate, f.throughput));
  const Nanos total(static_cast<std::int64_t>(static_cast<std::uint64_t>(f.duration.count()) + static_cast<std::uint64_t>(f.wait.count())));
  line(out, Id::duration, joined({shown(total), shown(f.duration), shown(f.wait)}));
  const Figures::Latencies& l = f.latencies;
  line(out, Id::latencies, joined({shown(l.min), shown(l.mean), shown(l.p50), shown(l.p90), shown(l.p95), shown(l.p99), shown(l.max)}));
  line(out, Id::bytes_in, fmt::format("{}, {:.2f}", f.bytes_in.total, f.bytes_in.mean));
  line(out, Id::bytes_out, fmt::format("{}, {:.2f}", f.bytes_out.total, f.bytes_out.mean));
  line(out, Id::success, fmt::format("{:.2f}%", f.success * 100));
  line(out, Id::status_codes, joined_counts(f.status_codes));
  (out += entry(Id::error_set).label) += '\n';
}

// Of more than kMostErrors kinds the most frequent, each at its place in the order first seen.
void error_lines(const Metrics& metrics, std::string& out) {
  const std::vector<Metrics::ErrorCount>& kinds = metrics.errors();
  std::uint64_t rarest = 0;  // shown if more frequent, or as frequent and there is room
  std::size_t room = kMostErrors;
  if (kinds.size() > kMostErrors) {
    std::vector<std::uint64_t> counts;
    for (const Metrics::ErrorCount& kind : kinds) counts.push_back(kind.count);
    std::nth_element(counts.begin(), counts.begin() + (kMostErrors - 1), counts.end(), std::greater<>());
    rarest = counts[kMostErrors - 1];
    room -= static_cast<std::size_t>(std::count_if(counts.begin(), counts.end(), [&](std::uint64_t c) { return c > rarest; }));
  }
  for (const Metrics::ErrorCount& kind : kinds) {
    if (kind.count < rarest || (kind.count == rarest && room == 0)) continue;
    if (kind.count == rarest) --room;
    out += printable(kind.text, true);  // a tab stays one: it parts columns
    out += '\n';
  }
  if (kinds.size() > kMostErrors) out += fmt::format("and {} more\n", kinds.size() - kMostErrors);
  if (metrics.other_errors() > 0) out += fmt::format("and those of {} results that were too many to tell apart\n", metrics.other_errors());
}

std::string count_or_dash(const std::optional<std::uint64_t>& count) { return count ? std::to_string(*count) : "-"; }
std::string rate_or_dash(const std::optional<double>& rate) { return rate ? fmt::format("{:.2f}", *rate) : "-"; }

void filter_line(const Filter& filter, std::uint64_t matched, std::string& out) {
  line(out, Id::filter,
       fmt::format("{}, {}, {}: {} of {} results", format_duration(filter.from), filter.to ? format_duration(*filter.to) : "-",
                   filter.where.empty() ? "-" : printable(filter.where), matched, filter.read));
}

double per_second_of(std::uint64_t count, Nanos time) {
  return time <= Nanos(0) ? 0 : static_cast<double>(count) * 1e9 / static_cast<double>(time.count());
}

// Calls visit(summary) for each run that was going on when `run` began: something is at its most where a run begins.
template <class Visit>
void for_each_beside(const RunInput& run, const Input& input, const Visit& visit) {
  const Timestamp begin = run.plan->summary->started;
  for (const RunInput& other : input.runs) {
    if (!other.plan || !other.plan->summary) continue;
    const Summary& s = *other.plan->summary;
    if (!begin.before(s.started) && begin.before(s.started.plus(std::max(s.elapsed, Nanos(1))))) visit(s);
  }
}

void connections_line(const Input& input, std::string& out) {
  Connections all;
  double fresh = 0;
  for (const RunInput& run : input.runs) {
    if (!run.plan || !run.plan->summary) continue;
    const Connections& c = run.plan->summary->connections;
    all.opened += c.opened;
    all.reused += c.reused;
    // Runs of the same time add up; of runs in turn the most counts.
    std::uint64_t peak = 0;
    double per_second = 0;
    for_each_beside(run, input, [&](const Summary& s) {
      peak += s.connections.peak;
      per_second += per_second_of(s.connections.opened - std::min(s.connections.opened, s.connections.preconnected), s.sending);
    });
    all.peak = std::max(all.peak, peak);
    fresh = std::max(fresh, per_second);
  }
  if (all.opened > 0) line(out, Id::connections, fmt::format("{}, {}, {}, {:.2f}", all.opened, all.reused, all.peak, fresh));
}

void network_line(const Input& input, std::string& out) {
  Traffic all;
  double in = 0, sent = 0, rtt = 0;
  std::uint64_t weight = 0;
  for (const RunInput& run : input.runs) {
    if (!run.plan || !run.plan->summary) continue;
    const Traffic& t = run.plan->summary->traffic;
    all.bytes_out += t.bytes_out;
    all.segments_out += t.segments_out;
    all.retransmitted += t.retransmitted;
    if (t.rtt != Result::kNone) {
      rtt += static_cast<double>(t.rtt.count()) * static_cast<double>(t.connections);
      weight += t.connections;
    }
    double in_now = 0, sent_now = 0;
    for_each_beside(run, input, [&](const Summary& s) {
      in_now += per_second_of(s.traffic.bytes_in, s.elapsed);
      sent_now += per_second_of(s.traffic.bytes_out, s.elapsed);
    });
    in = std::max(in, in_now);
    sent = std::max(sent, sent_now);
  }
  if (all.bytes_out == 0) return;
  const auto size = [](double bytes) { return format_size(static_cast<std::int64_t>(std::min(bytes, 9e18))); };
  const double again = all.segments_out == 0 ? 0 : 100 * static_cast<double>(all.retransmitted) / static_cast<double>(all.segments_out);
  line(out, Id::network,
       fmt::format("{}, {}, {}, {}", size(in), size(sent), all.segments_out == 0 ? "-" : fmt::format("{:.2f}%", again),
                   weight == 0 ? "-" : shown(Nanos(static_cast<std::int64_t>(rtt / static_cast<double>(weight))))));
}

void machine_line(const Input& input, std::string& out) {
  constexpr double kStolen = 0.01;  // below that it is noise
  Nanos stopped{0};
  double stolen = 0;
  std::uint64_t overflows = 0;
  for (const RunInput& run : input.runs) {
    if (!run.plan || !run.plan->summary) continue;
    const Interference& i = run.plan->summary->interference;
    stopped = std::max(stopped, i.throttled_time);
    stolen = std::max(stolen, i.stolen);
    overflows = std::max(overflows, i.listen_overflows);
  }
  if (stopped > Nanos(0) || stolen >= kStolen || overflows > 0)
    line(out, Id::machine, fmt::format("{}, {:.1f}%, {}", shown(stopped), 100 * stolen, overflows));
}

void addresses_line(const Input& input, std::string& out) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  std::uint64_t others = 0;
  for (const RunInput& run : input.runs) {
    if (!run.plan || !run.plan->summary || run.plan->summary->addresses.empty()) continue;
    others += run.plan->summary->connections.opened;
    for (const AddressCount& a : run.plan->summary->addresses) {
      others -= std::min(others, a.connections);
      const auto known = std::ranges::find(all, a.address, &std::pair<std::string, std::uint64_t>::first);
      if (known != all.end())
        known->second += a.connections;
      else
        all.emplace_back(printable(a.address), a.connections);
    }
  }
  if (others > 0) all.emplace_back("others", others);
  if (all.size() > 1) line(out, Id::addresses, joined_counts(all));
}

void books_lines(const Input& input, std::string& out) {
  const Totals t = totals_of(input.runs);
  line(out, Id::sending, fmt::format("{}, {}, {}, {}", count_or_dash(t.asked), t.sent, t.answered, count_or_dash(t.missed)));
  line(out, Id::rates, joined({rate_or_dash(t.rates.asked), rate_or_dash(t.rates.sent), rate_or_dash(t.rates.answered)}));
  if (const Warmup w = warmup_of(input.runs); w.length > Nanos(0))
    line(out, Id::warmup, fmt::format("{}, {}, {}", format_duration(w.length), w.sent, w.failed));
  std::vector<std::string> changes;
  for (const RunInput& run : input.runs)
    if (run.plan)
      for (const Change& c : run.plan->changes) changes.push_back(shown(c.at) + " " + printable_prefix(c.text(), 100));
  if (changes.size() > kMostChanges) {
    changes.resize(kMostChanges);
    changes.emplace_back("and more");
  }
  if (!changes.empty()) line(out, Id::changes, joined(changes));
  if (const std::uint64_t lost = lost_of(input.runs); lost > 0) line(out, Id::lost, std::to_string(lost));
  if (const std::string limit = limit_sentence(input.runs); !limit.empty()) line(out, Id::limit, limit);
  connections_line(input, out);
  addresses_line(input, out);
  std::set<std::string> proxies;
  for (const RunInput& run : input.runs)
    if (run.plan && run.plan->summary && !run.plan->summary->proxies.empty()) proxies.insert(printable(run.plan->summary->proxies));
  if (!proxies.empty()) line(out, Id::proxies, fmt::format("{}", fmt::join(proxies, ", ")));
  network_line(input, out);
  machine_line(input, out);
}

void sending_lines(const Input& input, std::string& out) {
  if (has_plans(input)) books_lines(input, out);
  if (input.runs.size() == 1 && input.runs[0].plan && input.runs[0].peaks)
    line(out, Id::peaks, fmt::format("{:.2f}, {:.2f}", input.runs[0].peaks->in_tenth(), input.runs[0].peaks->in_second()));
  const Histogram& lags = input.total.lags();
  if (lags.count() > 0)
    line(out, Id::lag, joined({shown(lags.mean()), shown(lags.quantile(0.5)), shown(lags.quantile(0.99)), shown(lags.max())}));
  if (const std::uint64_t late = late_of(input.total); late > 0)
    line(out, Id::late, fmt::format("{}, {:.2f}%", late, 100 * static_cast<double>(late) / static_cast<double>(lags.count())));
  if (input.clock == LatencyClock::response) {
    const Histogram& s = input.total.service_latencies();
    line(out, Id::clock, "response");
    line(out, Id::service, shown(s.mean()) + ", " + latencies_of(s, std::array{50.0, 95.0, 99.0, 99.9}) + ", " + shown(s.max()));
  }
  if (response_differs(input.total)) {
    const Histogram& r = input.total.response_latencies();
    line(out, Id::response, shown(r.mean()) + ", " + latencies_of(r, std::array{50.0, 95.0, 99.0, 99.9}) + ", " + shown(r.max()));
  }
}

void latency_lines(const Input& input, std::string& out) {
  const Metrics& m = input.total;
  if (m.failed() > 0 && m.succeeded() > 0) {
    const Histogram& s = m.success_latencies();
    line(out, Id::successes,
         joined({shown(s.min()), shown(s.mean())}) + ", " + latencies_of(s, std::array{50.0, 90.0, 95.0, 99.0}) + ", " + shown(s.max()));
  }
  std::vector<double> tail;
  if (m.requests() >= 1'000) tail.push_back(99.9);
  if (m.requests() >= 10'000) tail.push_back(99.99);
  if (!tail.empty()) line(out, Id::tail, latencies_of(m.latencies(), tail), fmt::format("{}", fmt::join(tail, ", ")));
  if (!input.percentiles.empty())
    line(out, Id::percentiles, latencies_of(m.latencies(), input.percentiles), fmt::format("{}", fmt::join(input.percentiles, ", ")));
  std::vector<double> all{50, 90, 95, 99};
  all.insert(all.end(), input.percentiles.begin(), input.percentiles.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (const std::vector<double> few = weak(m.requests(), all); !few.empty() && m.requests() > 0)
    line(out, Id::weak,
         fmt::format("{}: {} result{} too few to tell from the largest", fmt::join(few, ", "), m.requests(),
                     m.requests() == 1 ? " is" : "s are"));
}

constexpr std::size_t kShownBody = 100;

void trouble_lines(const Input& input, std::string& out) {
  std::vector<Failure> causes = failures(input.total);
  const bool known = std::any_of(causes.begin(), causes.end(), [](const Failure& f) { return f.name != "other"; });
  if (known) {
    std::string value;
    for (const Failure& f : causes) value += fmt::format("{}:{}  ", f.name, f.count);
    line(out, Id::failures, value);
  }
  for (const Metrics::Sample& s : input.total.samples())
    line(out, Id::samples, fmt::format("{}, {}, {}, {}", s.seq, s.code, printable(s.error), printable_prefix(s.body, kShownBody)));
  // Several runs are judged one by one, in their table.
  if (input.runs.size() == 1 && !input.filter)
    if (const auto growth = falling_behind(input.total)) {
      const Whose whose = bottleneck(input.runs[0]).whose;
      const bool is_targets = whose == Whose::nobody || whose == Whose::target;  // else the limit above says what is
      line(out, Id::behind, (is_targets ? "the target: " : "") + words_of(*growth));
    }
  std::uint64_t opened = 0, spooled = 0, captures = 0, http1 = 0, http2 = 0;
  for (const RunInput& run : input.runs) {
    if (!run.plan) continue;
    spooled = std::max(spooled, run.plan->spooled_bytes);
    if (!run.plan->summary) continue;
    opened += run.plan->summary->connections.opened;
    captures += run.plan->summary->truncated_captures;
    http1 += run.plan->summary->protocols.http1;
    http2 += run.plan->summary->protocols.http2;
  }
  if (input.total.redirects() > 0) line(out, Id::redirects, fmt::format("{}, {}", input.total.redirects(), input.total.redirected()));
  if (input.total.retries() > 0)
    line(out, Id::retries, fmt::format("{}, {}", input.total.retries(), opened == 0 ? "-" : std::to_string(opened)));
  if (http2 > 0) line(out, Id::protocols, fmt::format("{}HTTP/2:{}", http1 > 0 ? fmt::format("HTTP/1.1:{}  ", http1) : "", http2));
  if (spooled > 0)
    line(out, Id::spooled,
         fmt::format("{} waited on disk because the output was slower than the attack", format_size(static_cast<std::int64_t>(spooled))));
  if (captures > 0) line(out, Id::captures, std::to_string(captures));
}

std::string error_table(const Metrics& metrics) {
  constexpr std::size_t kMost = 10;
  std::vector<const Metrics::ErrorCount*> kinds;
  for (const Metrics::ErrorCount& kind : metrics.errors()) kinds.push_back(&kind);
  if (kinds.empty()) return {};
  std::ranges::stable_sort(kinds, std::ranges::greater(), &Metrics::ErrorCount::count);
  const Timestamp start = metrics.figures().earliest;
  std::string out = fmt::format("{}\tCount\tFirst\tLast\tTargets\n", entry(Id::errors).label);
  for (const Metrics::ErrorCount* kind : std::span(kinds).first(std::min(kinds.size(), kMost)))
    out += fmt::format("{}\t{}\t{}\t{}\t{}\n", printable_prefix(kind->text, 80), kind->count, shown(kind->first_sent.since(start)),
                       shown(kind->last_sent.since(start)),
                       kind->targets.size() < Metrics::ErrorCount::kMostTargets ? std::to_string(kind->targets.size())
                                                                                : fmt::format("{}+", kind->targets.size()));
  return out;
}

std::string phase_table(const Metrics& metrics) {
  std::string out;
  for (const Times& phase : kPhases) {
    const Histogram& h = phase.of(metrics);
    if (h.count() == 0) continue;
    if (out.empty()) out = fmt::format("{}\tCount\tMin\tMean\t50\t90\t99\tMax\n", entry(Id::phases).label);
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", phase.label, h.count(), shown(h.min()), shown(h.mean()), shown(h.quantile(0.5)),
                       shown(h.quantile(0.9)), shown(h.quantile(0.99)), shown(h.max()));
  }
  return out;
}

// By the same clock as the run's other rates; vegeta's throughput, above, begins with the first hit and would be a little higher.
std::optional<double> successes_per_second(const RunInput& run, const Rates& rates) {
  const std::uint64_t answered = run.metrics.answered();
  if (!rates.answered || answered == 0) return rates.answered;
  const Figures& f = run.metrics.figures();
  return *rates.answered * f.success * static_cast<double>(f.requests) / static_cast<double>(answered);
}

std::string stage_table(const RunInput& run, bool is_named) {
  std::string out = fmt::format("{}{}\tAsked\tSent\tRate\tThroughput\tSuccess\t50\t99\tMax\tVerdict\n", entry(Id::stages).label,
                                is_named ? " of " + printable(run.name) : "");
  for (const StagePart& part : run.stages) {
    const Figures& f = part.metrics.figures();
    const double seconds = static_cast<double>(part.length.count()) / 1e9;
    out += fmt::format("{}\t{}\t{}\t{}\t{:.2f}\t{:.2f}%\t{}\t{}\t{}\t{}\n", part.stage.text, count_or_dash(part.asked), f.requests,
                       seconds > 0 ? fmt::format("{:.2f}", static_cast<double>(f.requests) / seconds) : "-", f.throughput, f.success * 100,
                       shown(f.latencies.p50), shown(f.latencies.p99), shown(f.latencies.max), verdict(part));
  }
  return out;
}

// Of parts of runs nothing can be said of whether they kept up.
std::string run_table(const Input& input) {
  std::string out = fmt::format("{}\t{}\n", entry(Id::runs).label, "Asked/s\tSent\tRate\tThroughput\tSuccess\t50\t99\tMax\tVerdict");
  for (const RunInput& run : input.runs) {
    const Figures& f = run.metrics.figures();
    const Rates rates = rates_of(run);
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{:.2f}%\t{}\t{}\t{}\t{}\n", printable(run.name), rate_or_dash(rates.asked), f.requests,
                       rate_or_dash(rates.sent), rate_or_dash(successes_per_second(run, rates)), f.success * 100, shown(f.latencies.p50),
                       shown(f.latencies.p99), shown(f.latencies.max), input.filter ? "-" : verdict(run));
  }
  return out;
}

}  // namespace

std::string text(const Input& input) {
  std::string out;
  vegetas_lines(input, out);
  error_lines(input.total, out);
  std::string ours;
  if (input.filter) filter_line(*input.filter, input.total.requests(), ours);
  sending_lines(input, ours);
  latency_lines(input, ours);
  trouble_lines(input, ours);
  if (!ours.empty()) (out += '\n') += ours;
  if (const std::string errors = error_table(input.total); !errors.empty()) (out += '\n') += errors;
  if (const std::string phases = phase_table(input.total); !phases.empty()) (out += '\n') += phases;
  for (const RunInput& run : input.runs)
    if (!run.stages.empty()) (out += '\n') += stage_table(run, input.runs.size() > 1);
  for (const RunInput& run : input.runs)
    if (!run.shares.rows.empty()) (out += '\n') += share_rows(run.shares, input.runs.size() > 1 ? run.name : "");
  if (input.runs.size() > 1) (out += '\n') += run_table(input);
  if (input.groups) (out += '\n') += group_rows(input);
  if (!input.judged.empty()) (out += '\n') += gate_rows(input.judged);
  return align_columns(out);
}

}  // namespace thrum::report
