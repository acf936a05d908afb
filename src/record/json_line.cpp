#include "record/json_line.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "base/timestamp.hpp"
#include "record/base64.hpp"
#include "record/decoder.hpp"

namespace thrum {
namespace {

constexpr std::array<std::string_view, 16> kOutcomes = {"ok",          "bad_status", "dns",       "connect", "tls", "proxy",
                                                        "send",        "response",   "truncated", "timeout", "cut", "client_limit",
                                                        "expectation", "redirect",   "unknown",   "expected"};

// What a result's line may say: first vegeta's keys in its order, then ours (docs/results-format.md lists them).
enum class Key : std::uint8_t {
  attack,
  seq,
  code,
  timestamp,
  latency,
  bytes_out,
  bytes_in,
  error,
  body,
  method,
  url,
  headers,
  lag,
  first_byte,
  dns,
  connect,
  tls,
  seen_status,
  retries,
  redirects,
  redirecting,
  outcome,
  warmup,
  name,
  unknown,
};
constexpr std::array<std::string_view, 24> kKeys = {"attack",   "seq",        "code",        "timestamp", "latency", "bytes_out",
                                                    "bytes_in", "error",      "body",        "method",    "url",     "headers",
                                                    "lag",      "first_byte", "dns",         "connect",   "tls",     "seen_status",
                                                    "retries",  "redirects",  "redirecting", "outcome",   "warmup",  "name"};
static_assert(kKeys.size() == static_cast<std::size_t>(Key::unknown));

// The first quote or backslash at or after p.
const char* find_quote(const char* p, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const auto zeros = [](std::uint64_t v) { return (v - kOnes) & ~v & kHighs; };
  for (; end - p >= 8; p += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    const std::uint64_t hits = zeros(word ^ (kOnes * '"')) | zeros(word ^ (kOnes * '\\'));
    if constexpr (std::endian::native == std::endian::little) {
      if (hits != 0) return p + std::countr_zero(hits) / 8;
    } else if (hits != 0) {
      break;
    }
  }
  while (p != end && *p != '"' && *p != '\\') ++p;
  return p;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four digits at p as a number, -1 if they are not.
int hex_quad(const char* p, const char* end) {
  if (end - p < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int d = hex_digit(p[i]);
    if (d < 0) return -1;
    value = value << 4 | d;
  }
  return value;
}

char* append_utf8(std::uint32_t c, char* into) {
  const auto put = [&](std::uint32_t byte) { *into++ = static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6), put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f)), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
  }
  return into;
}

}  // namespace

std::string_view name_of(Outcome o) {
  const auto index = static_cast<std::size_t>(o);
  return kOutcomes[index < kOutcomes.size() ? index : static_cast<std::size_t>(Outcome::unknown)];
}

const char* JsonLineParser::parse(std::string_view line, Result& into, Scratch& scratch) {
  begin_ = at_ = line.data();
  end_ = at_ + line.size();
  error_ = nullptr;
  seen_ = 0;
  repeated_ = nullptr;
  scratch_ = &scratch;
  into = Result{};
  into.timestamp = kYearOne;
  into.outcome = Outcome::unknown;
  skip_blank();
  if (!take_null()) parse_object(into);
  skip_blank();
  if (error_ == nullptr && at_ != end_) fail("more than one value on the line");
  check_for_damage();
  if (into.outcome == Outcome::unknown) into.outcome = outcome_of(into.code, into.error);
  return error_;
}

// A line can be JSON and yet be wrong: where a range across a line's end went missing, or became zeros, one line was two. Then
// keys come again, the time's among them or beside them, whichever range it was.
void JsonLineParser::check_for_damage() {
  if (error_ != nullptr) return;
  if (const void* const nul = begin_ == end_ ? nullptr : std::memchr(begin_, 0, static_cast<std::size_t>(end_ - begin_))) {
    at_ = static_cast<const char*>(nul);
    fail("a NUL byte");
  } else if (repeated_ != nullptr && (seen_ >> static_cast<unsigned>(Key::timestamp) & 1) != 0) {
    at_ = repeated_;
    fail("a key comes twice, as when two lines have become one");
  }
}

