#include "targets/space.hpp"

#include <algorithm>

namespace thrum::targets {
namespace {

bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Bytes of the white space character that `s` ends with.
std::size_t space_length_at_end(std::string_view s) {
  if (s.empty()) return 0;
  if (is_ascii_space(s.back())) return 1;
  for (std::size_t n = 2; n <= std::min<std::size_t>(3, s.size()); ++n)
    if (space_length(s.substr(s.size() - n)) == n) return n;
  return 0;
}

}  // namespace

std::size_t space_length(std::string_view s) {
  if (s.empty()) return 0;
  if (is_ascii_space(s[0])) return 1;
  if (s.starts_with("\xc2\x85") || s.starts_with("\xc2\xa0")) return 2;  // next line, no-break space
  if (s.size() < 3) return 0;
  const auto last = static_cast<unsigned char>(s[2]);
  if (s.starts_with("\xe2\x80"))
    return last <= 0x8a || last == 0xa8 || last == 0xa9 || last == 0xaf ? 3 : 0;  // U+2000…200A, 2028, 2029, 202F
  return s.starts_with("\xe1\x9a\x80") || s.starts_with("\xe2\x81\x9f") || s.starts_with("\xe3\x80\x80") ? 3 : 0;
}

std::string_view trim_space(std::string_view s) {
  while (const std::size_t n = space_length(s)) s.remove_prefix(n);
  while (const std::size_t n = space_length_at_end(s)) s.remove_suffix(n);
  return s;
}

}  // namespace thrum::targets
