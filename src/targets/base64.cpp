#include "targets/base64.hpp"

#include <array>
#include <cstdint>

namespace thrum::targets {
namespace {

constexpr std::uint8_t kWrong = 0xff;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kWrong);
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < letters.size(); ++i) values[static_cast<std::uint8_t>(letters[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

std::size_t skip_line_ends(std::string_view text, std::size_t i) {
  while (i < text.size() && (text[i] == '\n' || text[i] == '\r')) ++i;
  return i;
}

}  // namespace

std::optional<std::size_t> decode_base64(std::string_view text, std::string& out) {
  out.resize(text.size() / 4 * 3 + 3);
  char* to = out.data();
  const auto finish = [&] {
    out.resize(static_cast<std::size_t>(to - out.data()));
    return std::nullopt;
  };
  std::size_t i = 0;
  const auto value_at = [&](std::size_t at) { return std::uint32_t{kValues[static_cast<std::uint8_t>(text[at])]}; };
  for (;;) {
    // Whole groups without anything odd in them: nearly always all of the text but its end.
    for (; i + 4 <= text.size(); i += 4) {
      const std::uint32_t a = value_at(i), b = value_at(i + 1), c = value_at(i + 2), d = value_at(i + 3);
      if ((a | b | c | d) == kWrong) break;
      const std::uint32_t bits = a << 18 | b << 12 | c << 6 | d;
      *to++ = static_cast<char>(bits >> 16);
      *to++ = static_cast<char>(bits >> 8);
      *to++ = static_cast<char>(bits);
    }
    // One group: four letters, or two or three and the padding that ends the text.
    std::uint32_t bits = 0;
    int letters = 0;
    for (; letters < 4; ++letters) {
      i = skip_line_ends(text, i);
      if (i == text.size()) {
        if (letters == 0) return finish();
        return i;
      }
      const std::uint8_t value = kValues[static_cast<std::uint8_t>(text[i])];
      if (value == kWrong) break;
      bits = bits << 6 | value;
      ++i;
    }
    if (letters == 4) {
      *to++ = static_cast<char>(bits >> 16);
      *to++ = static_cast<char>(bits >> 8);
      *to++ = static_cast<char>(bits);
      continue;
    }
    if (letters < 2 || text[i] != '=') return i;
    for (int padding = letters; padding < 4; ++padding) {
      i = skip_line_ends(text, i);
      if (i == text.size() || text[i] != '=') return i;
      ++i;
    }
    if ((i = skip_line_ends(text, i)) != text.size()) return i;
    bits <<= 6 * (4 - letters);
    *to++ = static_cast<char>(bits >> 16);
    if (letters == 3) *to++ = static_cast<char>(bits >> 8);
    return finish();
  }
}

}  // namespace thrum::targets
