// Rates as text: "100", "1.5/s", "6/m", "50/100ms".
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "thrum/shape.hpp"

namespace thrum::load {

// nano_hits may be 0. The error says why, without the text itself.
std::expected<Rate, std::string> read_rate(std::string_view text);
// A time unit, whose number may be missing: "s", "100ms".
std::expected<Nanos, std::string> read_unit(std::string_view text);

std::string rate_text(const Rate& rate);
// To the billionth of a hit.
Rate rate_of(double per_second);

}  // namespace thrum::load
