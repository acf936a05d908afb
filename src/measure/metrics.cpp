// The figures of a run. Results are judged one by one in add(); everything that can wait (percentiles, means, orders) is
// left to close().
#include "thrum/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "measure/error_kinds.hpp"
#include "measure/timeline.hpp"

namespace thrum {
namespace {

// The instant that vegeta takes for "no time yet": 0001-01-01T00:00:00Z.
constexpr Timestamp kNoTime{-62'135'596'800, 0, 0};

// Go's conversion of a floating-point number to a duration on amd64: cut to an integer; what does not fit is the smallest.
Nanos to_nanos(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value >= -kLimit && value < kLimit)) return Nanos::min();
  return Nanos(static_cast<std::int64_t>(value));
}

double seconds(Nanos d) { return static_cast<double>(d.count() / 1'000'000'000) + static_cast<double>(d.count() % 1'000'000'000) / 1e9; }

Nanos wrapping_sum(Nanos a, Nanos b) {
  return Nanos(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.count()) + static_cast<std::uint64_t>(b.count())));
}

// Encodings that don't say how a hit ended may have our words for it, which begin with the phase.
constexpr std::array<std::pair<std::string_view, Outcome>, 12> kPhases{{{"connect: ", Outcome::connect},
                                                                        {"timeout: ", Outcome::timeout},
                                                                        {"receive: ", Outcome::truncated},
                                                                        {"response: ", Outcome::response},
                                                                        {"tls: ", Outcome::tls},
                                                                        {"dns: ", Outcome::dns},
                                                                        {"send: ", Outcome::send},
                                                                        {"proxy: ", Outcome::proxy},
                                                                        {"redirect: ", Outcome::redirect},
                                                                        {"client: ", Outcome::client_limit},
                                                                        {"expectation: ", Outcome::expectation},
                                                                        {"cut: ", Outcome::cut}}};

Outcome outcome_by_words(std::string_view error) {
  for (const auto& [phase, outcome] : kPhases)
    if (error.starts_with(phase)) return outcome;
  return Outcome::unknown;
}

constexpr std::size_t kMostSamples = 20, kSampleBody = 4096;

// A latency of 0 is forgotten when another comes.
std::int64_t forgetful_min(std::int64_t min, std::int64_t value) { return value < min || min == 0 ? value : min; }

}  // namespace

bool is_success(const Result& result, const StatusSet& success) {
  if (result.outcome == Outcome::expected) return true;
  const bool by_code = result.outcome == Outcome::ok || result.outcome == Outcome::bad_status || result.outcome == Outcome::unknown;
  return by_code && success.has(result.code);
}

struct Metrics::State {
  static constexpr std::size_t kCommonCodes = 1024;

  MetricsOptions options;
  std::uint64_t requests = 0, succeeded = 0, retries = 0, redirects = 0, redirected = 0, bytes_in = 0, bytes_out = 0;
  std::array<std::uint64_t, kCommonCodes> codes{};
  std::map<std::uint16_t, std::uint64_t> odd_codes;  // from 1,024 on; files can hold them
  std::array<std::uint64_t, 16> outcomes{};
  Histogram failures, successes, responses, lags;
  Histogram services;  // where the clock is another
  Phases phases;
  std::int64_t min = 0;  // forgetful
  bool saw_nonpositive = false;
  Timestamp earliest = kNoTime, latest = kNoTime, end = kNoTime;
  ErrorKinds errors;
  std::vector<Sample> samples;
  Timeline timeline;
  Histogram all;  // of the last close(), as are:
  Figures figures;

  void add(const Result& r) {
    const bool by_service = options.clock == LatencyClock::service;
    const Nanos judged = by_service ? r.latency : r.latency_by(options.clock);
    const std::int64_t latency = judged.count();
    const bool good = is_success(r, options.success);
    succeeded += good;
    (good ? successes : failures).record(judged);
    if (!by_service) services.record(r.latency);
    min = forgetful_min(min, latency);
    saw_nonpositive |= latency <= 0;
    if (r.has_lag()) {
      responses.record(r.latency_by(LatencyClock::response));
      lags.record(r.lag);
    }
    bytes_in += r.bytes_in;
    bytes_out += r.bytes_out;
    retries += r.retries;
    redirects += r.redirects;
    redirected += r.redirects > 0;
    const Outcome outcome = r.outcome != Outcome::unknown ? r.outcome : outcome_by_words(r.error);
    ++outcomes[static_cast<std::size_t>(outcome) % outcomes.size()];
    if (r.code < kCommonCodes) [[likely]]
      ++codes[r.code];
    else
      ++odd_codes[r.code];
    see_times(r.timestamp, r.timestamp, r.end());
    timeline.add(r.timestamp, judged);
    if (!r.error.empty()) errors.add(r, requests);
    if (r.body && !r.error.empty() && r.code != 0) [[unlikely]]
      keep_sample(r);
    ++requests;
  }