void JsonLineParser::parse_object(Result& into) {
  expect('{', "not a JSON object");
  bool first = !parse_usual_members(into);
  skip_blank();
  if (take('}')) return;
  while (error_ == nullptr) {
    if (!std::exchange(first, false)) expect(',', "a comma or the object's end was expected");
    skip_blank();
    if (at_ == end_ || *at_ != '"') return fail("a key was expected");
    const std::string_view key = parse_string();
    skip_blank();
    expect(':', "a colon was expected");
    skip_blank();
    if (error_ == nullptr) parse_member(key, into);
    skip_blank();
    if (take('}')) return;
  }
}

// The keys in the order and the spelling in which vegeta writes them, and then thrum, as far as they come so: most lines in one go.
// False: none did.
bool JsonLineParser::parse_usual_members(Result& into) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (!take_key("\"attack\":", 0)) return false;
  if (!take_null()) parse_text(into.attack);
  if (!take_key(",\"seq\":", 1)) return true;
  if (!take_null()) into.seq = parse_unsigned(kMost);
  if (!take_key(",\"code\":", 2)) return true;
  if (!take_null()) into.code = static_cast<std::uint16_t>(parse_unsigned(0xffff));
  if (!take_key(",\"timestamp\":", 3)) return true;
  if (!take_null()) into.timestamp = parse_time();
  if (!take_key(",\"latency\":", 4)) return true;
  if (!take_null()) into.latency = Nanos(parse_signed());
  if (!take_key(",\"bytes_out\":", 5)) return true;
  if (!take_null()) into.bytes_out = parse_unsigned(kMost);
  if (!take_key(",\"bytes_in\":", 6)) return true;
  if (!take_null()) into.bytes_in = parse_unsigned(kMost);
  if (!take_key(",\"error\":", 7)) return true;
  if (!take_null()) parse_text(into.error);
  if (!take_key(",\"body\":", 8)) return true;
  if (!take_null()) parse_body(into);
  if (!take_key(",\"method\":", 9)) return true;
  if (!take_null()) parse_text(into.method);
  if (!take_key(",\"url\":", 10)) return true;
  if (!take_null()) parse_text(into.url);
  if (!take_key(",\"headers\":", 11)) return true;
  if (!take_null()) parse_headers(into);
  const auto time = [&](Nanos& field) {
    if (!take_null()) field = Nanos(parse_signed());
  };
  if (take_key(",\"lag\":", 12)) time(into.lag);
  if (take_key(",\"first_byte\":", 13)) time(into.first_byte);
  if (take_key(",\"dns\":", 14)) time(into.dns);
  if (take_key(",\"connect\":", 15)) time(into.connect);
  if (take_key(",\"tls\":", 16)) time(into.tls);
  return true;
}

void JsonLineParser::parse_text(std::string_view& field) {
  if (at_ == end_ || *at_ != '"') return fail("a string was expected");
  field = parse_string();
}

void JsonLineParser::parse_member(std::string_view key, Result& into) {
  const auto found = std::find(kKeys.begin(), kKeys.end(), key);
  const auto place = static_cast<std::size_t>(found - kKeys.begin());
  if (found != kKeys.end()) {
    if ((seen_ >> place & 1) != 0 && repeated_ == nullptr) repeated_ = at_;
    seen_ |= std::uint32_t{1} << place;
  }
  if (take_null()) return;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto time = [&](Nanos& field) { field = Nanos(parse_signed()); };
  switch (static_cast<Key>(place)) {
    case Key::attack:
      return parse_text(into.attack);
    case Key::seq:
      return void(into.seq = parse_unsigned(kMost));
    case Key::code:
      return void(into.code = static_cast<std::uint16_t>(parse_unsigned(0xffff)));
    case Key::timestamp:
      return void(into.timestamp = parse_time());
    case Key::latency:
      return time(into.latency);
    case Key::bytes_out:
      return void(into.bytes_out = parse_unsigned(kMost));
    case Key::bytes_in:
      return void(into.bytes_in = parse_unsigned(kMost));
    case Key::error:
      return parse_text(into.error);
    case Key::body:
      return parse_body(into);
    case Key::method:
      return parse_text(into.method);
    case Key::url:
      return parse_text(into.url);
    case Key::headers:
      return parse_headers(into);
    case Key::lag:
      return time(into.lag);
    case Key::first_byte:
      return time(into.first_byte);
    case Key::dns:
      return time(into.dns);
    case Key::connect:
      return time(into.connect);
    case Key::tls:
      return time(into.tls);
    case Key::seen_status:
      return void(into.seen_status = static_cast<std::uint16_t>(parse_unsigned(0xffff)));
    case Key::retries:
      return void(into.retries = static_cast<std::uint8_t>(parse_unsigned(0xff)));
    case Key::redirects:
      return void(into.redirects = static_cast<std::uint16_t>(parse_unsigned(0xffff)));
    case Key::redirecting:
      return time(into.redirecting);
    case Key::outcome:
      return parse_outcome(into);
    case Key::warmup:
      into.is_warmup = at_ != end_ && *at_ == 't';
      break;
    case Key::name:
      if (at_ != end_ && *at_ == '"') return parse_text(into.name);
      break;  // somebody else's
    case Key::unknown:
      break;
  }
  skip_value();
}

