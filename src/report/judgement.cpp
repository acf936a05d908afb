#include "report/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/duration.hpp"
#include "report/bottleneck.hpp"

namespace thrum::report {
namespace {

struct Interval {
  Timestamp from;
  Nanos length{0};
  std::optional<double> rate;  // none: unknown, or no interval to speak of
};

double in_seconds(Nanos d) { return static_cast<double>(d.count()) / 1e9; }

// How long the schedule lasted, as far as it was carried out: to the moment at which one more hit would have been due, so
// that 20 hits at 20/s are a second's worth.
Nanos scheduled(const Plan& plan) {
  if (!plan.summary) return Nanos(0);
  if (!plan.asked || plan.asked->is_random() || !plan.changes.empty()) return plan.summary->sending;
  const Nanos next = plan.asked->due(plan.summary->books.scheduled);
  return next == Nanos::max() ? plan.summary->sending : next;  // the shape has ended
}

// While requests were sent, or were to be.
Interval sending_of(const RunInput& run) {
  const Figures& f = run.metrics.figures();
  Interval out{f.earliest, f.duration, {}};
  if (run.plan) {
    out.from = run.plan->start;
    out.length = std::max(f.requests == 0 ? Nanos(0) : f.latest.since(out.from), scheduled(*run.plan));
  }
  if (out.length > Nanos(0)) out.rate = static_cast<double>(sent_of(run)) / in_seconds(out.length);
  return out;
}

Interval asking_of(const RunInput& run) {
  Interval out = sending_of(run);
  out.rate.reset();
  if (!run.plan || run.plan->rate == 0) return out;
  const Plan& plan = *run.plan;
  if (!plan.asked || (plan.asked->stages().empty() && plan.changes.empty()))
    out.rate = plan.rate;
  else if (plan.summary && out.length > Nanos(0))  // of a rate that changes: the mean
    out.rate = static_cast<double>(plan.summary->books.scheduled) / in_seconds(out.length);
  return out;
}

Interval answering_of(const RunInput& run) {
  const Figures& f = run.metrics.figures();
  Interval out{run.plan ? run.plan->start : f.earliest, Nanos(0), {}};
  if (f.requests > 0) out.length = f.end.since(out.from);
  if (run.plan) out.length = std::max(out.length, scheduled(*run.plan));
  if (out.length > Nanos(0)) out.rate = static_cast<double>(run.metrics.answered()) / in_seconds(out.length);
  return out;
}

// The highest sum of the rates of intervals that overlap; none if one of them has none.
std::optional<double> most_at_once(std::span<const RunInput> runs, Interval (*interval_of)(const RunInput&)) {
  std::vector<std::pair<std::int64_t, double>> changes;  // time, change of the sum
  std::optional<Timestamp> zero;
  for (const RunInput& run : runs) {
    const Interval i = interval_of(run);
    if (!i.rate) return {};
    if (!zero) zero = i.from;
    const std::int64_t from = i.from.since(*zero).count();
    changes.emplace_back(from, *i.rate);
    changes.emplace_back(from > INT64_MAX - i.length.count() ? INT64_MAX : from + i.length.count(), -*i.rate);
  }
  std::sort(changes.begin(), changes.end());  // at one time ends come before beginnings
  double sum = 0, most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, sum += change);
  return most;
}

bool differs(Nanos a, Nanos b) {
  return std::abs(static_cast<double>(a.count()) - static_cast<double>(b.count())) > 0.05 * static_cast<double>(std::min(a, b).count());
}

constexpr std::array<std::pair<Outcome, std::string_view>, 13> kFailures{{{Outcome::bad_status, "status"},
                                                                          {Outcome::dns, "dns"},
                                                                          {Outcome::connect, "connect"},
                                                                          {Outcome::tls, "tls"},
                                                                          {Outcome::proxy, "proxy"},
                                                                          {Outcome::send, "send"},
                                                                          {Outcome::response, "response"},
                                                                          {Outcome::truncated, "truncated"},
                                                                          {Outcome::timeout, "timeout"},
                                                                          {Outcome::cut, "cut"},
                                                                          {Outcome::client_limit, "client limit"},
                                                                          {Outcome::expectation, "expectation"},
                                                                          {Outcome::redirect, "redirect"}}};

}  // namespace

bool has_plans(const Input& input) {
  return std::any_of(input.runs.begin(), input.runs.end(), [](const RunInput& run) { return run.plan.has_value(); });
}

std::uint64_t sent_of(const RunInput& run) {
  return run.plan && run.plan->summary ? run.plan->summary->books.sent : run.metrics.requests();
}

std::uint64_t lost_of(std::span<const RunInput> runs) {
  std::uint64_t lost = 0;
  for (const RunInput& run : runs)
    if (run.plan && run.plan->summary) lost += run.plan->results - std::min(run.plan->results, run.metrics.requests());
  return lost;
}

std::uint64_t late_of(const Metrics& metrics) {
  constexpr Nanos kOnTime{1'000'000};
  return metrics.lags().count() - metrics.lags().count_up_to(kOnTime);
}

