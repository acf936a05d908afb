#include "load/rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace thrum::load {
namespace {

using Wide = __int128;
using Why = std::unexpected<std::string>;
constexpr std::int64_t kBillion = 1'000'000'000;

std::string too_high() { return fmt::format("too high, the highest rate is {}/s", kHighestRatePerSecond); }

// A plain decimal number in billionths: "1.5" -> 1'500'000'000.
std::expected<Wide, std::string> read_count(std::string_view s) {
  constexpr Wide kTooMany = static_cast<Wide>(kHighestRatePerSecond) * INT64_MAX;  // in any unit of time there is
  if (s.starts_with('-')) return Why("a rate can't be negative");
  if (s.starts_with('+')) s.remove_prefix(1);
  Wide value = 0;
  int decimals = -1;
  bool digits = false;
  for (const char c : s) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
    } else if (c >= '0' && c <= '9') {
      digits = true;
      if (decimals >= 9) return Why("at most nine decimals");
      value = value * 10 + (c - '0');
      if (decimals >= 0) ++decimals;
      if (value > kTooMany) return Why(too_high());
    } else {
      return Why("not a number");
    }
  }
  if (!digits) return Why("a number is missing");
  for (int i = std::max(decimals, 0); i < 9; ++i) value *= 10;
  return value;
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

std::expected<Nanos, std::string> read_unit(std::string_view unit) {
  if (unit.empty()) return Why("a time unit is missing after the /");
  const std::string full = std::isdigit(static_cast<unsigned char>(unit[0])) != 0 || unit[0] == '.' || unit[0] == '-' || unit[0] == '+'
                               ? std::string(unit)
                               : "1" + std::string(unit);
  const auto per = parse_duration(full);
  if (!per) return Why(fmt::format("\"{}\" is no time unit", printable_prefix(unit, 20)));
  if (per->count() <= 0) return Why("the time unit must be longer than 0");
  return *per;
}

std::expected<Rate, std::string> read_rate(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto count = read_count(text.substr(0, slash));
  if (!count) return Why(count.error());
  Nanos per(kBillion);
  if (slash != std::string_view::npos) {
    const auto unit = read_unit(text.substr(slash + 1));
    if (!unit) return Why(unit.error());
    per = *unit;
  }
  Wide hits = *count;
  if (hits > static_cast<Wide>(kHighestRatePerSecond) * per.count()) return Why(too_high());
  // Ten thousand million in an hour are no more than a thousand million in six minutes, which fit.
  for (; hits > INT64_MAX && hits % 10 == 0 && per.count() % 10 == 0; hits /= 10) per /= 10;
  if (hits > INT64_MAX) return Why("more digits than can be kept, take a shorter time unit");
  return Rate{static_cast<std::int64_t>(hits), per};
}

Rate rate_of(double per_second) { return {std::llround(per_second * 1e9), Nanos(kBillion)}; }

std::string rate_text(const Rate& rate) {
  const std::string unit = format_duration(rate.per);
  const std::string number = number_text(rate.nano_hits);
  if (unit == "1s") return number + "/s";
  if (unit == "1m0s") return number + "/m";
  if (unit == "1h0m0s") return number + "/h";
  return number + "/" + unit;
}

}  // namespace thrum::load
