#include "report/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "report/entries.hpp"
#include "report/judgement.hpp"

namespace thrum::report {
namespace {

// Those of every report, and those asked for.
std::vector<double> percentiles_of(const Input& input) {
  std::vector<double> all{50, 90, 95, 99};
  all.insert(all.end(), input.percentiles.begin(), input.percentiles.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Over the time of the whole report, so that the rows add up to the total; by vegeta's formula.
double rate_of(const Input& input, std::uint64_t requests) {
  const Nanos sending = input.total.figures().duration;
  return static_cast<double>(requests) / (sending > Nanos(0) ? static_cast<double>(sending.count()) / 1e9 : 1);
}

double share(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

std::string shown(Nanos d) { return format_duration(round_for_report(d)); }

Group total_of(const Input& input) {
  const Metrics& m = input.total;
  const Figures& f = m.figures();
  return {"Total", m.requests(), m.succeeded(), f.bytes_in.total, f.bytes_out.total, m.latencies()};
}

// A group of nothing (the total of no match) has no latencies.
std::string latency(const Group& g, Nanos d) { return g.requests == 0 ? "-" : shown(d); }

std::string row(const Input& input, const std::string& name, const Group& g, const std::vector<double>& percentiles) {
  std::string out = fmt::format("{}\t{}\t{:.2f}\t{:.2f}%\t{}\t", name, g.requests, rate_of(input, g.requests),
                                100 * share(g.succeeded, g.requests), latency(g, g.latencies.mean()));
  for (const double p : percentiles) out += latency(g, g.latencies.quantile(p / 100)) + '\t';
  return out + fmt::format("{}\t{}\n", latency(g, g.latencies.max()), fmt::join(weak(g.requests, percentiles), ", "));
}

void distribution(const Group& g, const std::vector<double>& percentiles, JsonWriter& w) {
  const Histogram& l = g.latencies;
  w.begin_object().key("mean").nanos(l.mean()).key("min").nanos(l.min());
  for (const double p : percentiles) w.key(fmt::format("{}th", p)).nanos(l.quantile(p / 100));
  w.key("max").nanos(l.max()).end_object();
}

// What stands in every object of a group, behind its name.
void figures(const Input& input, const Group& g, const std::vector<double>& percentiles, JsonWriter& w) {
  w.key("requests").unsigned_integer(g.requests).key("rate").number(rate_of(input, g.requests));
  w.key("success").number(share(g.succeeded, g.requests)).key("bytes_in").unsigned_integer(g.bytes_in);
  w.key("bytes_out").unsigned_integer(g.bytes_out).key("latencies");
  distribution(g, percentiles, w);
  w.key("weak").begin_array();
  for (const double p : weak(g.requests, percentiles)) w.string(fmt::format("{}th", p));
  w.end_array();
}

bool has_others(const GroupTable& table) { return table.others.requests > 0; }

}  // namespace

std::string group_rows(const Input& input) {
  constexpr std::size_t kWidest = 100;
  const GroupTable& table = *input.groups;
  const std::vector<double> percentiles = percentiles_of(input);
  std::string out = fmt::format("{} by {}\tRequests\tRate\tSuccess\tMean\t{}\tMax\tWeak\n", entry(Id::groups).label, name_of(table.by),
                                fmt::join(percentiles, "\t"));
  for (const Group& g : table.rows) out += row(input, g.name.empty() ? "(none)" : printable_prefix(g.name, kWidest), g, percentiles);
  if (has_others(table))
    out += row(input, fmt::format("({}{} others)", table.others_overflowed ? "more than " : "", table.others_count), table.others,
               percentiles);
  return out + row(input, "Total", total_of(input), percentiles);
}

void group_fields(const Input& input, JsonWriter& w) {
  const GroupTable& table = *input.groups;
  const std::vector<double> percentiles = percentiles_of(input);
  w.key("grouped_by").string(name_of(table.by)).key("groups").begin_array();
  for (const Group& g : table.rows) {
    w.begin_object().key("name").string(g.name);
    figures(input, g, percentiles, w);
    w.end_object();
  }
  w.end_array().key("other_groups");
  if (!has_others(table)) {
    w.null();
    return;
  }
  w.begin_object().key("groups").unsigned_integer(table.others_count).key("more").boolean(table.others_overflowed);
  figures(input, table.others, percentiles, w);
  w.end_object();
}

}  // namespace thrum::report
