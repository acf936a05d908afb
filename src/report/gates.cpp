#include "report/gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "base/text.hpp"
#include "measure/url_view.hpp"
#include "report/entries.hpp"
#include "report/judgement.hpp"

namespace thrum::report {
namespace {

using Clock = Gates::Clock;
using Gate = Gates::Gate;
using Order = Gates::Order;
using Quantity = Gates::Quantity;
using Unit = Gates::Unit;

constexpr std::array<std::pair<std::string_view, Clock>, 9> kClocks{{{"service", Clock::service},
                                                                     {"response", Clock::response},
                                                                     {"lag", Clock::lag},
                                                                     {"redirecting", Clock::redirecting},
                                                                     {"dns", Clock::dns},
                                                                     {"connect", Clock::connect},
                                                                     {"tls", Clock::tls},
                                                                     {"first_byte", Clock::first_byte},
                                                                     {"transfer", Clock::transfer}}};

// Percentiles and code(…) are not among them.
constexpr std::array<std::pair<std::string_view, Quantity>, 12> kQuantities{{{"mean", Quantity::mean},
                                                                             {"min", Quantity::min},
                                                                             {"max", Quantity::max},
                                                                             {"median", Quantity::percentile},
                                                                             {"success", Quantity::success},
                                                                             {"errors", Quantity::errors},
                                                                             {"missed", Quantity::missed},
                                                                             {"rate", Quantity::rate},
                                                                             {"throughput", Quantity::throughput},
                                                                             {"requests", Quantity::requests},
                                                                             {"bytes_in", Quantity::bytes_in},
                                                                             {"bytes_out", Quantity::bytes_out}}};

constexpr std::array<std::pair<std::string_view, Order>, 7> kOrders{{{">=", Order::at_least},
                                                                     {"<=", Order::at_most},
                                                                     {"==", Order::equal},
                                                                     {"!=", Order::unequal},
                                                                     {">", Order::above},
                                                                     {"<", Order::below},
                                                                     {"=", Order::equal}}};

bool is_time(Quantity q) { return q == Quantity::percentile || q == Quantity::mean || q == Quantity::min || q == Quantity::max; }

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

// A list of texts into single gates: a comma within brackets parts nothing.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool is_end = i == text.size();
    if (!is_end && text[i] == '(') ++depth;
    if (!is_end && text[i] == ')') --depth;
    if (!is_end && (text[i] != ',' || depth > 0)) continue;
    out.push_back(trim(text.substr(from, i - from)));
    from = i + 1;
  }
  return out;
}

