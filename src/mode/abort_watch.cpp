#include "mode/abort_watch.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace thrum::mode {
namespace {

constexpr Nanos kUsual{5'000'000'000}, kShortest{100'000'000};
constexpr int kOverlapping = 4;  // a condition is seen after five quarters of its time at the latest

}  // namespace

Expected<AbortWatch> AbortWatch::parse(std::span<const std::string> texts, MetricsOptions judging) {
  AbortWatch watch;
  watch.judging_ = judging;
  for (const std::string& text : texts) {
    Condition condition{text, text, kUsual};
    if (const std::size_t at = text.rfind(" for "); at != text.npos) {
      const std::string_view time = trim(std::string_view(text).substr(at + 5));
      const auto length = parse_duration(time);
      if (!length || *length < kShortest)
        return usage_error(
            fmt::format("-abort-if: \"{}\" is no time from 100ms on; write it like errors>10% for 5s", printable_prefix(time, 20)));
      condition.length = *length;
      condition.gates = text.substr(0, at);
    }
    auto parsed = report::Gates::parse(std::array{condition.gates});
    if (!parsed) return usage_error("-abort-if: " + parsed.error().text);
    if (const auto other = parsed->needs_whole_run())
      return usage_error(fmt::format("-abort-if: {} is known of a whole run only; -fail-if judges it", *other));
    watch.conditions_.push_back(std::move(condition));
  }
  return watch;
}

void AbortWatch::add(std::span<const Result> results) {
  for (Condition& c : conditions_)
    for (Window& w : c.windows) {
      w.metrics.add(results);
      w.gates.add(results, judging_);
    }
}

std::optional<std::string> AbortWatch::met(Instant now) {
  for (Condition& c : conditions_) {
    while (!c.windows.empty() && now - c.windows.front().began >= c.length) {
      report::Input input;
      input.total = std::move(c.windows.front().metrics);
      input.total.close();
      report::Gates gates = std::move(c.windows.front().gates);
      c.windows.pop_front();
      if (input.total.requests() < kFewest) continue;
      for (const report::Judged& judged : gates.judge(input))
        if (judged.is_crossed && judged.is_known) return fmt::format("{} for {}: {}", judged.gate, format_duration(c.length), judged.value);
    }
    if (c.windows.empty() || now - c.windows.back().began >= c.length / kOverlapping)
      c.windows.push_back({now, Metrics(judging_), *report::Gates::parse(std::array{c.gates})});
  }
  return {};
}

}  // namespace thrum::mode
