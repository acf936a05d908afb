#include "record/csv_record.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace thrum {
namespace {

constexpr std::size_t kMostFields = 256;  // more are read, but not kept

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

// The first comma, quote or newline at or after p.
const char* find_special(const char* p, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const auto zeros = [](std::uint64_t v) { return (v - kOnes) & ~v & kHighs; };
  for (; end - p >= 8; p += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    const std::uint64_t hits = zeros(word ^ (kOnes * ',')) | zeros(word ^ (kOnes * '"')) | zeros(word ^ (kOnes * '\n'));
    if (hits == 0) continue;
    if constexpr (std::endian::native == std::endian::little) return p + std::countr_zero(hits) / 8;
    break;
  }
  while (p != end && *p != ',' && *p != '"' && *p != '\n') ++p;
  return p;
}

// RFC 9110's tchar.
constexpr std::array<bool, 256> kTokenByte = [] {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = table[static_cast<std::size_t>(c - 32)] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<std::uint8_t>(c)] = true;
  return table;
}();

std::string_view canonical_name(std::string_view name, Scratch& scratch) {
  char* const copy = scratch.take(name.size());
  bool upper = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    copy[i] = upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : !upper && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    upper = c == '-';
  }
  return {copy, name.size()};
}

std::string_view trim_blank(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

// The next line, without its end; `rest` moves behind it. A line without an end is none.
bool take_line(std::string_view& rest, std::string_view& line) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return false;
  line = rest.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  rest.remove_prefix(end + 1);
  return true;
}

}  // namespace

CsvRecordParser::Outcome CsvRecordParser::parse(std::string_view text, bool ended, Scratch& scratch) {
  fields_.clear();
  const char* p = text.data();
  const char* const end = p + text.size();
  for (;;) {
    while (p != end && is_blank(*p)) ++p;
    if (p != end && *p == '"') {
      const char* after = nullptr;
      const Outcome quoted = parse_quoted(p, end, ended, scratch, after);
      if (quoted == Outcome::bad) size_ += static_cast<std::size_t>(p - text.data());
      if (quoted != Outcome::whole) return quoted;
      p = after;
      if (p != end && *p == '\r' && (p + 1 == end || p[1] == '\n')) ++p;
    } else {
      const char* const from = p;
      p = find_special(p, end);
      if (p == end && !ended) return Outcome::incomplete;
      if (p != end && *p == '"') return bad("a quote inside a field that is not quoted", static_cast<std::size_t>(p - text.data()));
      std::string_view field(from, static_cast<std::size_t>(p - from));
      if ((p == end || *p == '\n') && field.ends_with('\r')) field.remove_suffix(1);
      if (fields_.size() < kMostFields) fields_.push_back(field);
    }
    if (p == end && !ended) return Outcome::incomplete;
    if (p == end || *p == '\n') {
      size_ = static_cast<std::size_t>(p - text.data()) + (p == end ? 0 : 1);
      return Outcome::whole;
    }
    if (*p != ',') return bad("something between a quoted field and the next comma", static_cast<std::size_t>(p - text.data()));
    ++p;
  }
}

// p on the opening quote; `after` is what follows the closing one.
CsvRecordParser::Outcome CsvRecordParser::parse_quoted(const char* p, const char* end, bool ended, Scratch& scratch, const char*& after) {
  const char* const from = p + 1;
  const char* close = from;
  bool plain = true;
  for (;; close += 2, plain = false) {
    close = static_cast<const char*>(close == end ? nullptr : std::memchr(close, '"', static_cast<std::size_t>(end - close)));
    if (close == nullptr) return ended ? bad("a quoted field without an end", 0) : Outcome::incomplete;
    if (close + 1 == end && !ended) return Outcome::incomplete;
    if (close + 1 == end || close[1] != '"') break;
  }
  after = close + 1;
  std::string_view field(from, static_cast<std::size_t>(close - from));
  plain = plain && field.find("\r\n") == std::string_view::npos;
  if (!plain) {
    char* const start = scratch.take(field.size());
    char* into = start;
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] == '\r' && i + 1 < field.size() && field[i + 1] == '\n') continue;
      *into++ = field[i];
      if (field[i] == '"') ++i;  // the second of a pair
    }
    field = {start, static_cast<std::size_t>(into - start)};
  }
  if (fields_.size() < kMostFields) fields_.push_back(field);
  return Outcome::whole;
}

CsvRecordParser::Outcome CsvRecordParser::bad(const char* why, std::size_t at) {
  why_ = why;
  size_ = at;
  return Outcome::bad;
}

const char* parse_header_block(std::string_view block, std::vector<Header>& into, Scratch& scratch) {
  std::string_view line, rest = block;
  if (!rest.empty() && is_blank(rest[0])) return "the headers start with a folded line";
  for (;;) {
    if (!take_line(rest, line)) return "the headers have no end";
    if (line.empty()) return nullptr;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return "a header without a colon";
    const std::string_view name = line.substr(0, colon);
    const bool token = std::all_of(name.begin(), name.end(), [](char c) { return kTokenByte[static_cast<std::uint8_t>(c)]; });
    const bool spaced =
        !token && std::all_of(name.begin(), name.end(), [](char c) { return c == ' ' || kTokenByte[static_cast<std::uint8_t>(c)]; });
    if (!token && !spaced) return "a header's name holds what no name may hold";
    std::string_view value = trim_blank(line.substr(colon + 1));
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t')) {
      if (!take_line(rest, line)) return "the headers have no end";
      const std::string_view more = trim_blank(line);
      char* const joined = scratch.take(value.size() + 1 + more.size());
      std::copy(value.begin(), value.end(), joined);
      joined[value.size()] = ' ';
      std::copy(more.begin(), more.end(), joined + value.size() + 1);
      value = {joined, value.size() + 1 + more.size()};
    }
    if (!name.empty()) into.push_back({spaced ? name : canonical_name(name, scratch), value, false});
  }
}

}  // namespace thrum
