#include "targets/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "targets/space.hpp"

namespace thrum::targets {
namespace {

constexpr std::size_t kDeepest = 1000;  // brackets in a value that nobody reads

bool ends_run(char c) { return c == '"' || c == '\\' || c == '\n'; }

// The first quote, backslash or line end in [p, end), or end: eight bytes at a time, since a body may be long.
const char* find_run_end(const char* p, const char* end) {
  constexpr std::uint64_t ones = 0x0101010101010101, high = ones << 7;
  const auto has = [](std::uint64_t bytes, unsigned char c) {  // the high bit of each byte that is c, and perhaps of bytes above it
    const std::uint64_t zero = bytes ^ (ones * c);
    return (zero - ones) & ~zero & high;
  };
  for (; end - p >= 8; p += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    if (has(bytes, '"') | has(bytes, '\\') | has(bytes, '\n')) break;
  }
  while (p != end && !ends_run(*p)) ++p;
  return p;
}

bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(int c) { return c >= '0' && c <= '9'; }

}  // namespace

// Reads on. What is not taken yet, from at_ on, stays, though it moves. false: there is no more.
bool JsonReader::more() {
  if (input_.total() - value_from_ > kLongest) return fault("a target longer than 64 MiB");
  input_.take(static_cast<std::size_t>(at_ - from_));
  const bool any = input_.fill();
  at_ = from_ = input_.rest().data();
  end_ = at_ + input_.rest().size();
  return any;
}

int JsonReader::get() {
  if (at_ == end_ && !more()) return kEnd;
  return static_cast<unsigned char>(*at_++);
}

// Passes over white space as far as there are bytes. false: they have run out.
bool JsonReader::skip_blanks() {
  for (; at_ != end_; ++at_) {
    if (*at_ == '\n')
      ++line_;
    else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r')
      return true;
  }
  return false;
}

int JsonReader::peek() {
  while (!skip_blanks())
    if (!more()) return kEnd;
  return static_cast<unsigned char>(*at_);
}

int JsonReader::peek_between_values() {
  for (;;) {
    const bool any = skip_blanks();
    start_value();  // here at the earliest: blanks may go on for ever
    if (!any) {
      if (!more()) return kEnd;
      continue;
    }
    const auto c = static_cast<unsigned char>(*at_);
    if (c > ' ' && c < 0x80) return c;
    while (end_ - at_ < 3 && more()) {
    }
    const std::size_t space = space_length({at_, end_});
    if (space == 0) return c;
    at_ += space;
  }
}

bool JsonReader::string(std::string_view& out) {
  ++at_;  // the quote
  for (std::size_t seen = 0;;) {
    const char* p = find_run_end(at_ + seen, end_);
    seen = static_cast<std::size_t>(p - at_);
    if (p == end_) {
      if (!more()) return fault("the list ends inside a string");
      continue;
    }
    if (*p == '\n') return fault(fmt::format("string \"{}\" has no closing quote on its line", printable_prefix({at_, p}, 40)));
    if (*p == '\\') return escaped_string(out, seen);
    out = {at_, p};
    at_ = p + 1;
    return true;
  }
}

// The string's first `plain` bytes hold no escape; one follows.
bool JsonReader::escaped_string(std::string_view& out, std::size_t plain) {
  scratch_.assign(at_, plain);
  at_ += plain;
  for (;;) {
    const char* p = find_run_end(at_, end_);
    scratch_.append(at_, p);
    at_ = p;
    switch (get()) {
      case kEnd:
        return fault("the list ends inside a string");
      case '\n':
        return fault(fmt::format("string \"{}\" has no closing quote on its line", printable_prefix(scratch_, 40)));
      case '"':
        out = scratch_;
        return true;
      case '\\':
        if (!escape()) return false;
        break;
      default:
        --at_;  // more() brought more of the run
    }
  }
}

bool JsonReader::escape() {
  const int c = get();
  switch (c) {
    case '"':
    case '\\':
    case '/':
      scratch_ += static_cast<char>(c);
      return true;
    case 'b':
      scratch_ += '\b';
      return true;
    case 'f':
      scratch_ += '\f';
      return true;
    case 'n':
      scratch_ += '\n';
      return true;
    case 'r':
      scratch_ += '\r';
      return true;
    case 't':
      scratch_ += '\t';
      return true;
    case 'u':
      return unicode_escape();
    case kEnd:
      return fault("the list ends inside a string");
    default: {
      const char byte = static_cast<char>(c);
      return fault(fmt::format("\"\\{}\" is no escape that JSON knows", printable(std::string_view(&byte, 1))));
    }
  }
}

bool JsonReader::unicode_escape() {
  std::uint32_t point = 0;
  if (!four_hex_digits(point)) return false;
  while (point >= 0xd800 && point < 0xdc00) {
    // The first half of a pair; what follows is its second half, or something else, which stands for itself.
    while (end_ - at_ < 2 && more()) {
    }
    if (!std::string_view(at_, end_).starts_with("\\u")) break;
    at_ += 2;
    std::uint32_t second = 0;
    if (!four_hex_digits(second)) return false;
    if (second >= 0xdc00 && second < 0xe000) {
      append_utf8(0x10000 + ((point - 0xd800) << 10) + (second - 0xdc00));
      return true;
    }
    append_utf8(0xfffd);
    point = second;
  }
  append_utf8(point >= 0xd800 && point < 0xe000 ? 0xfffd : point);
  return true;
}

bool JsonReader::four_hex_digits(std::uint32_t& value) {
  value = 0;
  for (int i = 0; i < 4; ++i) {
    const int c = get();
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return fault("\"\\u\" takes four hexadecimal digits");
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return true;
}

void JsonReader::append_utf8(std::uint32_t point) {
  const auto rest = [&](int shift) { scratch_ += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    scratch_ += static_cast<char>(point);
  } else if (point < 0x800) {
    scratch_ += static_cast<char>(0xc0 | point >> 6);
    rest(0);
  } else if (point < 0x10000) {
    scratch_ += static_cast<char>(0xe0 | point >> 12);
    rest(6), rest(0);
  } else {
    scratch_ += static_cast<char>(0xf0 | point >> 18);
    rest(12), rest(6), rest(0);
  }
}

bool JsonReader::literal(std::string_view word) {
  while (static_cast<std::size_t>(end_ - at_) < word.size() + 1 && more()) {
  }
  const std::string_view here(at_, end_);
  if (!here.starts_with(word) || (here.size() > word.size() && is_letter(here[word.size()])))
    return fault(fmt::format("{} is no JSON value", found()));
  at_ += word.size();
  return true;
}

// Passes over a string whose content nobody reads: its escapes may be anything.
bool JsonReader::skip_string() {
  ++at_;
  for (;;) {
    at_ = find_run_end(at_, end_);
    int c = get();
    if (c == '"') return true;
    const bool is_escape = c == '\\';
    if (is_escape) c = get();
    if (c == '\n') return fault("a string has no closing quote on its line");
    if (c == kEnd) return fault("the list ends inside a string");
    if (!is_escape) --at_;  // more() brought more of the run
  }
}

bool JsonReader::scalar() {
  const int c = peek();
  if (c == '"') return skip_string();
  if (c == 't') return literal("true");
  if (c == 'f') return literal("false");
  if (c == 'n') return literal("null");
  if (c == '-' || is_digit(c)) return skip_number();
  return fault(fmt::format("a value was expected, not {}", found()));
}

bool JsonReader::number(std::string_view& out) {
  scratch_.clear();
  for (; at_ != end_ || more(); ++at_) {
    if (!is_digit(*at_) && std::string_view("+-.eE").find(*at_) == std::string_view::npos) break;
    scratch_ += *at_;
  }
  out = scratch_;
  return !error_;
}

bool JsonReader::skip_number() {
  const auto next_is = [&](auto wanted) { return (at_ != end_ || more()) && wanted(*at_); };
  const auto digits = [&] {
    while (next_is(is_digit)) ++at_;
  };
  ++at_;  // a digit or the sign
  digits();
  if (next_is([](char c) { return c == '.'; })) ++at_, digits();
  if (next_is([](char c) { return c == 'e' || c == 'E'; })) {
    ++at_;
    if (next_is([](char c) { return c == '+' || c == '-'; })) ++at_;
    digits();
  }
  return !error_;
}

bool JsonReader::key() {
  if (peek() != '"') return fault(fmt::format("a key in double quotes was expected, not {}", found()));
  if (!skip_string()) return false;
  if (peek() != ':') return fault(fmt::format("\":\" was expected after a key, not {}", found()));
  advance();
  return true;
}

bool JsonReader::skip_value() {
  open_.clear();
  for (;;) {
    const int c = peek();
    if (c == '{' || c == '[') {
      const char close = c == '{' ? '}' : ']';
      advance();
      if (open_.size() == kDeepest) return fault("brackets nested too deeply");
      open_ += close;
      if (peek() != close) {
        if (close == '}' && !key()) return false;
        continue;
      }
    } else if (!scalar()) {
      return false;
    }
    // A value is over, or an empty bracket about to close: close what closes here, then on to the next value.
    while (!open_.empty() && peek() == open_.back()) {
      advance();
      open_.pop_back();
    }
    if (open_.empty()) return true;
    if (peek() != ',') return fault(fmt::format("\",\" or \"{}\" was expected, not {}", open_.back(), found()));
    advance();
    if (open_.back() == '}' && !key()) return false;
  }
}

std::string JsonReader::found() {
  constexpr std::size_t looked_at = 40;  // of the line, however much of it is there
  if (at_ == end_ && !more()) return "the list's end";
  while (static_cast<std::size_t>(end_ - at_) < looked_at && std::find(at_, end_, '\n') == end_ && more()) {
  }
  const std::string_view here = std::string_view(at_, end_).substr(0, looked_at);
  return fmt::format("\"{}\"", printable_prefix(trim_space(here.substr(0, here.find('\n'))), 20));
}

bool JsonReader::fault(std::string_view text) {
  if (!error_) error_ = input_.error() ? *input_.error() : Error{ErrorKind::failure, fmt::format("{}:{}: {}", input_.name(), line_, text)};
  return false;
}

}  // namespace thrum::targets
