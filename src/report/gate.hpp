// A condition on a run, as people write it for -fail-if: "p99>250ms", "success<99.9%", "url(/api/*).p99>100ms"; docs/gates.md has the
// grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/times.hpp"
#include "thrum/error.hpp"
#include "thrum/metrics.hpp"

namespace thrum::report {

struct Gate {
  enum class Quantity : std::uint8_t {
    percentile,
    mean,
    min,
    max,
    success,
    errors,
    missed,
    rate,
    throughput,
    requests,
    code,
    bytes_in,
    bytes_out
  };
  enum class Order : std::uint8_t { above, at_least, below, at_most, equal, unequal };
  enum class Unit : std::uint8_t { time, share, count, size };

  std::string text;  // as typed
  Quantity quantity = Quantity::requests;
  const Times* times = &kTimes[0];  // percentile, mean, min, max: of these
  double percentile = 0;
  StatusSet codes;
  bool is_of_code_zero = false;  // code(0): transport errors
  Order order = Order::above;
  Unit unit = Unit::count;
  double limit = 0;                  // nanoseconds, a share of 1, bytes or a number
  std::optional<std::size_t> stage;  // from 0
  std::optional<std::string> url;    // its pattern
};

// One gate, or several with commas between them. The error is one line with a ^ before the place.
Expected<std::vector<Gate>> parse_gates(std::string_view text);

}  // namespace thrum::report
