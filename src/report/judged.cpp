#include "report/judged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "report/entries.hpp"

namespace thrum::report {
namespace {

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

}  // namespace

bool any_crossed(std::span<const Judged> judged) { return std::ranges::any_of(judged, &Judged::is_crossed); }

std::string gate_rows(std::span<const Judged> judged) {
  std::string out = fmt::format("{}\tValue\tResult\n", entry(Id::gates).label);
  for (const Judged& j : judged) out += fmt::format("{}\t{}\t{}\n", printable(j.gate), j.value, j.is_crossed ? "FAIL" : "pass");
  return out;
}

void gate_fields(std::span<const Judged> judged, JsonWriter& w) {
  w.begin_array();
  for (const Judged& j : judged)
    w.begin_object().key("gate").string(j.gate).key("value").string(j.value).key("passed").boolean(!j.is_crossed).end_object();
  w.end_array();
}

std::string junit(std::span<const Judged> judged, Timestamp when, std::string_view host) {
  const auto failed = std::ranges::count_if(judged, &Judged::is_crossed);
  const std::string second = format_rfc3339({when.seconds, 0, 0});  // in UTC, as "...Z"
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"thrum\" package=\"thrum\" id=\"0\" timestamp=\"{}\" hostname=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "time=\"0\">\n    <properties/>\n",
      second.substr(0, second.find('Z')), host.empty() ? "localhost" : xml(host), judged.size(), failed);
  for (const Judged& j : judged) {
    out += fmt::format("    <testcase classname=\"thrum.gates\" name=\"{}\" time=\"0\"", xml(j.gate));
    out += j.is_crossed ? fmt::format(">\n      <failure message=\"{} came to {}\" type=\"gate\"></failure>\n    </testcase>\n",
                                      xml(j.gate), xml(j.value))
                        : "></testcase>\n";
  }
  return out + "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n";
}

}  // namespace thrum::report