Warmup warmup_of(std::span<const RunInput> runs) {
  Warmup all;
  for (const RunInput& run : runs) {
    if (!run.plan || !run.plan->summary) continue;
    const Warmup& w = run.plan->summary->warmup;
    all.length = std::max(all.length, w.length);
    all.sent += w.sent;
    all.failed += w.failed;
  }
  return all;
}

Timestamp sending_end(const RunInput& run) {
  const Interval sending = sending_of(run);
  return sending.from.plus(sending.length);
}

Rates rates_of(const RunInput& run) { return {asking_of(run).rate, sending_of(run).rate, answering_of(run).rate}; }

Totals totals_of(std::span<const RunInput> runs) {
  Totals t;
  std::uint64_t asked = 0, missed = 0;
  bool all_say = true;
  for (const RunInput& run : runs) {
    t.sent += sent_of(run);
    t.answered += run.metrics.answered();
    all_say &= run.plan && run.plan->summary;
    if (!all_say) continue;
    asked += run.plan->summary->books.scheduled;
    missed += run.plan->summary->books.missed;
  }
  if (all_say) {
    t.asked = asked;
    t.missed = missed;
  }
  t.rates = {most_at_once(runs, asking_of), most_at_once(runs, sending_of), most_at_once(runs, answering_of)};
  return t;
}

// A target that answers the share s of what it is sent lets latency grow by 1 - s seconds a second, and needs (1 - s) / s of
// the sending's time to answer the rest. Both must show: a single stall does one or the other.
std::optional<Metrics::Growth> falling_behind(const Metrics& metrics) {
  constexpr double kSlope = 0.05, kRest = 0.04;
  const Metrics::Growth g = metrics.growth();
  const Figures& f = metrics.figures();
  const bool grew = g.slope >= kSlope && static_cast<double>(g.late.count()) >= 1.5 * static_cast<double>(g.early.count());
  if (!grew || static_cast<double>(f.wait.count()) < kRest * static_cast<double>(f.duration.count())) return {};
  return g;
}

std::string words_of(const Metrics::Growth& growth) {
  return fmt::format("mean latency grew from {} in the first quarter of the sending to {} in the last",
                     format_duration(round_for_report(growth.early)), format_duration(round_for_report(growth.late)));
}

bool has_many_timeouts(const Metrics& m) {
  return m.answered() > 0 && static_cast<double>(m.ended_as(Outcome::timeout)) >= 0.05 * static_cast<double>(m.requests());
}

std::string verdict(const RunInput& run) {
  std::string out;
  const auto say = [&](const std::string& words) { out += (out.empty() ? "" : "; ") + words; };
  if (run.plan && run.plan->summary) {
    const Summary& s = *run.plan->summary;
    const Bottleneck b = bottleneck(run);
    const bool is_told = b.whose != Whose::target || s.limit == Limit::target;  // else in what follows
    if (s.books.missed > 0)
      say(fmt::format("missed {} of {}: {}", s.books.missed, s.books.scheduled, plain_words(b)));
    else if (s.limit != Limit::none && is_told && response_differs(run.metrics))
      say(fmt::format("sent late: {}", plain_words(b)));
  }
  if (const auto growth = falling_behind(run.metrics))
    say("fell behind: " + words_of(*growth));
  else if (out.empty() && has_many_timeouts(run.metrics))
    say(plain_words(bottleneck(run)));
  if (out.empty()) out = run.metrics.requests() > 0 && run.metrics.succeeded() == 0 ? "all failed" : "kept up";
  return out;
}

std::string verdict(const StagePart& part) {
  const Metrics& m = part.metrics;
  if (const auto growth = falling_behind(m)) return "fell behind: " + words_of(*growth);
  if (part.asked && *part.asked > m.requests()) return fmt::format("missed {} of {}", *part.asked - m.requests(), *part.asked);
  return m.requests() > 0 && m.succeeded() == 0 ? "all failed" : "kept up";
}

bool response_differs(const Metrics& metrics) {
  const Histogram& felt = metrics.response_latencies();
  const Histogram& took = metrics.latencies();
  if (felt.count() == 0) return false;
  for (const double q : {0.5, 0.95, 0.99})
    if (differs(felt.quantile(q), took.quantile(q))) return true;
  return differs(felt.mean(), took.mean());
}

std::vector<double> weak(std::uint64_t count, std::span<const double> percentiles) {
  std::vector<double> out;
  for (const double p : percentiles)
    // n * (1 - p/100) < 1, with room for what a decimal fraction loses in binary
    if (static_cast<double>(count) * (100 - p) < 100 * (1 - 1e-9) && p < 100) out.push_back(p);
  return out;
}

std::vector<Failure> failures(const Metrics& metrics) {
  std::vector<Failure> out;
  std::uint64_t rest = metrics.failed();
  for (const auto& [outcome, name] : kFailures) {
    const std::uint64_t count = std::min(metrics.ended_as(outcome), rest);
    if (count == 0) continue;
    out.push_back({std::string(name), count});
    rest -= count;
  }
  if (rest > 0) out.push_back({"other", rest});
  return out;
}

}  // namespace thrum::report
