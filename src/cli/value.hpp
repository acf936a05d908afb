// Flag values from text: each reader gives the value or one line that says what is wrong with it and what would be right.
// The flag's name is added by the parser.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thrum/attacker.hpp"
#include "thrum/error.hpp"

namespace thrum::cli {

Expected<bool> read_bool(std::string_view text);  // Go's words: 1 0 t f T F true false TRUE FALSE True False

// A whole number in decimal within [least, most].
Expected<std::uint64_t> read_count(std::string_view text, std::uint64_t least = 0,
                                   std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
Expected<std::int32_t> read_redirects(std::string_view text);  // a count, or -1 for not following any
// As read_count; 0 means that there is no limit.
Expected<std::uint64_t> read_cap(std::string_view text);
Expected<std::uint32_t> read_cores(std::string_view text);  // a number of threads, or "auto" (0)

Expected<Nanos> read_duration(std::string_view text);             // not negative
Expected<Nanos> read_seconds_or_duration(std::string_view text);  // as above, and a bare number is seconds
Expected<Nanos> read_dns_ttl(std::string_view text);              // as read_duration, and -1 for never

Expected<Shape> read_pace(std::string_view text);  // a rate as parse_shape() reads it, but not without end

// A time, or a rate that ends by itself.
Expected<std::pair<Nanos, std::optional<Shape>>> read_warmup(std::string_view text);

Expected<CatchUp> read_catch_up(std::string_view text);  // all, none, 150%

// "Name: value", trimmed. An empty value is taken only for headers that thrum sends by itself: it removes them.
Expected<std::pair<std::string, std::string>> read_header(std::string_view text);

// Comma-separated, none of them empty.
Expected<std::vector<std::string>> read_list(std::string_view text);

// One of blank-separated words.
Expected<std::string> read_choice(std::string_view text, std::string_view choices);

}  // namespace thrum::cli
