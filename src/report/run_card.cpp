// A run as a card for a page or a message: one SVG picture that needs nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "report/run_report.hpp"

namespace thrum::report {
namespace {

constexpr int kWidth = 640, kLine = 22, kTop = 150, kChart = 60;
constexpr std::size_t kMostFindings = 6;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string_view colour_of(Level level) { return level == Level::healthy ? "#107030" : level == Level::degraded ? "#8a5800" : "#b82020"; }

// Requests a second over time, as bars at the card's foot.
std::string chart(const RunReport& r, int y) {
  std::string out;
  double peak = 0;
  for (const RunPoint& p : r.seconds) peak = std::max(peak, p.rate);
  if (peak <= 0) return out;
  const double width = 592.0 / static_cast<double>(r.seconds.size());
  for (std::size_t i = 0; i < r.seconds.size(); ++i) {
    const double height = r.seconds[i].rate / peak * kChart;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#4280c4\"/>\n",
                       24 + static_cast<double>(i) * width, y + kChart - height, std::max(0.5, width - 0.5), height);
  }
  return out;
}

}  // namespace

std::string run_card(const RunReport& r) {
  const std::size_t findings = std::min(kMostFindings, r.verdict.findings.size());
  const int foot = kTop + static_cast<int>(findings) * kLine, height = foot + kChart + 32;
  std::string level(name_of(r.verdict.level));
  if (!level.empty()) level[0] = static_cast<char>(level[0] - 'a' + 'A');
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\">\n"
      "<rect width=\"{0}\" height=\"{1}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c8ccd4\"/>\n",
      kWidth, height);
  const auto line = [&](int y, int size, std::string_view colour, std::string_view text, std::string_view more = "") {
    out += fmt::format("<text x=\"24\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}>{}</text>\n", y, size, colour, more, escaped(text));
  };
  line(40, 22, colour_of(r.verdict.level), fmt::format("{} {}", symbol_of(r.verdict.level), level), " font-weight=\"bold\"");
  line(68, 14, "#242934", printable_prefix(fmt::format("{} {}", r.method, r.url), 84));
  line(90, 13, "#5c6270", r.load);
  line(118, 13, "#242934", printable_prefix(run_figures(r), 96));
  for (std::size_t i = 0; i < findings; ++i) {
    const RunFinding& f = r.verdict.findings[i];
    line(kTop + static_cast<int>(i) * kLine, 13, colour_of(f.level),
         printable_prefix(fmt::format("{} {}", symbol_of(f.level), f.text), 96));
  }
  out += chart(r, foot);
  return out + "</svg>\n";
}

}  // namespace thrum::report
