// The small texts of /proc and /sys, and words and numbers in them.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thrum::host {

// The beginning of a file, as much as such a text ever has; empty where there is none, or it may not be read.
std::string read_text(const std::string& path);
// None of them empty. They point into `text`.
std::vector<std::string_view> split(std::string_view text, std::string_view separators);

// All of `text`, and nothing but a number.
template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value) : std::nullopt;
}

// The word after `name`, in text of lines like "name value" or "name: value kB".
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view name);
// A counter of /proc/net/netstat and snmp: a line "Group: NAME NAME …", and below it one with their values.
std::optional<std::uint64_t> counter_of(std::string_view text, std::string_view group, std::string_view name);

}  // namespace thrum::host