void JsonLineParser::parse_outcome(Result& into) {
  std::string_view name;
  parse_text(name);
  const auto found = std::find(kOutcomes.begin(), kOutcomes.end(), name);
  if (found != kOutcomes.end()) into.outcome = static_cast<Outcome>(found - kOutcomes.begin());
}

void JsonLineParser::parse_headers(Result& into) {
  headers_.clear();
  expect('{', "headers must be an object");
  skip_blank();
  if (!take('}')) {
    while (error_ == nullptr) {
      skip_blank();
      if (at_ == end_ || *at_ != '"') return fail("a header's name was expected");
      const std::string_view name = parse_string();
      skip_blank();
      expect(':', "a colon was expected");
      skip_blank();
      if (error_ == nullptr) forget_header(name);
      if (error_ == nullptr) parse_header_values(name);
      skip_blank();
      if (take('}')) break;
      expect(',', "a comma or the object's end was expected");
    }
  }
  if (error_ != nullptr) return;
  into.has_headers = true;
  into.headers = scratch_->copy(std::span<const Header>(headers_));
}

void JsonLineParser::parse_header_values(std::string_view name) {
  if (take_null()) return headers_.push_back({name, "null", true});
  expect('[', "a list of a header's values was expected");
  skip_blank();
  if (take(']')) return headers_.push_back({name, {}, true});
  while (error_ == nullptr) {
    skip_blank();
    if (at_ == end_ || *at_ != '"') return fail("a header's value must be a string");
    headers_.push_back({name, parse_string(), false});
    skip_blank();
    if (take(']')) return;
    expect(',', "a comma or the list's end was expected");
  }
}

// A name that comes again replaces what it said before, as in a map.
void JsonLineParser::forget_header(std::string_view name) {
  constexpr std::size_t kMany = 1024;  // beyond what any server sends: repeated names may then stand side by side
  if (headers_.size() < kMany) std::erase_if(headers_, [&](const Header& h) { return h.name == name; });
}

std::string_view JsonLineParser::parse_string() {
  const char* const from = at_ + 1;
  const char* const p = find_quote(from, end_);
  if (p == end_) return fail("a string has no end"), std::string_view();
  if (*p == '\\') return unescape(from, p);
  at_ = p + 1;
  return {from, static_cast<std::size_t>(p - from)};
}

std::string_view JsonLineParser::unescape(const char* from, const char* first_escape) {
  const std::size_t room = static_cast<std::size_t>(end_ - from);  // escapes never grow
  char* const start = scratch_->take(room);
  char* into = start;
  at_ = first_escape;
  const char* copied = from;
  for (;;) {
    std::memcpy(into, copied, static_cast<std::size_t>(at_ - copied));
    into += at_ - copied;
    if (at_ == end_ || *at_ == '"') break;
    into = parse_escape(into);
    if (error_ != nullptr) return {};
    copied = at_;
    at_ = find_quote(at_, end_);
  }
  scratch_->give_back(room - static_cast<std::size_t>(into - start));
  if (at_ == end_) return fail("a string has no end"), std::string_view();
  ++at_;
  return {start, static_cast<std::size_t>(into - start)};
}

