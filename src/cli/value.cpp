#include "cli/value.hpp"

#include <fmt/format.h>

#include <array>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "cli/flag.hpp"

namespace thrum::cli {
namespace {

constexpr std::size_t kShown = 60;  // characters of a bad value that an error repeats

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", printable_prefix(text, kShown)); }

// RFC 9110 section 5.6.2
bool is_token_char(char c) {
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

bool is_sent_by_default(std::string_view name) {
  return equal_ignoring_case(name, "User-Agent") || equal_ignoring_case(name, "Accept-Encoding");
}

}  // namespace

Expected<bool> read_bool(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kTrue{"1", "t", "T", "true", "TRUE", "True"};
  static constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "false", "FALSE", "False"};
  for (const std::string_view word : kTrue)
    if (word == text) return true;
  for (const std::string_view word : kFalse)
    if (word == text) return false;
  return usage_error(fmt::format("{} is neither true nor false", quoted(text)));
}

Expected<std::uint64_t> read_count(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto bad = [&] {
    const bool open_ended = most == std::numeric_limits<std::uint64_t>::max();
    return usage_error(open_ended ? fmt::format("{} is not a whole number of at least {}", quoted(text), least)
                                  : fmt::format("{} is not a whole number from {} to {}", quoted(text), least, most));
  };
  if (text.empty()) return bad();
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return bad();
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value))
      return bad();
  }
  if (value < least || value > most) return bad();
  return value;
}

Expected<std::int32_t> read_redirects(std::string_view text) {
  constexpr std::uint64_t kMost = 10'000;
  if (text == "-1") return -1;
  const auto value = read_count(text, 0, kMost);
  if (!value) return usage_error(fmt::format("{} is neither a whole number from 0 to {} nor -1 (follow none)", quoted(text), kMost));
  return static_cast<std::int32_t>(*value);
}

Expected<std::uint64_t> read_cap(std::string_view text) {
  const auto value = read_count(text);
  return value && *value == 0 ? kUnlimited : value;
}

Expected<std::uint32_t> read_cores(std::string_view text) {
  constexpr std::uint64_t kMost = 1024;
  if (text == "auto") return 0;
  const auto value = read_count(text, 1, kMost);
  if (!value) return usage_error(fmt::format("{} is neither \"auto\" nor a whole number from 1 to {}", quoted(text), kMost));
  return static_cast<std::uint32_t>(*value);
}

Expected<Nanos> read_duration(std::string_view text) {
  const auto value = parse_duration(text);
  if (value && *value < Nanos(0)) return usage_error(fmt::format("{} is less than nothing; write it like 300ms, 10s, 1m30s", quoted(text)));
  return value;
}

Expected<Nanos> read_seconds_or_duration(std::string_view text) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
  if (const auto seconds = read_count(text, 0, kMost)) return Nanos(static_cast<std::int64_t>(*seconds * 1'000'000'000));
  return read_duration(text);
}

Expected<Nanos> read_dns_ttl(std::string_view text) {
  if (text == "-1") return Nanos(-1);
  const auto value = parse_duration(text);
  if (value && *value < Nanos(0)) return usage_error(fmt::format("{}: write -1 to look a name up for each connection", quoted(text)));
  return value;
}

Expected<Shape> read_pace(std::string_view text) {
  auto shape = parse_shape(text);
  if (shape && shape->is_closed()) return usage_error(fmt::format("{}: a number above 0 per unit of time, like 100/s", quoted(text)));
  return shape;
}

Expected<std::pair<Nanos, std::optional<Shape>>> read_warmup(std::string_view text) {
  if (const auto time = read_duration(text)) return std::pair(*time, std::optional<Shape>());
  auto shape = parse_shape(text);
  if (!shape)
    return usage_error(fmt::format("{}: a time, as in 10s, or a rate that ends by itself, as in 10..100/s over 10s ({})", quoted(text),
                                   shape.error().text));
  const auto length = shape->length();
  if (!length) return usage_error(fmt::format("{}: a warm-up has to end; say for how long, as in 100/s for 10s", quoted(text)));
  return std::pair(*length, std::optional(std::move(*shape)));
}

Expected<CatchUp> read_catch_up(std::string_view text) {
  if (text == "all") return CatchUp{CatchUp::Mode::all, 100};
  if (text == "none") return CatchUp{CatchUp::Mode::none, 100};
  constexpr std::uint64_t kLeast = 100, kMost = 100'000;
  if (text.ends_with('%')) {
    if (const auto percent = read_count(text.substr(0, text.size() - 1), kLeast, kMost))
      return CatchUp{CatchUp::Mode::percent, static_cast<std::uint32_t>(*percent)};
  }
  return usage_error(
      fmt::format("{}: write all, none, or the most of the rate to catch up at, from {}% to {}%, like 150%", quoted(text), kLeast, kMost));
}

Expected<std::pair<std::string, std::string>> read_header(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return usage_error(fmt::format("{}: {}; write it like \"Name: value\"", quoted(text), why));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return bad("there is no colon");
  const std::string_view name = trim(text.substr(0, colon)), value = trim(text.substr(colon + 1));
  if (name.empty()) return bad("there is no name before the colon");
  for (const char c : name)
    if (!is_token_char(c)) return bad(fmt::format("{} can't stand in a header's name", quoted(std::string_view(&c, 1))));
  for (const char c : value)
    if (is_control(c)) return bad("a control character can't stand in a header's value");
  if (value.empty() && !is_sent_by_default(name)) return bad("there is no value after the colon");
  return std::pair(std::string(name), std::string(value));
}

Expected<std::vector<std::string>> read_list(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = trim(text.substr(0, comma));
    if (item.empty()) return usage_error("an item is empty; write it like a,b,c");
    out.emplace_back(item);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

Expected<std::string> read_choice(std::string_view text, std::string_view choices) {
  std::vector<std::string> words;
  for_each_word(choices, [&](std::string_view word) { words.emplace_back(word); });
  for (const std::string& word : words)
    if (word == text) return word;
  const std::string near = nearest(text, words);
  return usage_error(
      fmt::format("{} is none of {}{}", quoted(text), fmt::join(words, ", "), near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

}  // namespace thrum::cli
