#include "mode/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "http/url.hpp"
#include "report/columns.hpp"
#include "report/json_text.hpp"

namespace thrum::mode {
namespace {

Expected<Demand> demand_of(const DoctorRequest& request) {
  Demand d;
  if (request.shape && !request.shape->is_closed()) {
    d.rate = request.shape->peak();
    d.duration = request.shape->length().value_or(Nanos(0));
  }
  d.connections = request.connections;
  d.keep_alive = request.keep_alive;
  if (request.url.empty()) return d;
  const auto url = http::parse_url(request.url);
  if (!url) return std::unexpected(Error{ErrorKind::usage, url.error().text});
  place_target(d, *url);
  return d;
}

Level worst(std::span<const Finding> findings) {
  Level level = Level::unknown;
  for (const Finding& f : findings) level = std::max(level, f.level);
  return level;
}

}  // namespace

std::string findings_as_text(std::span<const Finding> findings) {
  std::string out;
  for (const Finding& f : findings) {
    out += fmt::format("{}\t{}\t{}\n", name_of(f.level), f.check, f.says);
    if (!f.cure.empty()) out += fmt::format("\t\tcure: {}\n", f.cure);
  }
  return report::align_columns(out);
}

std::string findings_as_json(std::span<const Finding> findings) {
  std::string out;
  report::JsonWriter w(out);
  w.begin_object().key("worst").string(name_of(worst(findings))).key("findings").begin_array();
  for (const Finding& f : findings) {
    w.begin_object().key("check").string(f.check).key("level").string(name_of(f.level)).key("says").string(f.says).key("value");
    if (f.value)
      w.number(*f.value).key("unit").string(f.unit);
    else
      w.null().key("unit").null();
    w.key("cure");
    if (f.cure.empty())
      w.null();
    else
      w.string(f.cure);
    w.end_object();
  }
  w.end_array().end_object();
  return out + '\n';
}

Expected<Diagnosis> run_doctor(const DoctorRequest& request) {
  const auto demand = demand_of(request);
  if (!demand) return std::unexpected(demand.error());
  MachineFacts facts = look_at_machine(*demand);
  facts.timer = host::timer_error();
  const auto all = findings(facts, *demand);
  return Diagnosis{request.json ? findings_as_json(all) : findings_as_text(all), worst(all) == Level::warning};
}

}  // namespace thrum::mode
