#include "host/kernel_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/fd.hpp"

namespace thrum::host {
namespace {

constexpr std::size_t kMost = 4 << 20;  // a table of connections is the longest of them

}  // namespace

std::string read_text(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text;
  std::array<char, 16 * 1024> part;
  while (file.is_open() && text.size() < kMost) {
    const ssize_t n = ::read(file.get(), part.data(), part.size());
    if (n <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == text.npos) return words;
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

std::optional<std::uint64_t> value_of(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, "\n")) {
    const auto words = split(line, " \t:");
    if (words.size() >= 2 && words[0] == name) return number<std::uint64_t>(words[1]);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> counter_of(std::string_view text, std::string_view group, std::string_view name) {
  const auto lines = split(text, "\n");
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const auto names = split(lines[i], " "), values = split(lines[i + 1], " ");
    const bool is_pair = !names.empty() && !values.empty() && names[0] == values[0] && names[0].ends_with(':');
    if (!is_pair || names[0].substr(0, names[0].size() - 1) != group) continue;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) continue;
    const auto at = static_cast<std::size_t>(found - names.begin());
    return at < values.size() ? number<std::uint64_t>(values[at]) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace thrum::host
