#include "report/capacity.hpp"

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "report/columns.hpp"
#include "report/json_text.hpp"

namespace thrum::report {
namespace {

std::string shown(Nanos d) { return format_duration(round_for_report(d)); }

std::string headline(const CapacityFindings& f) {
  if (f.rate == 0) {
    if (f.was_stopped) return "not found: stopped before it was confirmed";
    return f.failed ? fmt::format("none: the target failed at {:.4g}/s, too", *f.failed) : "none: this machine could not send at any rate";
  }
  if (f.failed) return fmt::format("{:.6g}/s ({:.6g}/s held, {:.6g}/s did not)", f.rate, f.rate, *f.failed);
  return fmt::format("at least {:.6g}/s ({})", f.rate,
                     f.met_own_limit ? "more could not be sent from this machine on time" : "no higher rate was to be tried");
}

}  // namespace

std::string capacity_text(const CapacityFindings& f) {
  std::string head = fmt::format("Capacity\t{}\n", headline(f));
  head += fmt::format("Target\t{}\n", printable_prefix(f.target, 200));
  head += fmt::format("SLO\t{}\n", printable_prefix(fmt::format("{}", fmt::join(f.slo, ", ")), 400));
  head += fmt::format("Took\t{} in {} trials\n", format_duration(f.took - f.took % Nanos(100'000'000)), f.trials.size());
  std::string table = "Rate\tTime\tSent\tSuccess\t50\t99\tMax\tIn flight\tGrowth\tVerdict\n";
  for (const CapacityTrial& t : f.trials)
    table += fmt::format("{:.6g}/s\t{}\t{}\t{:.2f}%\t{}\t{}\t{}\t{} to {}\t{:.1f} ms/s\t{}{}\n", t.rate, format_duration(t.length), t.sent,
                         t.success * 100, shown(t.p50), shown(t.p99), shown(t.max), t.in_flight_before, t.in_flight_after, t.slope * 1000,
                         t.is_confirmation && t.held ? "confirmed"
                         : t.held                    ? "held"
                                                     : "failed: ",
                         t.held ? "" : t.why);
  return align_columns(head) + '\n' + align_columns(table);
}

std::string capacity_json(const CapacityFindings& f) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().key("rate");
  const bool is_found = f.rate > 0;
  is_found ? w.number(f.rate) : w.null();
  w.key("interval").begin_array();
  is_found ? w.number(f.rate) : w.null();
  f.failed ? w.number(*f.failed) : w.null();
  w.end_array().key("own_limit").boolean(f.met_own_limit).key("stopped").boolean(f.was_stopped);
  w.key("target").string(f.target).key("slo").begin_array();
  for (const std::string& text : f.slo) w.string(text);
  w.end_array().key("took").nanos(f.took).key("steps").begin_array();
  for (const CapacityTrial& t : f.trials) {
    w.begin_object().key("rate").number(t.rate).key("duration").nanos(t.length).key("confirmation").boolean(t.is_confirmation);
    w.key("sent").unsigned_integer(t.sent).key("success").number(t.success).key("p50").nanos(t.p50).key("p99").nanos(t.p99);
    w.key("max").nanos(t.max).key("in_flight").begin_array().unsigned_integer(t.in_flight_before).unsigned_integer(t.in_flight_after);
    w.end_array().key("slope").number(t.slope).key("held").boolean(t.held).key("why");
    t.held ? w.null() : w.string(t.why);
    w.end_object();
  }
  w.end_array().end_object();
  out += '\n';
  return out;
}

}  // namespace thrum::report