// Reads one gate from left to right.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expected<Gate> parse() {
    Gate gate;
    gate.text = text_;
    for (auto done = scope(gate); !done || *done; done = scope(gate))
      if (!done) return std::unexpected(done.error());
    if (auto done = quantity(gate); !done) return std::unexpected(done.error());
    blanks();
    const auto order = std::ranges::find_if(kOrders, [&](const auto& o) { return rest().starts_with(o.first); });
    if (order == kOrders.end()) return bad("expected >, >=, <, <=, == or !=");
    gate.order = order->second;
    at_ += order->first.size();
    blanks();
    if (auto done = limit(gate); !done) return std::unexpected(done.error());
    return gate;
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  std::unexpected<Error> bad(std::string_view why) const {
    return usage_error(
        fmt::format("bad gate \"{}^{}\": {}", printable_prefix(text_.substr(0, at_), 80), printable_prefix(rest(), 80), why));
  }

  // "url(/api/*)." or "stage(3)."; false: there is none.
  Expected<bool> scope(Gate& gate) {
    for (const std::string_view word : {"url", "stage"}) {
      if (!rest().starts_with(word) || !rest().substr(word.size()).starts_with('(')) continue;
      at_ += word.size();
      auto inner = brackets();
      if (!inner) return std::unexpected(inner.error());
      if (word == "url") {
        if (inner->empty()) return bad("a pattern is missing, as in url(/api/*)");
        gate.url = *inner;
      } else {
        const auto number = number_in(*inner);
        if (!number || *number < 1 || *number > 1e6 || *number != std::floor(*number))
          return bad("stages are numbered from 1, as in stage(2)");
        gate.stage = static_cast<std::size_t>(*number) - 1;
      }
      if (!rest().starts_with('.')) return bad("expected a dot and what is measured, as in url(/api/*).p99>100ms");
      ++at_;
      return true;
    }
    return false;
  }

  // What stands between the ( that is next and its ).
  Expected<std::string> brackets() {
    const std::size_t from = at_ + 1;
    int depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      depth += text_[i] == '(' ? 1 : text_[i] == ')' ? -1 : 0;
      if (depth > 0) continue;
      at_ = i + 1;
      return std::string(trim(text_.substr(from, i - from)));
    }
    return bad("a ) is missing");
  }

  Expected<void> quantity(Gate& gate) {
    std::string_view word = rest().substr(0, rest().find_first_of("<>=!( "));
    if (const std::size_t dot = word.find('.'); dot != word.npos) {
      const auto clock = std::ranges::find(kClocks, word.substr(0, dot), &std::pair<std::string_view, Clock>::first);
      if (clock != kClocks.end()) {
        gate.clock = clock->second;
        word.remove_prefix(dot + 1);
        at_ += dot + 1;
      }
    }
    if (word == "code") return code(gate);
    if (word.starts_with('p') && word.size() > 1 && word[1] >= '0' && word[1] <= '9') {
      const auto p = number_in(word.substr(1));
      if (!p || *p < 0 || *p > 100) return bad("a percentile is p0 to p100, as in p99.9");
      gate.quantity = Quantity::percentile;
      gate.percentile = *p;
    } else {
      const auto known = std::ranges::find(kQuantities, word, &std::pair<std::string_view, Quantity>::first);
      if (known == kQuantities.end())
        return bad(
            "expected p50, p99.9, mean, min, max, success, errors, missed, rate, throughput, requests, code(5xx), bytes_in or bytes_out");
      gate.quantity = known->second;
      gate.percentile = 50;
    }
    if (gate.clock != Clock::service && !is_time(gate.quantity)) return bad("only times have a clock, as in lag.p99");
    at_ += word.size();
    return {};
  }

  Expected<void> code(Gate& gate) {
    const std::size_t before = at_;
    at_ += 4;
    if (!rest().starts_with('(')) return bad("expected which codes, as in code(5xx)");
    const auto inner = brackets();
    if (!inner) return std::unexpected(inner.error());
    gate.quantity = Quantity::code;
    gate.is_of_code_zero = *inner == "0";
    if (gate.is_of_code_zero) return {};
    auto codes = StatusSet::parse(*inner);
    if (!codes) {
      at_ = before;
      return bad(codes.error().text);
    }
    gate.codes = *codes;
    return {};
  }

  Expected<void> limit(Gate& gate) {
    const std::string_view text = trim(rest());
    if (text.empty()) return bad("a value is missing, as in p99>250ms");
    if (is_time(gate.quantity)) {
      const auto time = parse_duration(text);
      if (!time) return bad("not a time; write it like 250ms or 1.5s");
      gate.unit = Unit::time;
      gate.limit = static_cast<double>(time->count());
      return {};
    }
    if (gate.quantity == Quantity::bytes_in || gate.quantity == Quantity::bytes_out) {
      const auto size = parse_size(text);
      if (!size || *size < 0) return bad("not a size; write it like 800000 or 1MB");
      gate.unit = Unit::size;
      gate.limit = static_cast<double>(*size);
      return {};
    }
    const bool is_share = text.ends_with('%');
    std::string_view digits = is_share ? trim(text.substr(0, text.size() - 1)) : text;
    const bool is_rate = gate.quantity == Quantity::rate || gate.quantity == Quantity::throughput;
    if (is_rate && digits.ends_with("/s")) digits.remove_suffix(2);
    const auto value = number_in(digits);
    if (!value) return bad("not a number; write it like 10, or 0.1%");
    if (is_share && (gate.quantity == Quantity::requests || gate.quantity == Quantity::throughput))
      return bad("a number is expected, not a share");
    if (!is_share && gate.quantity == Quantity::success) return bad("success is a share; write it like success<99.9%");
    gate.unit = is_share ? Unit::share : Unit::count;
    gate.limit = is_share ? *value / 100 : *value;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// What a gate looks at.
struct Scope {
  const Metrics* metrics = nullptr;
  std::optional<std::uint64_t> missed, asked;
  std::optional<double> asked_rate, sent_rate;
};

const Histogram& times_of(const Metrics& m, Clock clock) {
  switch (clock) {
    case Clock::response:
      return m.response_latencies();
    case Clock::lag:
      return m.lags();
    case Clock::redirecting:
      return m.phases().redirecting;
    case Clock::dns:
      return m.phases().dns;
    case Clock::connect:
      return m.phases().connect;
    case Clock::tls:
      return m.phases().tls;
    case Clock::first_byte:
      return m.phases().first_byte;
    case Clock::transfer:
      return m.phases().transfer;
    case Clock::service:
      break;
  }
  return m.latencies();
}

std::optional<double> time_in(const Gate& gate, const Metrics& m) {
  const Histogram& h = times_of(m, gate.clock);
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

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

}  // namespace

Expected<Gates> Gates::parse(std::span<const std::string> texts) {
  Gates out;
  for (const std::string& text : texts) {
    for (const std::string_view part : parts_of(text)) {
      auto gate = Parser(part).parse();
      if (!gate) return std::unexpected(gate.error());
      if (gate->url && gate->stage)
        return usage_error(fmt::format("bad gate \"{}\": one of url(…) and stage(…)", printable_prefix(part, 80)));
      if (gate->url && gate->quantity == Quantity::missed)
        return usage_error(fmt::format("bad gate \"{}\": what was missed was sent to no URL", printable_prefix(part, 80)));
      if (gate->url && std::ranges::find(out.urls_, *gate->url, &UrlScope::pattern) == out.urls_.end())
        out.urls_.push_back({*gate->url, TextPattern::glob(*gate->url, false), gate->url->starts_with('/'), {}});
      out.gates_.push_back(std::move(*gate));
    }
  }
  return out;
}

bool Gates::has_stages() const {
  return std::ranges::any_of(gates_, [](const Gate& gate) { return gate.stage.has_value(); });
}

void Gates::add(std::span<const Result> results, const StatusSet& success) {
  for (UrlScope& scope : urls_)
    for (const Result& r : results) {
      if (!scope.matcher.matches(scope.is_of_path ? view_of(r.url).path_and_query : r.url)) continue;
      if (!scope.metrics) scope.metrics.emplace(MetricsOptions{success});
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
    out.push_back({gate.text, shown(gate, value), !value || holds(*value, gate.order, gate.limit)});
  }
  return out;
}

bool any_crossed(std::span<const Judged> judged) { return std::ranges::any_of(judged, &Judged::is_crossed); }

std::string gate_rows(std::span<const Judged> judged) {
  std::string out = fmt::format("{}\tValue\tResult\n", entry(Id::gates).label);
  for (const Judged& j : judged) out += fmt::format("{}\t{}\t{}\n", printable(j.gate), j.value, j.is_crossed ? "FAIL" : "pass");
  return out;
}

void gate_fields(std::span<const Judged> judged, JsonWriter& w) {
  w.begin_array();
  for (const Judged& j : judged)
    w.begin_object().key("gate").string(j.gate).key("value").string(j.value).key("passed").boolean(!j.is_crossed).end_object();
  w.end_array();
}

std::string junit(std::span<const Judged> judged) {
  const auto failed = std::ranges::count_if(judged, &Judged::is_crossed);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\">\n"
      "  <testsuite name=\"thrum\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"0\">\n",
      judged.size(), failed);
  for (const Judged& j : judged) {
    out += fmt::format("    <testcase classname=\"thrum.gates\" name=\"{}\"", xml(j.gate));
    out += j.is_crossed ? fmt::format(">\n      <failure message=\"{} came to {}\" type=\"gate\"></failure>\n    </testcase>\n",
                                      xml(j.gate), xml(j.value))
                        : "></testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace thrum::report
