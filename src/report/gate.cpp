#include "report/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "base/text.hpp"

namespace thrum::report {
namespace {

// Percentiles and code(…) are not among them.
constexpr std::array<std::pair<std::string_view, Gate::Quantity>, 12> kQuantities{{{"mean", Gate::Quantity::mean},
                                                                                   {"min", Gate::Quantity::min},
                                                                                   {"max", Gate::Quantity::max},
                                                                                   {"median", Gate::Quantity::percentile},
                                                                                   {"success", Gate::Quantity::success},
                                                                                   {"errors", Gate::Quantity::errors},
                                                                                   {"missed", Gate::Quantity::missed},
                                                                                   {"rate", Gate::Quantity::rate},
                                                                                   {"throughput", Gate::Quantity::throughput},
                                                                                   {"requests", Gate::Quantity::requests},
                                                                                   {"bytes_in", Gate::Quantity::bytes_in},
                                                                                   {"bytes_out", Gate::Quantity::bytes_out}}};

constexpr std::array<std::pair<std::string_view, Gate::Order>, 7> kOrders{{{">=", Gate::Order::at_least},
                                                                           {"<=", Gate::Order::at_most},
                                                                           {"==", Gate::Order::equal},
                                                                           {"!=", Gate::Order::unequal},
                                                                           {">", Gate::Order::above},
                                                                           {"<", Gate::Order::below},
                                                                           {"=", Gate::Order::equal}}};

bool is_time(Gate::Quantity q) {
  return q == Gate::Quantity::percentile || q == Gate::Quantity::mean || q == Gate::Quantity::min || q == Gate::Quantity::max;
}

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
      const auto times = std::ranges::find(kTimes, word.substr(0, dot), &Times::key);
      if (times != kTimes.end()) {
        gate.times = &*times;
        word.remove_prefix(dot + 1);
        at_ += dot + 1;
      }
    }
    if (word == "code") return code(gate);
    if (word.starts_with('p') && word.size() > 1 && word[1] >= '0' && word[1] <= '9') {
      const auto p = number_in(word.substr(1));
      if (!p || *p < 0 || *p > 100) return bad("a percentile is p0 to p100, as in p99.9");
      gate.quantity = Gate::Quantity::percentile;
      gate.percentile = *p;
    } else {
      const auto known = std::ranges::find(kQuantities, word, &std::pair<std::string_view, Gate::Quantity>::first);
      if (known == kQuantities.end())
        return bad(
            "expected p50, p99.9, mean, min, max, success, errors, missed, rate, throughput, requests, code(5xx), bytes_in or bytes_out");
      gate.quantity = known->second;
      gate.percentile = 50;
    }
    if (gate.times != &kTimes[0] && !is_time(gate.quantity)) return bad("only times have a clock, as in lag.p99");
    at_ += word.size();
    return {};
  }

  Expected<void> code(Gate& gate) {
    const std::size_t before = at_;
    at_ += 4;
    if (!rest().starts_with('(')) return bad("expected which codes, as in code(5xx)");
    const auto inner = brackets();
    if (!inner) return std::unexpected(inner.error());
    gate.quantity = Gate::Quantity::code;
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
      gate.unit = Gate::Unit::time;
      gate.limit = static_cast<double>(time->count());
      return {};
    }
    if (gate.quantity == Gate::Quantity::bytes_in || gate.quantity == Gate::Quantity::bytes_out) {
      const auto size = parse_size(text);
      if (!size || *size < 0) return bad("not a size; write it like 800000 or 1MB");
      gate.unit = Gate::Unit::size;
      gate.limit = static_cast<double>(*size);
      return {};
    }
    const bool is_share = text.ends_with('%');
    std::string_view digits = is_share ? trim(text.substr(0, text.size() - 1)) : text;
    const bool is_rate = gate.quantity == Gate::Quantity::rate || gate.quantity == Gate::Quantity::throughput;
    if (is_rate && digits.ends_with("/s")) digits.remove_suffix(2);
    const auto value = number_in(digits);
    if (!value) return bad("not a number; write it like 10, or 0.1%");
    if (is_share && (gate.quantity == Gate::Quantity::requests || gate.quantity == Gate::Quantity::throughput))
      return bad("a number is expected, not a share");
    if (!is_share && gate.quantity == Gate::Quantity::success) return bad("success is a share; write it like success<99.9%");
    gate.unit = is_share ? Gate::Unit::share : Gate::Unit::count;
    gate.limit = is_share ? *value / 100 : *value;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Expected<std::vector<Gate>> parse_gates(std::string_view text) {
  std::vector<Gate> out;
  for (const std::string_view part : parts_of(text)) {
    auto gate = Parser(part).parse();
    if (!gate) return std::unexpected(gate.error());
    if (gate->url && gate->stage)
      return usage_error(fmt::format("bad gate \"{}\": one of url(…) and stage(…)", printable_prefix(part, 80)));
    if (gate->url && gate->quantity == Gate::Quantity::missed)
      return usage_error(fmt::format("bad gate \"{}\": what was missed was sent to no URL", printable_prefix(part, 80)));
    out.push_back(std::move(*gate));
  }
  return out;
}

}  // namespace thrum::report
