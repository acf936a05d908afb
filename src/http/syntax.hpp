// Character classes of HTTP (RFC 9110 sections 5.5 and 5.6.2), and the one scan that the response parser lives on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace thrum::http {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

// tchar: what methods and header names are made of.
inline constexpr std::array<bool, 256> kTokenChars = [] {
  std::array<bool, 256> table{};
  for (char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

constexpr bool is_token_char(char c) { return kTokenChars[static_cast<unsigned char>(c)]; }

constexpr bool is_token(std::string_view s) {
  for (char c : s)
    if (!is_token_char(c)) return false;
  return !s.empty();
}

// Controls, DEL among them, but not the tab: what may not stand in a field's value, and what ends its line.
constexpr bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

// The first control in [p, end), or end. Finds a line's end and proves the line clean in one pass.
inline const char* find_control(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i last_control = _mm_set1_epi8(0x1f), tab = _mm_set1_epi8('\t'), del = _mm_set1_epi8(0x7f);
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);  // unsigned bytes <= 0x1f
    const __m128i hit = _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(bytes, tab), low), _mm_cmpeq_epi8(bytes, del));
    if (const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(hit))) return p + std::countr_zero(mask);
  }
#endif
  while (p != end && !is_control(*p)) ++p;
  return p;
}

inline bool is_field_value(std::string_view s) { return find_control(s.data(), s.data() + s.size()) == s.data() + s.size(); }

// Spaces and tabs at both ends are no part of a field's value.
constexpr std::string_view trim_blanks(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

// Whether the field name is `lower_case`, whatever its case. Both have one length, of at least eight bytes. Setting bit 5 lets
// upper case through and nothing else: no character of a name becomes '-' by it, and no other one a letter.
inline bool is_field(std::string_view name, std::string_view lower_case) {
  constexpr std::uint64_t kBit5 = 0x2020202020202020;
  const auto differ = [&](std::size_t at) {
    std::uint64_t a = 0, b = 0;
    std::memcpy(&a, name.data() + at, 8);
    std::memcpy(&b, lower_case.data() + at, 8);
    return (a | kBit5) ^ b;
  };
  std::uint64_t difference = differ(name.size() - 8);
  for (std::size_t at = 0; at + 8 < name.size(); at += 8) difference |= differ(at);
  return difference == 0;
}

// Whether the comma-separated list `value` has `token` (in lower case) among its elements, in any case.
constexpr bool list_holds(std::string_view value, std::string_view token) {
  const auto is_same = [](char x, char y) { return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + 32) : x) == y; };
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view element = trim_blanks(value.substr(0, comma));
    if (std::equal(element.begin(), element.end(), token.begin(), token.end(), is_same)) return true;
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return false;
}

}  // namespace thrum::http
