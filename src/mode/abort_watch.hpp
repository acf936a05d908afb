// Conditions that end an attack or a run early (-abort-if): gates over the last seconds instead of the whole run.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "report/gates.hpp"
#include "thrum/error.hpp"
#include "thrum/metrics.hpp"

namespace thrum::mode {

class AbortWatch {
 public:
  // A condition is judged by no fewer results: one failure is no trend.
  static constexpr std::uint64_t kFewest = 5;

  // Each text: gates as for -fail-if, and "for TIME" behind them: how long a time they are of (5 s).
  static Expected<AbortWatch> parse(std::span<const std::string> texts, MetricsOptions judging);
  bool empty() const { return conditions_.empty(); }

  void add(std::span<const Result> results);
  // Asked often. What is met, and by which value; none: nothing yet.
  std::optional<std::string> met(Instant now);

 private:
  // The results of one time. Several overlap, so that none has to be forgotten result by result.
  struct Window {
    Instant began;
    Metrics metrics;
    report::Gates gates;
  };
  struct Condition {
    std::string text;
    std::string gates;  // of it
    Nanos length{0};
    std::deque<Window> windows{};
  };

  MetricsOptions judging_;
  std::deque<Condition> conditions_;
};

}  // namespace thrum::mode
