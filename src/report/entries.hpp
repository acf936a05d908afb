// Every figure a report prints, with what it means: the one table from which the text report takes its labels, `report
// -explain` its words and the manual's page docs/reading-a-report.md its tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace thrum::report {

enum class Id : std::uint8_t {
  requests,
  duration,
  latencies,
  clock,
  bytes_in,
  bytes_out,
  success,
  status_codes,
  error_set,
  filter,
  sending,
  warmup,
  changes,
  rates,
  lost,
  limit,
  connections,
  addresses,
  proxies,
  network,
  machine,
  peaks,
  lag,
  late,
  service,
  response,
  successes,
  tail,
  percentiles,
  failures,
  samples,
  behind,
  weak,
  redirects,
  retries,
  protocols,
  spooled,
  captures,
  errors,
  phases,
  stages,
  targets,
  runs,
  groups,
  gates,
};

struct Entry {
  Id id;
  std::string_view label;  // as printed at the start of its line
  std::string_view keys;   // as printed in brackets after it
  std::string_view json;   // where the same stands in a JSON report
  std::string_view when;   // "always", or when the line is there
  std::string_view means;  // what it is and how it is computed
};

std::span<const Entry> entries();
const Entry& entry(Id id);

// For a terminal: what -explain prints.
std::string explain();
// The same as tables for the manual.
std::string explain_as_markdown();

}  // namespace thrum::report
