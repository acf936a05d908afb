// Rates and shapes: exact arithmetic on 128 bits, so that hit 10^9 is due to the nanosecond.
#include "thrum/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace thrum {
namespace {

using Wide = __int128;
constexpr std::int64_t kBillion = 1'000'000'000;

std::unexpected<Error> bad(std::string_view text, const std::string& why) {
  return usage_error(fmt::format("bad rate \"{}\": {}; write it like 100, 100/s, 1.5/s, 6/m, 50/100ms, or 0 for no limit",
                                 printable_prefix(text, 60), why));
}

std::unexpected<Error> too_high(std::string_view text) {
  return bad(text, fmt::format("too high, the highest rate is {}/s", kHighestRatePerSecond));
}

// A plain decimal number in billionths: "1.5" -> 1'500'000'000.
Expected<Wide> parse_count(std::string_view text, std::string_view number) {
  constexpr Wide kTooMany = static_cast<Wide>(kHighestRatePerSecond) * INT64_MAX;  // in any unit of time there is
  std::string_view s = number;
  if (s.starts_with('-')) return bad(text, "a rate can't be negative");
  if (s.starts_with('+')) s.remove_prefix(1);
  Wide value = 0;
  int decimals = -1;
  bool digits = false;
  for (const char c : s) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
    } else if (c >= '0' && c <= '9') {
      digits = true;
      if (decimals >= 9) return bad(text, "at most nine decimals");
      value = value * 10 + (c - '0');
      if (decimals >= 0) ++decimals;
      if (value > kTooMany) return too_high(text);
    } else {
      return bad(text, "not a number");
    }
  }
  if (!digits) return bad(text, "a number is missing");
  for (int i = std::max(decimals, 0); i < 9; ++i) value *= 10;
  return value;
}

// "s", "1s", "100ms", "m": a duration whose number may be missing.
Expected<Nanos> parse_unit(std::string_view text, std::string_view unit) {
  if (unit.empty()) return bad(text, "a time unit is missing after the /");
  const std::string full = std::isdigit(static_cast<unsigned char>(unit[0])) != 0 || unit[0] == '.' || unit[0] == '-' || unit[0] == '+'
                               ? std::string(unit)
                               : "1" + std::string(unit);
  const auto per = parse_duration(full);
  if (!per) return bad(text, fmt::format("\"{}\" is no time unit", printable_prefix(unit, 20)));
  if (per->count() <= 0) return bad(text, "the time unit must be longer than 0");
  return *per;
}

std::string number_text(std::int64_t nano_hits) {
  std::string s = fmt::format("{}", nano_hits / kBillion);
  if (const std::int64_t rest = nano_hits % kBillion; rest != 0) {
    std::string decimals = fmt::format("{:09}", rest);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    s += "." + decimals;
  }
  return s;
}

}  // namespace

Shape Shape::constant(Rate rate) {
  Shape s;
  s.rate_ = rate;
  return s;
}

Shape Shape::closed() {
  Shape s;
  s.closed_ = true;
  return s;
}

// due(n) = floor(n * per * 10^9 / nano_hits)
Nanos Shape::due(std::uint64_t n) const {
  const Wide scaled = static_cast<Wide>(n) * rate_.per.count();
  if (scaled > (static_cast<Wide>(1) << 126) / kBillion) return Nanos::max();
  const Wide at = scaled * kBillion / rate_.nano_hits;
  return at > static_cast<Wide>(INT64_MAX) ? Nanos::max() : Nanos(static_cast<std::int64_t>(at));
}

// The least n with due(n) >= t, that is ceil(t * rate) up to the rounding down in due().
std::uint64_t Shape::hits_before(Nanos t) const {
  if (t.count() <= 0) return 0;
  const Wide per = static_cast<Wide>(rate_.per.count()) * kBillion;
  const Wide n = (static_cast<Wide>(t.count()) * rate_.nano_hits + per - 1) / per;
  if (n > static_cast<Wide>(INT64_MAX)) return INT64_MAX;
  return static_cast<std::uint64_t>(n);
}

double Shape::rate_at(Nanos) const { return closed_ ? 0 : rate_.per_second(); }

std::string Shape::text() const {
  if (closed_) return "0";
  const std::string unit = format_duration(rate_.per);
  if (unit == "1s") return number_text(rate_.nano_hits) + "/s";
  if (unit == "1m0s") return number_text(rate_.nano_hits) + "/m";
  if (unit == "1h0m0s") return number_text(rate_.nano_hits) + "/h";
  return number_text(rate_.nano_hits) + "/" + unit;
}

Expected<Shape> parse_shape(std::string_view text) {
  if (text == "infinity" || text == "max" || text == "unlimited") return Shape::closed();
  const std::size_t slash = text.find('/');
  const auto count = parse_count(text, text.substr(0, slash));
  if (!count) return std::unexpected(count.error());
  Nanos per(kBillion);
  if (slash != std::string_view::npos) {
    const auto unit = parse_unit(text, text.substr(slash + 1));
    if (!unit) return std::unexpected(unit.error());
    per = *unit;
  }
  if (*count == 0) return Shape::closed();
  Wide hits = *count;
  if (hits > static_cast<Wide>(kHighestRatePerSecond) * per.count()) return too_high(text);
  // Ten thousand million in an hour are no more than a thousand million in six minutes, which fit.
  for (; hits > INT64_MAX && hits % 10 == 0 && per.count() % 10 == 0; hits /= 10) per /= 10;
  if (hits > INT64_MAX) return bad(text, "more digits than can be kept, take a shorter time unit");
  return Shape::constant({static_cast<std::int64_t>(hits), per});
}

}  // namespace thrum
