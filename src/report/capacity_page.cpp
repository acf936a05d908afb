// A search for a capacity as a page: the finding, a chart of every trial, the table. No script, no other file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "report/capacity.hpp"

namespace thrum::report {
namespace {

constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}"
    "h1{font-size:1.6rem;margin:0}p{margin:.3rem "
    "0;color:#57606a}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
    "th,td{text-align:right;padding:.25rem .6rem;border-bottom:1px solid #d0d7de}th:last-child,td:last-child{text-align:left}"
    ".held{fill:#1a7f37;color:#1a7f37}.failed{fill:#cf222e;color:#cf222e}svg{width:100%;height:auto;margin:1rem 0}"
    "svg text{font-size:12px;fill:#57606a}.axis{stroke:#d0d7de}"
    "@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}th,td{border-color:#30363d}.axis{stroke:#30363d}"
    ".held{fill:#3fb950;color:#3fb950}.failed{fill:#f85149;color:#f85149}}";

constexpr double kWidth = 900, kHeight = 280, kLeft = 70, kBottom = 40, kTop = 12, kRight = 16;

std::string shown(Nanos d) { return format_duration(round_for_report(d)); }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable_prefix(text, 400)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Both axes are logarithmic: rates double, and latencies of a target that falls behind go up by thousands.
struct Axis {
  double low = 0, high = 1, from = 0, to = 1;
  double at(double value) const { return from + (std::log10(std::max(value, 1e-12)) - low) / (high - low) * (to - from); }
};

Axis axis_of(double least, double most, double from, double to) {
  Axis a{std::floor(std::log10(least)), std::ceil(std::log10(most)), from, to};
  if (a.high <= a.low) a.high = a.low + 1;
  return a;
}

std::string chart(const CapacityFindings& f) {
  double least_rate = 1e300, most_rate = 0, least = 1e300, most = 0;
  for (const CapacityTrial& t : f.trials) {
    least_rate = std::min(least_rate, t.rate), most_rate = std::max(most_rate, t.rate);
    const double p99 = std::max(1000.0, static_cast<double>(t.p99.count()));
    least = std::min(least, p99), most = std::max(most, p99);
  }
  if (most_rate <= 0) return {};
  const Axis x = axis_of(least_rate, most_rate, kLeft, kWidth - kRight), y = axis_of(least, most, kHeight - kBottom, kTop);
  std::string out =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"99th percentile of each rate tried\">", kWidth, kHeight);
  for (double e = x.low; e <= x.high; ++e) {
    const double at = x.at(std::pow(10, e));
    out += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", at, kTop, kHeight - kBottom);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}/s</text>", at, kHeight - kBottom + 18, std::pow(10, e));
  }
  for (double e = y.low; e <= y.high; ++e) {
    const double at = y.at(std::pow(10, e));
    out += fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", kLeft, kWidth - kRight, at);
    out += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 8, at + 4,
                       format_duration(Nanos(static_cast<std::int64_t>(std::pow(10, e)))));
  }
  for (const CapacityTrial& t : f.trials)
    out += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{:.6g}/s: {}</title></circle>",
                       t.held ? "held" : "failed", x.at(t.rate), y.at(std::max(1000.0, static_cast<double>(t.p99.count()))),
                       t.is_confirmation ? 7 : 4, t.rate, shown(t.p99));
  return out + fmt::format("<text x=\"{}\" y=\"{}\">99th percentile by rate; large: confirmations</text></svg>", kLeft, kHeight - 4);
}

}  // namespace

std::string capacity_page(const CapacityFindings& f) {
  const std::string rate = f.rate == 0 ? "no capacity found" : fmt::format("{}{:.6g}/s", f.failed ? "" : "at least ", f.rate);
  std::string out = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{0}</title><style>{1}</style></head><body><h1>{0}</h1>",
      rate, kStyle);
  out += fmt::format("<p>{}</p><p>holds: {}</p>", escaped(f.target), escaped(fmt::format("{}", fmt::join(f.slo, ", "))));
  if (f.failed) out += fmt::format("<p>the lowest rate that did not hold: {:.6g}/s</p>", *f.failed);
  if (f.met_own_limit) out += "<p>more could not be sent from this machine on time</p>";
  out += chart(f);
  out +=
      "<table><thead><tr><th>Rate</th><th>Time</th><th>Sent</th><th>Success</th><th>50</th><th>99</th><th>Max</th><th>In flight</th>"
      "<th>Growth</th><th>Verdict</th></tr></thead><tbody>";
  for (const CapacityTrial& t : f.trials)
    out += fmt::format(
        "<tr><td>{:.6g}/s</td><td>{}</td><td>{}</td><td>{:.2f}%</td><td>{}</td><td>{}</td><td>{}</td><td>{} to {}</td>"
        "<td>{:.1f} ms/s</td><td class=\"{}\">{}</td></tr>",
        t.rate, format_duration(t.length), t.sent, t.success * 100, shown(t.p50), shown(t.p99), shown(t.max), t.in_flight_before,
        t.in_flight_after, t.slope * 1000, t.held ? "held" : "failed",
        t.held ? (t.is_confirmation ? "confirmed" : "held") : escaped(t.why));
  return out + "</tbody></table></body></html>\n";
}

}  // namespace thrum::report
