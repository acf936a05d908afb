#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

namespace thrum {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Edit distance with swaps of neighbours counted as one (a slip of the fingers), capped.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

bool is_unsafe(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

}  // namespace

std::size_t utf8_length(std::string_view s, std::uint32_t& point) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(s[i]); };
  const std::uint8_t first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || s.size() < length) return 0;
  point = length == 1 ? first : first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  return overlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? 0 : length;
}

std::string_view trim(std::string_view s) {
  const std::size_t first = s.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(kBlank) - first + 1);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = lower(c);
  return out;
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& c : candidates) {
    if (const std::size_t d = distance(word, c); d < least) {
      least = d;
      best = c;
    }
  }
  return best;
}

std::string nearest_file(const std::string& path) {
  const std::filesystem::path wanted(path);
  const std::filesystem::path folder = wanted.has_parent_path() ? wanted.parent_path() : std::filesystem::path(".");
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end && names.size() < 10'000; i.increment(error)) {
    std::error_code ignored;
    if (i->is_regular_file(ignored)) names.push_back(i->path().filename().string());
  }
  const std::string name = nearest(wanted.filename().string(), names);
  if (name.empty()) return {};
  return wanted.has_parent_path() ? (folder / name).string() : name;
}

std::string printable(std::string_view s, bool keep_tabs) {
  std::string out;
  out.reserve(s.size());
  while (!s.empty()) {
    std::uint32_t point = 0;
    const std::size_t length = utf8_length(s, point);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(s[0]));
      s.remove_prefix(1);
      continue;
    }
    if (point == '\t' && keep_tabs)
      out += '\t';
    else if (point == '\n')
      out += "\\n";
    else if (point == '\r')
      out += "\\r";
    else if (point == '\t')
      out += "\\t";
    else if (is_unsafe(point))
      out += point < 0x100 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
    else
      out += s.substr(0, length);
    s.remove_prefix(length);
  }
  return out;
}

std::string printable_prefix(std::string_view s, std::size_t width) {
  if (s.size() <= width) return printable(s);
  while (width > 0 && (static_cast<std::uint8_t>(s[width]) & 0xc0) == 0x80) --width;  // not inside a character
  return printable(s.substr(0, width)) + "…";
}

}  // namespace thrum
