// Durations as Go writes and reads them: "1h2m0s", "1.5s", "250ms", "0s".
#pragma once

#include <string>
#include <string_view>

#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum {

// Go's grammar: an optional sign, then decimal numbers with units (ns, us, µs, μs, ms, s, m, h); "0" alone is allowed.
// The error says what is wrong with `text` and shows a right example; it does not name the flag.
Expected<Nanos> parse_duration(std::string_view text);

// As Go prints it: the largest fitting unit below a second, else h/m/s, no trailing zeros.
std::string format_duration(Nanos d);

// Rounded as vegeta's text report does: half away from zero to the unit below the largest that fits; negatives unrounded.
Nanos round_for_report(Nanos d);

}  // namespace thrum
