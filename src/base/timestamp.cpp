#include "base/timestamp.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace thrum {
namespace {

constexpr std::int64_t kYearZero = -62'167'219'200, kYearTenThousand = 253'402'300'799;

void append_digits(std::string& out, std::int64_t value, int width) {
  char digits[20];
  int n = 0;
  for (auto v = static_cast<std::uint64_t>(value); v != 0 || n < width; v /= 10) digits[n++] = static_cast<char>('0' + v % 10);
  while (n > 0) out += digits[--n];
}

struct Cursor {
  std::string_view rest;
  bool failed = false;

  int digits(std::size_t n, int least, int most) {
    int value = 0;
    if (rest.size() < n) return failed = true, 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (rest[i] < '0' || rest[i] > '9') return failed = true, 0;
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(n);
    failed |= value < least || value > most;
    return value;
  }
  void expect(char c) {
    if (!take(c)) failed = true;
  }
  bool take(char c) {
    if (rest.empty() || rest[0] != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  std::int32_t fraction() {  // of a second, after its point
    std::int32_t value = 0, unit = 100'000'000;
    std::size_t i = 0;
    for (; i < rest.size() && rest[i] >= '0' && rest[i] <= '9'; ++i, unit /= 10) value += unit * (rest[i] - '0');
    failed |= i == 0;
    rest.remove_prefix(i);
    return value;
  }
};

}  // namespace

void append_rfc3339(Timestamp t, std::string& out) {
  const std::int64_t local = std::clamp(t.seconds, kYearZero, kYearTenThousand) + t.offset();
  const std::int64_t day = (local >= 0 ? local : local - 86'399) / 86'400;
  const std::int64_t second = local - day * 86'400;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  append_digits(out, std::max(0, static_cast<int>(date.year())), 4);
  out += '-';
  append_digits(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_digits(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_digits(out, second / 3600, 2);
  out += ':';
  append_digits(out, second / 60 % 60, 2);
  out += ':';
  append_digits(out, second % 60, 2);
  if (t.nanos != 0) {
    out += '.';
    append_digits(out, t.nanos, 9);
    while (out.back() == '0') out.pop_back();
  }
  const std::int32_t minutes = t.offset() / 60;
  if (t.offset() == 0) {
    out += 'Z';
    return;
  }
  out += t.offset() < 0 ? '-' : '+';
  append_digits(out, (minutes < 0 ? -minutes : minutes) / 60, 2);
  out += ':';
  append_digits(out, (minutes < 0 ? -minutes : minutes) % 60, 2);
}

std::string format_rfc3339(Timestamp t) {
  std::string out;
  append_rfc3339(t, out);
  return out;
}

std::optional<Timestamp> parse_rfc3339(std::string_view text) {
  Cursor at{text};
  const int year = at.digits(4, 0, 9999);
  at.expect('-');
  const int month = at.digits(2, 1, 12);
  at.expect('-');
  const int day = at.digits(2, 1, 31);
  at.expect('T');
  const int hour = at.digits(2, 0, 23);
  at.expect(':');
  const int minute = at.digits(2, 0, 59);
  at.expect(':');
  const int second = at.digits(2, 0, 59);
  const std::int32_t nanos = at.take('.') ? at.fraction() : 0;
  std::int32_t zone = 0;
  if (!at.take('Z')) {
    const bool west = at.take('-');
    if (!west) at.expect('+');
    const int hours = at.digits(2, 0, 23);
    at.expect(':');
    zone = (hours * 60 + at.digits(2, 0, 59)) * (west ? -60 : 60);
    if (zone == 0) zone = Timestamp::kLocalZero;
  }
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (at.failed || !at.rest.empty() || !date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  Timestamp t{days * 86'400 + hour * 3600 + minute * 60 + second, nanos, zone};
  t.seconds -= t.offset();
  return t;
}

std::optional<Timestamp> TimeReader::parse(std::string_view text) {
  constexpr std::size_t kFraction = kMinute + 3;  // past "05."
  const auto digit = [&](std::size_t i) { return static_cast<unsigned>(text[i] - '0'); };
  const bool is_usual = text.size() > kFraction && text.size() <= kFraction + 10 && text.back() == 'Z';
  if (is_usual && std::memcmp(text.data(), minute_, kMinute) == 0 && text[kMinute + 2] == '.') {
    const unsigned tens = digit(kMinute), ones = digit(kMinute + 1);
    bool is_fine = tens < 6 && ones < 10 && text.size() > kFraction + 1;
    unsigned nanos = 0, unit = 100'000'000;
    for (std::size_t i = kFraction; i + 1 < text.size(); ++i, unit /= 10) {
      is_fine &= digit(i) < 10;
      nanos += unit * digit(i);
    }
    if (is_fine) return Timestamp{start_ + tens * 10 + ones, static_cast<std::int32_t>(nanos), 0};
  }
  const auto time = parse_rfc3339(text);
  if (time && is_usual) {
    std::memcpy(minute_, text.data(), kMinute);
    const std::int64_t second = digit(kMinute) * 10 + digit(kMinute + 1);
    start_ = time->seconds - second;
  }
  return time;
}

}  // namespace thrum
