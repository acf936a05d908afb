// A run's report as one HTML page: verdict, figures, charts, causes, settings. No script, no other file; it is dressed as the page of
// `thrum plot`. Whatever a server said goes through text().
#include <fmt/format.h>

#include <string_view>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "base/version.hpp"
#include "report/plot_data.hpp"
#include "report/run_charts.hpp"
#include "report/run_report.hpp"

namespace thrum::report {
namespace {

constexpr std::size_t kTextShown = 400;

constexpr std::string_view kStyle =
    ":root{color-scheme:light;--page:#f6f7f9;--card:#fff;--text:#1b2430;--faint:#5d6b7c;--line:#dfe4ea;--accent:#2563d9;--good:#1a7f37;"
    "--warn:#9a6700;--bad:#cf222e}"
    "@media(prefers-color-scheme:dark){:root{color-scheme:dark;--page:#0e131a;--card:#161d26;--text:#e6ebf2;--faint:#96a3b4;--line:#273140;"
    "--accent:#6aa5ff;--good:#3fb950;--warn:#d29922;--bad:#f85149}}"
    "*{box-sizing:border-box}body{margin:0 auto;padding:20px 24px "
    "28px;max-width:1180px;background:var(--page);color:var(--text);font:14px/1.45 "
    "system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",sans-serif}"
    "h1{margin:0;font-size:24px;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}h2{margin:0 0 "
    "8px;font-size:14px;font-weight:600}"
    "p{margin:3px 0 0;color:var(--faint);overflow-wrap:anywhere}section{background:var(--card);border:1px solid "
    "var(--line);border-radius:10px;padding:12px 16px;margin-top:14px;overflow-x:auto;break-inside:avoid}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:0 14px}ul{margin:8px 0 0;padding:0;list-style:none}"
    "li{margin:2px 0;overflow-wrap:anywhere}.healthy{color:var(--good)}.degraded{color:var(--warn)}.failing{color:var(--bad)}"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{text-align:right;padding:3px 8px;border-bottom:1px "
    "solid "
    "var(--line);vertical-align:top}th{color:var(--faint);font-weight:500}th:first-child,td:first-child{text-align:left;padding-left:0;"
    "overflow-wrap:anywhere}tr:last-child td{border-bottom:0}.text{text-align:left;white-space:pre-wrap;overflow-wrap:anywhere}"
    "svg{width:100%;height:auto;display:block}svg "
    "text{font-size:11px;fill:var(--faint)}.grid{stroke:var(--line)}.line{fill:none;stroke-width:1.6;"
    "stroke-linejoin:round;stroke-linecap:round}.rate,.p50{stroke:var(--accent)}.errors,.p99{stroke:var(--bad)}.p90{stroke:var(--warn)}"
    ".key{font-weight:400;color:var(--faint)}.key b{font-weight:600}.k1{color:var(--accent)}.k2{color:var(--warn)}.k3{color:var(--bad)}"
    ".heat{fill:var(--accent)}.heat0{fill-opacity:.1}.heat1{fill-opacity:.2}.heat2{fill-opacity:.32}.heat3{fill-opacity:.45}"
    ".heat4{fill-opacity:.58}.heat5{fill-opacity:.72}.heat6{fill-opacity:.86}@media print{body{padding:0}section{border-radius:0}}";

std::string text(std::string_view t) { return html_escaped(printable_prefix(t, kTextShown)); }
std::string shown(Nanos d) { return format_duration(round_for_report(d)); }

std::string section(std::string_view title, std::string_view content) {
  return content.empty() ? "" : fmt::format("<section><h2>{}</h2>{}</section>", title, content);
}

std::string table(std::string_view head, std::string_view rows) {
  if (rows.empty()) return {};
  return fmt::format("<table>{}{}{}<tbody>{}</tbody></table>", head.empty() ? "" : "<thead><tr>", head, head.empty() ? "" : "</tr></thead>",
                     rows);
}

std::string row(std::string_view name, std::string_view value) { return fmt::format("<tr><td>{}</td><td>{}</td></tr>", name, value); }

std::string heading(const RunReport& r) {
  const std::string title = text(r.method) + " " + text(r.url);
  std::string out = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\"><meta name=\"generator\" content=\"thrum run\"><meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
      "'none'\"><style>{1}</style></head><body><header><h1>{0}</h1><p>{2} · from {3}</p></header>",
      title, kStyle, text(r.load), format_rfc3339(r.summary.started));
  std::string findings;
  for (const RunFinding& f : r.verdict.findings)
    findings += fmt::format("<li><span class=\"{}\">{}</span> {}</li>", name_of(f.level), symbol_of(f.level), text(f.text));
  return out + fmt::format("<section><h1 class=\"{0}\">{1} {0}</h1><p>{2}</p><ul>{3}</ul></section>", name_of(r.verdict.level),
                           symbol_of(r.verdict.level), text(run_figures(r)), findings);
}

std::string charts(const RunReport& r) {
  std::string out;
  if (r.by_second != nullptr)
    out += section("Latency over time <span class=\"key\">the more requests, the darker</span>", heatmap_chart(*r.by_second));
  // Minutes once there are three of them, as for the verdict.
  const bool by_minutes = r.minutes.size() >= 3;
  const auto& points = by_minutes ? r.minutes : r.seconds;
  const std::int64_t width = by_minutes ? 60 : 1;
  out += section("Throughput <span class=\"key\"><b class=\"k1\">ended</b> and <b class=\"k3\">failed</b> per second</span>",
                 throughput_chart(points, width));
  return out + section("Percentiles <span class=\"key\"><b class=\"k1\">50th</b> <b class=\"k2\">90th</b> <b class=\"k3\">99th</b></span>",
                       percentile_chart(points, width));
}

std::string latencies(const RunReport& r) {
  const Metrics& m = r.tally->metrics();
  const bool has_service = m.lags().count() > 0 && !r.asked.empty();
  std::string rows;
  const auto add = [&](std::string_view name, auto of) {
    rows += fmt::format("<tr><td>{}</td><td>{}</td>{}</tr>", name, shown(of(m.latencies())),
                        has_service ? fmt::format("<td>{}</td>", shown(of(m.service_latencies()))) : "");
  };
  if (m.requests() == 0) return {};
  add("min", [](const Histogram& h) { return h.min(); });
  add("mean", [](const Histogram& h) { return h.mean(); });
  for (const auto& [name, q] :
       {std::pair("50th", 0.5), {"90th", 0.9}, {"95th", 0.95}, {"99th", 0.99}, {"99.9th", 0.999}, {"99.99th", 0.9999}})
    add(name, [q = q](const Histogram& h) { return h.quantile(q); });
  add("max", [](const Histogram& h) { return h.max(); });
  return table(has_service ? "<th></th><th>from when due</th><th>from when sent</th>" : "", rows);
}

std::string figures(const RunReport& r) {
  const RunTally& t = *r.tally;
  const Figures& f = t.metrics().figures();
  std::string rows = row("requests", fmt::format("{}", f.requests)) + row("succeeded", fmt::format("{}", t.metrics().succeeded())) +
                     row("failed by status or content", fmt::format("{}", t.http_errors())) +
                     row("timed out", fmt::format("{}", t.timeouts())) +
                     row("without a response", fmt::format("{}", t.connection_errors()));
  if (r.summary.books.missed > 0) rows += row("missed", fmt::format("{}", r.summary.books.missed));
  if (r.summary.books.cut > 0) rows += row("cut", fmt::format("{}", r.summary.books.cut));
  if (!r.asked.empty()) rows += row("rate asked for", text(r.asked));
  rows += row("per second", fmt::format("{:.6g}", requests_per_second(r))) + row("bytes of bodies", fmt::format("{}", f.bytes_in.total));
  rows += row("connections opened", fmt::format("{}", r.summary.connections.opened));
  for (const auto& [code, count] : f.status_codes)
    if (code != 0) rows += row(fmt::format("status {}", code), fmt::format("{}", count));
  return table("", rows);
}

std::string failures(const RunReport& r) {
  std::string rows;
  for (const FailureCauses::Cause& c : r.tally->causes().by_count())
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>", text(c.text), c.count, text(c.body));
  return table("<th>cause</th><th>count</th><th class=\"text\">first body</th>", rows);
}

std::string slowest(const RunReport& r) {
  std::string rows;
  for (const Slowest::One& s : r.tally->slowest().kept())
    rows += fmt::format("<tr><td>{}</td><td>{:.3f} s</td><td>{}</td></tr>", shown(s.latency), static_cast<double>(s.at.count()) / 1e9,
                        s.status);
  return table("<th>latency</th><th>sent at</th><th>status</th>", rows);
}

std::string conditions(const RunReport& r) {
  std::string rows;
  for (const Judged& j : r.judged)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>", text(j.gate), text(j.value),
                        j.is_crossed ? "failing" : "healthy", j.is_crossed ? "crossed" : "held");
  return table("<th>condition</th><th>value</th><th></th>", rows);
}

std::string settings(const RunReport& r) {
  std::string rows = row("thrum", fmt::format("{} on {}, {}, {} cores", kVersion, text(r.host), text(r.os), r.cpus)) +
                     row("sending threads", fmt::format("{}, the busiest used {:.0f} % of a core", r.summary.shards, r.peak_busy * 100));
  for (const auto& [flag, value] : r.settings) rows += row("-" + text(flag), text(value));
  return table("", rows);
}

}  // namespace

std::string run_page(const RunReport& r) {
  return heading(r) + "<div class=\"pair\">" + section("Requests", figures(r)) + section("Latency", latencies(r)) + "</div>" + charts(r) +
         section("Failures", failures(r)) + section("Conditions", conditions(r)) + "<div class=\"pair\">" + section("Slowest", slowest(r)) +
         section("Settings", settings(r)) + "</div><p>Made by thrum.</p></body></html>\n";
}

}  // namespace thrum::report
