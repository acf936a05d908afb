#include "record/base64.hpp"

#include <array>
#include <cstdint>

namespace thrum {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotADigit = 0xff;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNotADigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) values[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

std::uint8_t value_of(char c) { return kValues[static_cast<std::uint8_t>(c)]; }

void store(char* into, std::uint32_t group) {
  into[0] = static_cast<char>(group >> 16);
  into[1] = static_cast<char>(group >> 8);
  into[2] = static_cast<char>(group);
}

// The last groups, and any with line ends in them: one digit at a time.
std::optional<std::size_t> decode_slowly(std::string_view text, char* into) {
  char* const start = into;
  std::uint32_t group = 0;
  int digits = 0, padding = 0;
  for (const char c : text) {
    if (c == '\r' || c == '\n') continue;
    if (c == '=') {
      if (digits + padding == 4 || digits < 2 || padding == 2) return std::nullopt;
      ++padding;
      continue;
    }
    if (padding != 0 || value_of(c) == kNotADigit) return std::nullopt;
    group = group << 6 | value_of(c);
    if (++digits == 4) {
      store(into, group);
      into += 3;
      digits = 0, group = 0;
    }
  }
  if (digits == 0) return padding == 0 ? std::optional(static_cast<std::size_t>(into - start)) : std::nullopt;
  if (digits + padding != 4) return std::nullopt;
  store(into, group << (6 * padding));
  return static_cast<std::size_t>(into - start) + static_cast<std::size_t>(digits - 1);
}

}  // namespace

void append_base64(std::string_view bytes, std::string& out) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i])); };
  std::size_t at = out.size(), i = 0;
  out.resize(at + (bytes.size() + 2) / 3 * 4);
  for (; i + 3 <= bytes.size(); i += 3, at += 4) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int d = 0; d < 4; ++d) out[at + static_cast<std::size_t>(d)] = kAlphabet[group >> (18 - 6 * d) & 63];
  }
  if (i == bytes.size()) return;
  const bool two = i + 2 == bytes.size();
  const std::uint32_t group = byte(i) << 16 | (two ? byte(i + 1) << 8 : 0);
  out[at] = kAlphabet[group >> 18];
  out[at + 1] = kAlphabet[group >> 12 & 63];
  out[at + 2] = two ? kAlphabet[group >> 6 & 63] : '=';
  out[at + 3] = '=';
}

std::optional<std::size_t> decode_base64(std::string_view text, char* into) {
  char* const start = into;
  while (text.size() > 4) {
    const std::uint32_t a = value_of(text[0]), b = value_of(text[1]), c = value_of(text[2]), d = value_of(text[3]);
    if ((a | b | c | d) > 63) break;
    store(into, a << 18 | b << 12 | c << 6 | d);
    into += 3;
    text.remove_prefix(4);
  }
  const auto rest = decode_slowly(text, into);
  if (!rest) return std::nullopt;
  return static_cast<std::size_t>(into - start) + *rest;
}

}  // namespace thrum
