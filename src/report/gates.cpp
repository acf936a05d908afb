#include "report/gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "measure/url_view.hpp"
#include "report/judgement.hpp"

namespace thrum::report {
namespace {

using Order = Gate::Order;
using Quantity = Gate::Quantity;
using Unit = Gate::Unit;

// What a gate looks at.
struct Scope {
  const Metrics* metrics = nullptr;
  std::optional<std::uint64_t> missed, asked;
  std::optional<double> asked_rate, sent_rate;
};

std::optional<double> time_in(const Gate& gate, const Metrics& m) {
  const Histogram& h = gate.times->of(m);
  if (h.count() == 0) return {};
  switch (gate.quantity) {
    case Quantity::mean:
      return static_cast<double>(h.mean().count());
    case Quantity::min:
      return static_cast<double>(h.min().count());
    case Quantity::max:
      return static_cast<double>(h.max().count());
    default:
      return static_cast<double>(h.quantile(gate.percentile / 100).count());
  }
}

std::uint64_t with_codes(const Gate& gate, const Figures& f) {
  std::uint64_t sum = 0;
  for (const auto& [code, count] : f.status_codes)
    if (gate.is_of_code_zero ? code == 0 : gate.codes.has(code)) sum += count;
  return sum;
}

// None: nothing is known.
std::optional<double> value_of(const Gate& gate, const Scope& scope) {
  if (scope.metrics == nullptr) return {};
  const Metrics& m = *scope.metrics;
  const Figures& f = m.figures();
  const auto as_asked = [&](std::uint64_t count, std::uint64_t whole) {
    return gate.unit == Unit::share ? static_cast<double>(count) / static_cast<double>(whole) : static_cast<double>(count);
  };
  if (gate.quantity == Quantity::requests) return static_cast<double>(f.requests);
  if (gate.quantity == Quantity::missed) {
    if (!scope.missed || (gate.unit == Unit::share && scope.asked.value_or(0) == 0)) return {};
    return as_asked(*scope.missed, scope.asked.value_or(1));
  }
  if (f.requests == 0) return {};
  switch (gate.quantity) {
    case Quantity::success:
      return f.success;
    case Quantity::errors:
      return as_asked(m.failed(), f.requests);
    case Quantity::code:
      return as_asked(with_codes(gate, f), f.requests);
    case Quantity::rate:
      if (gate.unit != Unit::share) return scope.sent_rate.value_or(f.rate);
      if (!scope.asked_rate || !scope.sent_rate || *scope.asked_rate <= 0) return {};
      return *scope.sent_rate / *scope.asked_rate;
    case Quantity::throughput:
      return f.throughput;
    case Quantity::bytes_in:
      return static_cast<double>(f.bytes_in.total);
    case Quantity::bytes_out:
      return static_cast<double>(f.bytes_out.total);
    default:
      return time_in(gate, m);
  }
}

bool holds(double value, Order order, double limit) {
  switch (order) {
    case Order::above:
      return value > limit;
    case Order::at_least:
      return value >= limit;
    case Order::below:
      return value < limit;
    case Order::at_most:
      return value <= limit;
    case Order::equal:
      return value == limit;
    case Order::unequal:
      return value != limit;
  }
  return true;
}

std::string shown(const Gate& gate, const std::optional<double>& value) {
  if (!value) return "no data";
  switch (gate.unit) {
    case Unit::time:
      return format_duration(round_for_report(Nanos(static_cast<std::int64_t>(*value))));
    case Unit::share:
      return fmt::format("{:.4g}%", *value * 100);
    case Unit::size:
      return format_size(static_cast<std::int64_t>(*value));
    case Unit::count:
      break;
  }
  return *value == std::floor(*value) ? fmt::format("{:.0f}", *value) : fmt::format("{:.2f}", *value);
}

}  // namespace

Expected<Gates> Gates::parse(std::span<const std::string> texts) {
  Gates out;
  for (const std::string& text : texts) {
    auto parsed = parse_gates(text);
    if (!parsed) return std::unexpected(parsed.error());
    for (Gate& gate : *parsed) {
      if (gate.url && std::ranges::find(out.urls_, *gate.url, &UrlScope::pattern) == out.urls_.end())
        out.urls_.push_back({*gate.url, TextPattern::glob(*gate.url, false), gate.url->starts_with('/'), {}});
      out.gates_.push_back(std::move(gate));
    }
  }
  return out;
}

std::optional<std::string> Gates::needs_whole_run() const {
  const auto needs = [](const Gate& g) { return g.stage || g.quantity == Quantity::missed || g.quantity == Quantity::rate; };
  const auto found = std::ranges::find_if(gates_, needs);
  return found == gates_.end() ? std::nullopt : std::optional(found->text);
}

bool Gates::looks_at_success() const {
  return std::ranges::any_of(gates_, [](const Gate& g) {
    return g.quantity == Quantity::success || g.quantity == Quantity::errors || g.quantity == Quantity::code;
  });
}

Nanos Gates::longest_time() const {
  double longest = 0;
  for (const Gate& g : gates_)
    if (g.unit == Unit::time) longest = std::max(longest, g.limit);
  return Nanos(static_cast<std::int64_t>(longest));
}

void Gates::add(std::span<const Result> results, const MetricsOptions& judging) {
  for (UrlScope& scope : urls_)
    for (const Result& r : results) {
      if (!scope.matcher.matches(scope.is_of_path ? view_of(r.url).path_and_query : r.url)) continue;
      if (!scope.metrics) scope.metrics.emplace(judging);
      scope.metrics->add(std::span(&r, 1));
    }
}

std::vector<Judged> Gates::judge(const Input& input) {
  for (UrlScope& scope : urls_)
    if (scope.metrics) scope.metrics->close();
  const Totals totals = totals_of(input.runs);
  std::vector<Judged> out;
  for (const Gate& gate : gates_) {
    Scope scope{&input.total, totals.missed, totals.asked, totals.rates.asked, totals.rates.sent};
    if (gate.url) {
      const auto url = std::ranges::find(urls_, *gate.url, &UrlScope::pattern);
      scope = {url->metrics ? &*url->metrics : nullptr, {}, {}, {}, {}};
    } else if (gate.stage) {
      scope = {};
      // Of several runs the stages can't be told apart by a number.
      if (input.runs.size() == 1 && *gate.stage < input.runs[0].stages.size()) {
        const StagePart& part = input.runs[0].stages[*gate.stage];
        const double seconds = static_cast<double>(part.length.count()) / 1e9, sent = static_cast<double>(part.metrics.requests());
        scope.metrics = &part.metrics;
        scope.asked = part.asked;
        if (part.asked) scope.missed = *part.asked - std::min(*part.asked, part.metrics.requests());
        if (seconds > 0) {
          scope.sent_rate = sent / seconds;
          if (part.asked) scope.asked_rate = static_cast<double>(*part.asked) / seconds;
        }
      }
    }
    const std::optional<double> value = value_of(gate, scope);
    out.push_back({gate.text, shown(gate, value), !value || holds(*value, gate.order, gate.limit), value.has_value()});
  }
  return out;
}

}  // namespace thrum::report