  bool has_sample(std::string_view error) const { return std::ranges::find(samples, error, &Sample::error) != samples.end(); }

  void keep_sample(const Result& r) {
    if (samples.size() == kMostSamples || has_sample(r.error)) return;
    Sample& sample = samples.emplace_back();
    sample.error = r.error;
    sample.seq = r.seq;
    sample.code = r.code;
    sample.body = r.body->substr(0, kSampleBody);
    for (const Header& h : r.headers) sample.headers.emplace_back(h.name, h.value);
  }

  void add_phases(const Result& r) {
    if (r.first_byte != Result::kNone) {
      phases.first_byte.record(r.first_byte);
      std::int64_t rest = 0;
      if (!__builtin_sub_overflow(r.latency.count(), r.first_byte.count(), &rest)) phases.transfer.record(Nanos(rest));
    }
    if (r.redirecting != Result::kNone) phases.redirecting.record(r.redirecting);
    if (r.dns != Result::kNone) phases.dns.record(r.dns);
    if (r.connect != Result::kNone) phases.connect.record(r.connect);
    if (r.tls != Result::kNone) phases.tls.record(r.tls);
  }

  // vegeta's comparisons: of equal instants the first seen stays, with its zone.
  void see_times(Timestamp first, Timestamp last, Timestamp ended) {
    if (first.before(earliest) || (earliest.same_instant(kNoTime) && earliest.zone == 0)) earliest = first;
    if (latest.before(last)) latest = last;
    if (end.before(ended)) end = ended;
  }

  void merge(const State& other) {
    if (other.requests == 0) return;
    // A latency <= 0 on the other side makes what we knew of the smallest forgotten, or outdone.
    min = other.saw_nonpositive && min >= 0 ? other.min : other.saw_nonpositive ? std::min(min, other.min) : forgetful_min(min, other.min);
    saw_nonpositive |= other.saw_nonpositive;
    see_times(other.earliest, other.latest, other.end);
    requests += other.requests;
    succeeded += other.succeeded;
    retries += other.retries;
    redirects += other.redirects;
    redirected += other.redirected;
    bytes_in += other.bytes_in;
    bytes_out += other.bytes_out;
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] += other.codes[i];
    for (const auto& [code, count] : other.odd_codes) odd_codes[code] += count;
    for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] += other.outcomes[i];
    failures.merge(other.failures);
    successes.merge(other.successes);
    responses.merge(other.responses);
    services.merge(other.services);
    lags.merge(other.lags);
    phases.redirecting.merge(other.phases.redirecting);
    phases.dns.merge(other.phases.dns);
    phases.connect.merge(other.phases.connect);
    phases.tls.merge(other.phases.tls);
    phases.first_byte.merge(other.phases.first_byte);
    phases.transfer.merge(other.phases.transfer);
    errors.merge(other.errors);
    for (const Sample& sample : other.samples)
      if (samples.size() < kMostSamples && !has_sample(sample.error)) samples.push_back(sample);
    timeline.merge(other.timeline);
  }

  void close() {
    all = successes;
    all.merge(failures);
    Figures& f = figures = Figures{};
    f.earliest = f.latest = f.end = kNoTime;
    if (requests == 0) return;
    const double n = static_cast<double>(requests);
    f.requests = requests;
    f.latencies.total = Nanos(static_cast<std::int64_t>(static_cast<std::uint64_t>(all.sum())));
    f.latencies.mean = to_nanos(static_cast<double>(f.latencies.total.count()) / n);
    f.latencies.p50 = all.quantile(0.50);
    f.latencies.p90 = all.quantile(0.90);
    f.latencies.p95 = all.quantile(0.95);
    f.latencies.p99 = all.quantile(0.99);
    f.latencies.max = std::max(Nanos(0), all.max());
    f.latencies.min = Nanos(min);
    f.bytes_in = {bytes_in, static_cast<double>(bytes_in) / n};
    f.bytes_out = {bytes_out, static_cast<double>(bytes_out) / n};
    f.earliest = earliest;
    f.latest = latest;
    f.end = end;
    f.duration = latest.since(earliest);
    f.wait = end.since(latest);
    f.rate = n;
    f.throughput = static_cast<double>(succeeded);
    if (const double sending = seconds(f.duration); sending > 0) {
      f.rate /= sending;
      f.throughput /= seconds(wrapping_sum(f.duration, f.wait));
    }
    f.success = static_cast<double>(succeeded) / n;
    for (std::size_t c = 0; c < codes.size(); ++c)
      if (codes[c] != 0) f.status_codes.emplace_back(static_cast<std::uint16_t>(c), codes[c]);
    f.status_codes.insert(f.status_codes.end(), odd_codes.begin(), odd_codes.end());
    std::sort(f.status_codes.begin(), f.status_codes.end(),
              [](const auto& a, const auto& b) { return std::to_string(a.first) < std::to_string(b.first); });
    for (const ErrorCount& kind : errors.kinds()) f.errors.push_back(kind.text);
  }
};

