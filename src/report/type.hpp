// Which report, as a user names it: "text", "json", "hist[0,5ms,1s]", "hist", "hdrplot", "hdrlog", "csv".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum::report {

enum class Kind : std::uint8_t { text, json, histogram, hdrplot, hdrlog, seconds };

struct Type {
  Kind kind = Kind::text;
  std::vector<Nanos> buckets;  // of histogram and json; empty: none given
};

// `buckets` is -buckets, empty if not given; of the histogram it wins over the brackets. Other kinds ignore it.
Expected<Type> parse_type(std::string_view text, std::string_view buckets);

// "50,90,99,99.9": percentiles from 0 to 100, a % after each allowed.
Expected<std::vector<double>> parse_percentiles(std::string_view text);

}  // namespace thrum::report
