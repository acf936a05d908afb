#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "report/run_report.hpp"

namespace thrum::report {
namespace {

constexpr std::size_t kUrlShown = 200, kTextShown = 400;

std::string shown(Nanos d) { return format_duration(round_for_report(d)); }

std::string bytes_text(std::uint64_t bytes) {
  const double n = static_cast<double>(bytes);
  if (n < 1000) return fmt::format("{} B", bytes);
  if (n < 1e6) return fmt::format("{:.1f} kB", n / 1e3);
  return n < 1e9 ? fmt::format("{:.1f} MB", n / 1e6) : fmt::format("{:.2f} GB", n / 1e9);
}

std::string capitalised(std::string_view word) {
  std::string out(word);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string_view colour_of(Level level) {
  switch (level) {
    case Level::healthy:
      return "\x1b[32m";
    case Level::degraded:
      return "\x1b[33m";
    case Level::failing:
      return "\x1b[31m";
  }
  return "";
}

std::string coloured(Level level, std::string_view text, bool in_colour) {
  return in_colour ? fmt::format("{}{}\x1b[0m", colour_of(level), text) : std::string(text);
}

std::string rate_text(double rate) { return rate < 1000 ? fmt::format("{:.4g}/s", rate) : fmt::format("{:.0f}/s", rate); }

std::string plural(std::uint64_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

// What would be code, a link or a cell's end in Markdown.
std::string markdown(std::string_view text) {
  std::string out;
  for (const char c : printable_prefix(text, kTextShown)) {
    if (c == '|' || c == '`' || c == '*' || c == '_' || c == '[' || c == ']' || c == '<' || c == '>' || c == '\\' || c == '#' || c == '@')
      out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

double requests_per_second(const RunReport& r) {
  const double seconds = static_cast<double>(r.summary.elapsed.count()) / 1e9;
  return seconds > 0 ? static_cast<double>(r.tally->metrics().requests()) / seconds : 0;
}

std::string run_figures(const RunReport& r) {
  const Figures& f = r.tally->metrics().figures();
  std::string out = fmt::format("{}, {}", plural(f.requests, "request"), rate_text(requests_per_second(r)));
  if (f.requests > 0) out += fmt::format(", p50 {}, p99 {}", shown(f.latencies.p50), shown(f.latencies.p99));
  const std::uint64_t failed = r.tally->metrics().failed();
  out += fmt::format(", {} failed, {}, {}", failed, bytes_text(f.bytes_in.total), shown(r.summary.elapsed));
  return out;
}

std::string run_text(const RunReport& r, bool in_colour) {
  const Level level = r.verdict.level;
  std::string out = fmt::format("{} {}: {}\n", printable_prefix(r.method, 40), printable_prefix(r.url, kUrlShown), r.load);
  out += coloured(level, fmt::format("{} {}", symbol_of(level), capitalised(name_of(level))), in_colour);
  out += fmt::format("  {}\n", run_figures(r));
  for (const RunFinding& f : r.verdict.findings)
    out += fmt::format("  {} {}\n", coloured(f.level, symbol_of(f.level), in_colour), printable_prefix(f.text, kTextShown));
  return out;
}

std::string run_markdown(const RunReport& r) {
  const Figures& f = r.tally->metrics().figures();
  std::string out = fmt::format("### {} {}: {} {}\n\n", symbol_of(r.verdict.level), capitalised(name_of(r.verdict.level)),
                                markdown(r.method), markdown(r.url));
  out +=
      fmt::format("{}\n\n| requests | rate | p50 | p90 | p99 | max | failed |\n|---:|---:|---:|---:|---:|---:|---:|\n", markdown(r.load));
  out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n\n", f.requests, rate_text(requests_per_second(r)), shown(f.latencies.p50),
                     shown(f.latencies.p90), shown(f.latencies.p99), shown(f.latencies.max), r.tally->metrics().failed());
  for (const RunFinding& finding : r.verdict.findings) out += fmt::format("- {} {}\n", symbol_of(finding.level), markdown(finding.text));
  if (!r.judged.empty()) out += "\n| condition | value | |\n|---|---:|---|\n";
  for (const Judged& j : r.judged)
    out += fmt::format("| {} | {} | {} |\n", markdown(j.gate), markdown(j.value), j.is_crossed ? "FAIL" : "pass");
  return out;
}

std::string run_series_csv(const RunReport& r) {
  std::string out = "at_s,requests,requests_per_second,errors_per_second,p50_ms,p90_ms,p99_ms\n";
  const auto ms = [](Nanos d) { return static_cast<double>(d.count()) / 1e6; };
  for (const RunPoint& p : r.seconds)
    out += fmt::format("{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n", p.at, p.requests, p.rate, p.errors, ms(p.p50), ms(p.p90), ms(p.p99));
  return out;
}

}  // namespace thrum::report