Metrics::Metrics(MetricsOptions options) : state_(std::make_unique<State>()) { state_->options = options; }
Metrics::Metrics(const Metrics& other) : state_(std::make_unique<State>(*other.state_)) {}
Metrics::Metrics(Metrics&&) noexcept = default;
Metrics& Metrics::operator=(Metrics other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}
Metrics::~Metrics() = default;

void Metrics::add(std::span<const Result> results) {
  for (const Result& r : results) state_->add(r);
  // Apart from the others: together they are too many counters at once, and take twice the time.
  for (const Result& r : results) state_->add_phases(r);
}
void Metrics::merge(const Metrics& other) { state_->merge(*other.state_); }
const Figures& Metrics::close() {
  state_->close();
  return state_->figures;
}

const Figures& Metrics::figures() const { return state_->figures; }
const Histogram& Metrics::latencies() const { return state_->all; }
std::uint64_t Metrics::requests() const { return state_->requests; }
std::uint64_t Metrics::succeeded() const { return state_->succeeded; }
std::uint64_t Metrics::answered() const { return state_->requests - state_->codes[0]; }
std::uint64_t Metrics::ended_as(Outcome outcome) const {
  return state_->outcomes[static_cast<std::size_t>(outcome) % state_->outcomes.size()];
}
std::uint64_t Metrics::retries() const { return state_->retries; }
std::uint64_t Metrics::redirects() const { return state_->redirects; }
std::uint64_t Metrics::redirected() const { return state_->redirected; }
const Histogram& Metrics::success_latencies() const { return state_->successes; }
const Histogram& Metrics::failure_latencies() const { return state_->failures; }
const Histogram& Metrics::service_latencies() const {
  return state_->options.clock == LatencyClock::service ? state_->all : state_->services;
}
const Histogram& Metrics::response_latencies() const { return state_->responses; }
const Histogram& Metrics::lags() const { return state_->lags; }
const Metrics::Phases& Metrics::phases() const { return state_->phases; }
const std::vector<Metrics::ErrorCount>& Metrics::errors() const { return state_->errors.kinds(); }
const std::vector<Metrics::Sample>& Metrics::samples() const { return state_->samples; }

std::uint64_t Metrics::other_errors() const { return state_->errors.others(); }

Metrics::Growth Metrics::growth() const {
  // Too few to call it growth, or nothing to compare over.
  constexpr std::uint64_t kFewest = 5;
  const Nanos sending = state_->latest.since(state_->earliest);
  if (sending.count() <= 0) return {};
  const Timeline::Quarters q = state_->timeline.quarters(state_->earliest, state_->latest);
  if (q.first_count < kFewest || q.last_count < kFewest) return {};
  // The middles of the first and the last quarter lie three quarters of the sending apart.
  const double apart = 0.75 * static_cast<double>(sending.count());
  return {to_nanos(q.first), to_nanos(q.last), (q.last - q.first) / apart};
}

}  // namespace thrum
