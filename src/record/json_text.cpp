#include "record/json_text.hpp"

#include <array>
#include <cstdint>

namespace thrum {
namespace {

constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x80; ++c) table[c] = true;
  for (const char c : std::string_view("\"\\<>&")) table[static_cast<std::uint8_t>(c)] = false;
  return table;
}();

// Length of the well-formed UTF-8 sequence at the start of s, 0 if there is none.
std::size_t sequence_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(s[i]); };
  const std::uint8_t first = byte(0);
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || s.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) ||
      (first == 0xf4 && byte(1) > 0x8f))
    return 0;
  return length;
}

void append_escape(std::uint8_t c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '"':
      out += "\\\"";
      return;
    default:
      break;
  }
  out += "\\u00";
  out += kHex[c >> 4];
  out += kHex[c & 15];
}

}  // namespace

void append_json_string(std::string_view s, std::string& out) {
  out += '"';
  std::size_t copied = 0, i = 0;
  const auto copy_up_to_here = [&] { out.append(s, copied, i - copied); };
  while (i < s.size()) {
    const auto c = static_cast<std::uint8_t>(s[i]);
    if (kPlain[c]) {
      ++i;
      continue;
    }
    if (c < 0x80) {
      copy_up_to_here();
      append_escape(c, out);
      copied = ++i;
      continue;
    }
    const std::size_t length = sequence_length(s.substr(i, 4));
    const bool separator = length == 3 && c == 0xe2 && s[i + 1] == '\x80' && (s[i + 2] == '\xa8' || s[i + 2] == '\xa9');
    if (length == 0 || separator) {
      copy_up_to_here();
      out += length == 0 ? "\\ufffd" : s[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      copied = i + (length == 0 ? 1 : 3);
    }
    i += length == 0 ? 1 : length;
  }
  copy_up_to_here();
  out += '"';
}

}  // namespace thrum
