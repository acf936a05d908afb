// Report inputs from a few words, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/input.hpp"

namespace thrum::report {

inline constexpr Timestamp kStart{1'700'000'000, 0, 0};
inline constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000'000'000;

inline Result result(std::int64_t at, std::int64_t latency, std::uint16_t code = 200, std::string_view error = {}) {
  Result r;
  r.timestamp = kStart.plus(Nanos(at));
  r.latency = Nanos(latency);
  r.code = code;
  r.error = error;
  r.outcome = code >= 200 && code < 400 ? Outcome::ok : code == 0 ? Outcome::connect : Outcome::bad_status;
  return r;
}

inline RunInput run_of(std::string name, const std::vector<Result>& results) {
  RunInput run;
  run.file = name + ".bin";
  run.name = std::move(name);
  run.metrics.add(results);
  run.metrics.close();
  return run;
}

// As thrum records it: `asked` hits at `rate`, of which the results are those that were sent.
inline RunInput recorded(std::string name, double rate, std::uint64_t asked, const std::vector<Result>& results) {
  RunInput run = run_of(std::move(name), results);
  Plan& plan = run.plan.emplace();
  plan.start = kStart;
  plan.rate = rate;
  if (rate > 0) {
    plan.shape = std::to_string(static_cast<int>(rate)) + "/1s";
    plan.asked = *parse_shape(plan.shape);
    plan.duration = Nanos(static_cast<std::int64_t>(static_cast<double>(asked) / rate * 1e9));
  }
  Summary& s = plan.summary.emplace();
  s.books = {asked, results.size(), asked - results.size(), run.metrics.succeeded(), run.metrics.failed(), 0};
  plan.results = results.size();
  s.sending = plan.duration;
  s.started = kStart;
  s.shards = 1;
  return run;
}

inline Input input_of(std::vector<RunInput> runs) {
  Input input;
  for (const RunInput& run : runs) input.total.merge(run.metrics);
  input.total.close();
  input.runs = std::move(runs);
  return input;
}

// n results a gap apart, each with the same latency and lag.
inline std::vector<Result> steady(std::int64_t n, std::int64_t gap, std::int64_t latency, std::int64_t lag = 10'000) {
  std::vector<Result> results;
  for (std::int64_t i = 0; i < n; ++i) {
    results.push_back(result(i * gap, latency));
    results.back().lag = Nanos(lag);
  }
  return results;
}

// A server of 160 answers a second that gets 200 for ten seconds.
inline std::vector<Result> overloaded() {
  std::vector<Result> results;
  for (std::int64_t i = 0; i < 2000; ++i) {
    const std::int64_t at = i * 5 * kMs;
    results.push_back(result(at, 25 * kMs + i * (kSecond / 160) - at));
    results.back().lag = Nanos(10'000);
  }
  return results;
}

}  // namespace thrum::report
