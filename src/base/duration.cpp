#include "base/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>

#include "base/text.hpp"

namespace thrum {
namespace {

constexpr std::int64_t kUs = 1'000, kMs = 1'000'000, kS = 1'000'000'000, kMin = 60 * kS, kHour = 60 * kMin;

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};
constexpr std::array<Unit, 8> kUnits{
    {{"ns", 1}, {"us", kUs}, {"\u00b5s", kUs}, {"\u03bcs", kUs}, {"ms", kMs}, {"s", kS}, {"m", kMin}, {"h", kHour}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::unexpected<Error> bad(std::string_view text, std::string_view why) {
  return usage_error(fmt::format("bad duration \"{}\": {}; write it like 300ms, 10s, 1m30s", printable_prefix(text, 60), why));
}

// value with the fraction's trailing zeros gone: 1500, 1000 -> "1.5"
std::string decimal(std::uint64_t value, std::uint64_t unit, std::string_view name) {
  std::string out = fmt::format("{}", value / unit);
  if (std::uint64_t rest = value % unit; rest != 0) {
    std::string digits = fmt::format("{}", unit + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += '.';
    out += digits;
  }
  out += name;
  return out;
}

}  // namespace

Expected<Nanos> parse_duration(std::string_view text) {
  std::string_view s = text;
  bool negative = false;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    negative = s[0] == '-';
    s.remove_prefix(1);
  }
  if (s == "0") return Nanos(0);
  if (s.empty()) return bad(text, "no number");
  // The sum is held below 2^63 at every step, so nothing overflows.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  std::uint64_t total = 0;
  while (!s.empty()) {
    if (!is_digit(s[0]) && s[0] != '.') return bad(text, "a number is missing");
    unsigned __int128 whole = 0;
    bool digits = false;
    while (!s.empty() && is_digit(s[0])) {
      whole = whole * 10 + static_cast<unsigned>(s[0] - '0');
      if (whole > kMost) return bad(text, "too long (the longest is about 292 years)");
      digits = true;
      s.remove_prefix(1);
    }
    std::uint64_t fraction = 0, scale = 1;
    if (!s.empty() && s[0] == '.') {
      s.remove_prefix(1);
      while (!s.empty() && is_digit(s[0])) {
        if (scale < 1'000'000'000'000'000'000) {  // what is finer is lost, as in Go
          fraction = fraction * 10 + static_cast<unsigned>(s[0] - '0');
          scale *= 10;
        }
        digits = true;
        s.remove_prefix(1);
      }
    }
    if (!digits) return bad(text, "a number is missing");
    std::size_t length = 0;
    while (length < s.size() && s[length] != '.' && !is_digit(s[length])) ++length;
    if (length == 0) return bad(text, "a unit is missing");
    const std::string_view name = s.substr(0, length);
    const Unit* unit = nullptr;
    for (const Unit& u : kUnits)
      if (u.name == name) unit = &u;
    if (unit == nullptr) return bad(text, fmt::format("unknown unit \"{}\"", printable_prefix(name, 20)));
    s.remove_prefix(length);
    unsigned __int128 value = whole * static_cast<std::uint64_t>(unit->nanos);
    value +=
        static_cast<unsigned __int128>(static_cast<double>(fraction) * (static_cast<double>(unit->nanos) / static_cast<double>(scale)));
    if (value + total > kMost) return bad(text, "too long (the longest is about 292 years)");
    total += static_cast<std::uint64_t>(value);
  }
  if (negative) return Nanos(static_cast<std::int64_t>(-total));
  if (total == kMost) return bad(text, "too long (the longest is about 292 years)");
  return Nanos(static_cast<std::int64_t>(total));
}

std::string format_duration(Nanos d) {
  const std::int64_t n = d.count();
  if (n == 0) return "0s";
  const std::uint64_t u = n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  std::string out = n < 0 ? "-" : "";
  if (u < static_cast<std::uint64_t>(kUs)) return out + decimal(u, 1, "ns");
  if (u < static_cast<std::uint64_t>(kMs)) return out + decimal(u, kUs, "\u00b5s");
  if (u < static_cast<std::uint64_t>(kS)) return out + decimal(u, kMs, "ms");
  const std::uint64_t hours = u / kHour, minutes = u % kHour / kMin;
  if (hours > 0) out += fmt::format("{}h", hours);
  if (hours > 0 || minutes > 0) out += fmt::format("{}m", minutes);
  return out + decimal(u % kMin, kS, "s");
}

Nanos round_for_report(Nanos d) {
  const std::int64_t n = d.count();
  struct Step {
    std::int64_t at_least, to;
  };
  constexpr std::array<Step, 5> kSteps{{{kHour, kMin}, {kMin, kS}, {kS, kMs}, {kMs, kUs}, {kUs, 1}}};
  for (const Step& step : kSteps) {
    if (n < step.at_least) continue;
    const std::int64_t rest = n % step.to;
    if (rest < step.to - rest) return Nanos(n - rest);
    const __int128 up = static_cast<__int128>(n) + (step.to - rest);
    return up > std::numeric_limits<std::int64_t>::max() ? Nanos::max() : Nanos(static_cast<std::int64_t>(up));
  }
  return d;
}

}  // namespace thrum
