// Wall-clock times as text: RFC 3339 with as many digits of a second as it needs, as Go writes and reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "thrum/result.hpp"

namespace thrum {

// "2023-11-14T22:13:20.5Z", "…+05:30"; no trailing zeros. What lies outside the years 0 … 9999 is
// written as the nearest time inside.
void append_rfc3339(Timestamp t, std::string& out);
std::string format_rfc3339(Timestamp t);

// A fraction beyond nanoseconds is cut off. "+00:00" is Timestamp::kLocalZero, "Z" is 0.
std::optional<Timestamp> parse_rfc3339(std::string_view text);

// The same, for many times that follow one another: what they have in common up to the minute is worked out once.
class TimeReader {
 public:
  std::optional<Timestamp> parse(std::string_view text);

 private:
  static constexpr std::size_t kMinute = 17;  // "2006-01-02T15:04:"
  char minute_[kMinute] = {};
  std::int64_t start_ = 0;  // of that minute, in UTC
};

// Whether RFC 3339 can say it: a year of four digits where it was written, less than a day from UTC.
constexpr bool has_rfc3339(Timestamp t) {
  constexpr std::int64_t kYearZero = -62'167'219'200, kYearTenThousand = 253'402'300'800;
  if (t.offset() <= -86'400 || t.offset() >= 86'400) return false;
  return t.seconds >= kYearZero && t.seconds < kYearTenThousand && t.seconds + t.offset() >= kYearZero &&
         t.seconds + t.offset() < kYearTenThousand;
}

// Go's zero time, which vegeta's files hold where a time is missing: year 1, UTC.
inline constexpr Timestamp kYearOne{-62'135'596'800, 0, 0};

// Nanoseconds since 1970 modulo 2^64, as Go's UnixNano gives them for years beyond 1677 … 2262, too.
constexpr std::int64_t unix_nanos(Timestamp t) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(t.seconds) * 1'000'000'000u + static_cast<std::uint64_t>(t.nanos));
}

}  // namespace thrum
