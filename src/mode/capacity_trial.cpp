#include "mode/capacity_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/duration.hpp"

namespace thrum::mode {
namespace {

constexpr Nanos kSettling{1'000'000'000};
constexpr Nanos kTooLate{20'000'000};  // lag of the 99th percentile: then it is us who don't hold the rate

// How many seconds' worth of requests may be in flight before it is clear how a trial ends.
double patience(const report::Gates& slo) { return std::max(1.0, 2 * static_cast<double>(slo.longest_time().count()) / 1e9); }

}  // namespace

CapacityTrial::CapacityTrial(CapacitySearch::Trial trial, Nanos begin)
    : trial_(trial), begin_(begin), settling_(std::min(kSettling, trial.length / 4)), trend_(trial.length - settling_) {}

void CapacityTrial::add(const Result& result, Nanos due) {
  const Nanos at = due - measured_from();
  if (at < Nanos(0)) return;
  metrics_.add(std::span(&result, 1));
  trend_.add(at, result.latency_by(LatencyClock::response));
}

void CapacityTrial::see_in_flight(Nanos t, std::uint64_t in_flight) {
  if (t < measured_from()) return;
  if (!has_seen_) in_flight_before_ = in_flight;
  has_seen_ = true;
  in_flight_after_ = in_flight;
}

bool CapacityTrial::is_hopeless(std::uint64_t in_flight, const report::Gates& slo) {
  is_hopeless_ = static_cast<double>(in_flight) > trial_.rate * patience(slo) + 100;
  return is_hopeless_;
}

CapacityTrial::Judgement CapacityTrial::judge(report::Gates& slo, std::uint64_t unanswered) {
  using Outcome = CapacitySearch::Outcome;
  report::Input input;
  input.total = std::move(metrics_);
  input.clock = LatencyClock::response;
  const Figures& f = input.total.close();
  Judgement j;
  report::CapacityTrial& shown = j.shown;
  shown = {
      trial_.rate,       trial_.length,    trial_.is_confirmation, f.requests, f.success, f.latencies.p50, f.latencies.p99, f.latencies.max,
      in_flight_before_, in_flight_after_, trend_.slope(),         false,      {}};
  std::vector<std::string> broken;
  for (const report::Judged& judged : slo.judge(input))
    if (!judged.is_crossed || !judged.is_known) broken.push_back(fmt::format("{} is {}", judged.gate, judged.value));
  const Nanos lag = input.total.lags().quantile(0.99);
  j.outcome = Outcome::failed;
  if (lag > kTooLate) {
    j.outcome = Outcome::own_limit;
    shown.why = fmt::format("sent {} late at the 99th percentile: this machine is too slow", format_duration(round_for_report(lag)));
  } else if (unanswered > 0) {
    shown.why = fmt::format("{} requests were not answered", unanswered);
  } else if (!broken.empty()) {
    shown.why = fmt::format("{}", fmt::join(broken, ", "));
  } else if (is_hopeless_) {
    shown.why = fmt::format("not steady: {} requests were in flight", in_flight_after_);
  } else if (trend_.is_growing()) {
    shown.why = fmt::format("not steady: latency grew by {:.3g} ms a second", trend_.slope() * 1000);
    j.failed_by_growth_only = true;
  } else {
    j.outcome = Outcome::held;
  }
  shown.held = j.outcome == Outcome::held;
  return j;
}

}  // namespace thrum::mode