// at_ on a backslash; moves it behind the escape.
char* JsonLineParser::parse_escape(char* into) {
  constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  if (end_ - at_ < 2) return fail("a string has no end"), into;
  if (at_[1] != 'u') {
    const std::size_t i = kNames.find(at_[1]);
    if (i == std::string_view::npos) return fail("no such escape"), into;
    *into = kMeant[i];
    at_ += 2;
    return into + 1;
  }
  const int first = hex_quad(at_ + 2, end_);
  if (first < 0) return fail("\\u needs four hexadecimal digits"), into;
  at_ += 6;
  auto point = static_cast<std::uint32_t>(first);
  if (point >= 0xd800 && point < 0xe000) {  // half a pair stands for nothing, and is shown as such
    const int second = point < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u' ? hex_quad(at_ + 2, end_) : -1;
    if (second >= 0xdc00 && second < 0xe000) {
      at_ += 6;
      point = 0x10000 + ((point - 0xd800) << 10) + (static_cast<std::uint32_t>(second) - 0xdc00);
    } else {
      point = 0xfffd;
    }
  }
  return append_utf8(point, into);
}

std::uint64_t JsonLineParser::parse_unsigned(std::uint64_t most) {
  const char* const from = at_;
  constexpr std::ptrdiff_t kSafe = 19;  // digits that 64 bits hold in any case
  const char* const safe = end_ - at_ < kSafe ? end_ : at_ + kSafe;
  const char* p = at_;
  std::uint64_t value = 0;
  for (; p != safe && *p >= '0' && *p <= '9'; ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
  bool too_large = false;
  for (at_ = p; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
    const auto digit = static_cast<std::uint64_t>(*at_ - '0');
    too_large |= __builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, digit, &value);
  }
  if (at_ == from) {
    fail("a whole number was expected");
  } else if (at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E')) {
    fail("a whole number was expected");
  } else if (too_large || value > most) {
    at_ = from;
    fail("the number is too large");
  }
  return value;
}

std::int64_t JsonLineParser::parse_signed() {
  const bool negative = take('-');
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1 : 0);
  const std::uint64_t value = parse_unsigned(most);
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

Timestamp JsonLineParser::parse_time() {
  const char* const from = at_;
  if (at_ == end_ || *at_ != '"') return fail("a time in a string was expected"), Timestamp();
  const std::string_view text = parse_string();
  const auto time = error_ == nullptr ? times_.parse(text) : std::nullopt;
  if (time) return *time;
  if (error_ == nullptr) at_ = from, fail("not a time like 2006-01-02T15:04:05Z");
  return {};
}

void JsonLineParser::parse_body(Result& into) {
  const char* const from = at_;
  if (at_ == end_ || *at_ != '"') return fail("a base64 string was expected");
  const std::string_view text = parse_string();
  if (error_ != nullptr) return;
  const std::size_t room = text.size() / 4 * 3 + 6;
  char* const bytes = scratch_->take(room);
  const auto size = decode_base64(text, bytes);
  if (!size) return at_ = from, fail("the body is not base64");
  scratch_->give_back(room - *size);
  into.body = std::string_view(bytes, *size);
}

// Any value: brackets and strings are followed, the rest is not looked at.
void JsonLineParser::skip_value() {
  std::size_t depth = 0;
  const char* const from = at_;
  while (at_ != end_ && error_ == nullptr) {
    const char c = *at_;
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
    if (c == '"') {
      const char* p = at_ + 1;
      while ((p = find_quote(p, end_)) != end_ && *p == '\\') p += end_ - p > 1 ? 2 : 1;
      if (p == end_) return fail("a string has no end");
      at_ = p + 1;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at_;
  }
  if (at_ == from) fail("a value was expected");
  if (depth != 0) fail("the line ends too early");
}

void JsonLineParser::expect(char c, const char* otherwise) {
  if (take(c)) return;
  if (error_ == nullptr) fail(at_ == end_ ? "the line ends too early" : otherwise);
}

void JsonLineParser::fail(const char* why) {
  if (error_ == nullptr) error_ = why;
}

}  // namespace thrum
