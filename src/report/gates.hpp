// What a run must not come to (-fail-if): "p99>250ms", "success<99.9%", "url(/api/*).p99>100ms". A gate that is met has failed the
// run, and so has one of which nothing is known: no news are no good news.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text_pattern.hpp"
#include "report/input.hpp"
#include "report/json_text.hpp"
#include "report/judged.hpp"

namespace thrum::report {

class Gates {
 public:
  // Each text is one gate, or several with commas between them. Errors show the place.
  static Expected<Gates> parse(std::span<const std::string> texts);
  Gates() = default;

  bool empty() const { return gates_.empty(); }
  // Whether stages are asked about: then the input must have them.
  bool has_stages() const;
  // Results as they come, those that the run is judged by: url(…) needs to see them.
  void add(std::span<const Result> results, const StatusSet& success);
  // At the end, in the order in which they were typed.
  std::vector<Judged> judge(const Input& input);

  enum class Clock : std::uint8_t { service, response, lag, redirecting, dns, connect, tls, first_byte, transfer };
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

  struct Gate {
    std::string text;
    Clock clock = Clock::service;
    Quantity quantity = Quantity::requests;
    double percentile = 0;
    StatusSet codes;
    bool is_of_code_zero = false;  // code(0): transport errors
    Order order = Order::above;
    Unit unit = Unit::count;
    double limit = 0;                  // nanoseconds, a share of 1, or a number
    std::optional<std::size_t> stage;  // from 0
    std::optional<std::string> url;    // its pattern
  };

 private:
  struct UrlScope {
    std::string pattern;
    TextPattern matcher;
    bool is_of_path;  // and query; else of the whole URL
    std::optional<Metrics> metrics;
  };

  std::vector<Gate> gates_;
  std::vector<UrlScope> urls_;
};

bool any_crossed(std::span<const Judged> judged);
// Rows of a table for people, columns apart by tabs.
std::string gate_rows(std::span<const Judged> judged);
// The value of "gates" in a JSON report.
void gate_fields(std::span<const Judged> judged, JsonWriter& w);
// For CI servers: a suite of one case for each gate.
std::string junit(std::span<const Judged> judged);

}  // namespace thrum::report
