// Gates (-fail-if) once judged, and how they are shown.
#pragma once

#include <span>
#include <string>

#include "report/json_text.hpp"
#include "thrum/result.hpp"

namespace thrum::report {

struct Judged {
  std::string gate;   // as typed
  std::string value;  // what it came to: "312ms", "99.21%", "no data"
  bool is_crossed = false;
  bool is_known = true;  // crossed for want of data otherwise
};

bool any_crossed(std::span<const Judged> judged);
// Rows of a table for people, columns apart by tabs.
std::string gate_rows(std::span<const Judged> judged);
// The value of "gates" in a JSON report.
void gate_fields(std::span<const Judged> judged, JsonWriter& w);
// For CI servers: a suite of one case for each gate, written at `when` on `host`. It has what the strictest of the schemas that go by the
// name of JUnit asks for.
std::string junit(std::span<const Judged> judged, Timestamp when, std::string_view host);

}  // namespace thrum::report
