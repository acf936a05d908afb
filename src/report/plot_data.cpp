#include "report/plot_data.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "base/version.hpp"
#include "report/json_text.hpp"
#include "report/plot_template.hpp"

namespace thrum::report {
namespace {

// Shortest digits that read back as `value`, never with an exponent.
void append_plain(double value, std::string& out) {
  char text[400];
  out.append(text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr);
}

template <class T, class Append>
void append_array(const T& values, std::string& out, Append&& append) {
  out += '[';
  bool comma = false;
  for (const auto& value : values) {
    if (comma) out += ',';
    comma = true;
    append(value);
  }
  out += ']';
}

void append_string(std::string_view text, std::string& out) { JsonWriter(out).string(text); }

void append_counts(const std::vector<std::uint32_t>& counts, std::string& out) {
  append_array(counts, out, [&](std::uint32_t count) { out += std::to_string(count); });
}

// Nanoseconds as milliseconds with four digits that count: enough for a chart, and half the room.
void append_milliseconds(std::int64_t nanos, std::string& out) {
  if (nanos == 0) {
    out += '0';
    return;
  }
  const double magnitude = std::abs(static_cast<double>(nanos));
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(magnitude)) - 3));
  append_plain(std::round(static_cast<double>(nanos) / unit) * unit / 1e6, out);
}

struct QuantileField {
  std::string_view name;
  std::int64_t PlotQuantiles::* field;
};
constexpr std::array kQuantiles{QuantileField{"p50", &PlotQuantiles::p50},    QuantileField{"p90", &PlotQuantiles::p90},
                                QuantileField{"p95", &PlotQuantiles::p95},    QuantileField{"p99", &PlotQuantiles::p99},
                                QuantileField{"p99.9", &PlotQuantiles::p999}, QuantileField{"max", &PlotQuantiles::max}};

// {"p50":…,"max":…}: of a whole run, in full precision.
void append_quantiles(const Histogram& h, std::string& out) {
  const PlotQuantiles q = PlotQuantiles::of(h);
  out += '{';
  for (const QuantileField& f : kQuantiles) {
    append_string(f.name, out += f.name == "p50" ? "" : ",");
    append_plain(static_cast<double>(q.*f.field) / 1e6, out += ':');
  }
  out += '}';
}

// {"p50":[…],"max":[…]}: by bin, null where nothing was sent.
void append_quantiles(const std::vector<std::optional<PlotQuantiles>>& bins, std::string& out) {
  out += '{';
  for (const QuantileField& f : kQuantiles) {
    append_string(f.name, out += f.name == "p50" ? "" : ",");
    append_array(bins, out += ':', [&](const std::optional<PlotQuantiles>& q) {
      if (q)
        append_milliseconds((*q).*f.field, out);
      else
        out += "null";
    });
  }
  out += '}';
}

// A line that has nothing in this run is null: most runs have few codes.
void append_lines(const std::vector<PlotBins::Counts>& lines, std::string& out) {
  append_array(lines, out, [&](const PlotBins::Counts& counts) {
    if (std::ranges::all_of(counts, [](std::uint32_t n) { return n == 0; }))
      out += "null";
    else
      append_counts(counts, out);
  });
}

void append_bins(const PlotDataRun& run, std::string& out) {
  const PlotBins& bins = run.chart.bins;
  out += R"({"asked":)";
  if (run.asked)
    append_counts(*run.asked, out);
  else
    out += "null";
  append_counts(bins.sent(), out += R"(,"sent":)");
  append_counts(bins.answered(), out += R"(,"answered":)");
  append_quantiles(bins.latencies(), out += R"(,"latency":)");
  out += R"(,"lag":)";
  if (bins.has_lags())
    append_quantiles(bins.lags(), out);
  else
    out += "null";
  append_lines(bins.codes(), out += R"(,"codes":)");
  append_lines(bins.errors(), out += R"(,"errors":)");
  out += '}';
}

void append_run(const PlotDataRun& run, std::string& out) {
  append_string(run.name.shown, out += R"({"name":)");
  append_string(run.attack, out += R"(,"attack":)");
  append_array(run.files, out += R"(,"files":)", [&](const std::string& file) { append_string(file, out); });
  append_string(format_rfc3339(run.start), out += R"(,"start":)");
  append_plain(run.after_first, out += R"(,"after":)");
  append_plain(run.seconds, out += R"(,"seconds":)");
  out += R"(,"results":)" + std::to_string(run.results) + R"(,"succeeded":)" + std::to_string(run.succeeded);
  out += R"(,"answered":)" + std::to_string(run.answered);
  out += R"(,"answeredLater":)" + std::to_string(run.chart.bins.answered_later());
  append_string(run.shape, out += R"(,"asked":)");
  out += R"(,"missed":)" + (run.missed ? std::to_string(*run.missed) : "null");
  append_string(run.judged_by_response ? "response" : "service", out += R"(,"clock":)");
  append_quantiles(run.chart.bins.all_latencies(), out += R"(,"latency":)");
  out += R"(,"lag":)";
  if (run.chart.bins.has_lags())
    append_quantiles(run.chart.bins.all_lags(), out);
  else
    out += "null";
  append_array(run.marks, out += R"(,"marks":)", [&](const PlotMark& mark) {
    append_plain(static_cast<double>(mark.at.count() / 1'000'000) / 1e3, out += R"({"at":)");
    append_string(mark.text, out += R"(,"text":)");
    out += '}';
  });
  append_bins(run, out += R"(,"bins":)");
  out += '}';
}

void append_places(const std::vector<PlotPlace>& places, std::string& out) {
  append_array(places, out += R"({"x":)", [&](const PlotPlace& p) { append_plain(p.x, out); });
  append_array(places, out += R"(,"y":)", [&](const PlotPlace& p) { append_plain(p.y, out); });
  out += '}';
}

// Vegeta's options, byte by byte: programs that read its pages look for them. Its colours go round in two circles.
void append_options(const PlotData& data, const std::vector<SeriesRef>& order, std::string& out) {
  constexpr std::array kFailed{"#EE7860", "#DD624E", "#CA4E3E", "#B63A30", "#9F2823", "#881618", "#6F050E"};
  constexpr std::array kOk{"#E9D758", "#297373", "#39393A", "#A1CDF4", "#593C8F", "#171738", "#A1674A"};
  append_string(data.title, out += "{\n     \"title\": ");
  out += ",\n     \"labels\": [\n      \"Seconds\"";
  for (const SeriesRef& ref : order) {
    const PlotDataRun& run = data.runs[ref.run];
    append_string(run.name.label + (run.chart.series[ref.series].failed ? ": ERROR" : ": OK"), out += ",\n      ");
  }
  out += "\n     ],\n     \"colors\": [";
  std::size_t failed = 0, ok = 0;
  for (const SeriesRef& ref : order) {
    const bool is_failed = data.runs[ref.run].chart.series[ref.series].failed;
    const char* color = is_failed ? kFailed[failed++ % kFailed.size()] : kOk[ok++ % kOk.size()];
    append_string(color, out += failed + ok == 1 ? "\n      " : ",\n      ");
  }
  out += "\n     ]\n    }";
}

}  // namespace

std::vector<SeriesRef> vegetas_order(const PlotData& data) {
  std::vector<std::pair<std::string, SeriesRef>> keyed;
  for (std::size_t run = 0; run < data.runs.size(); ++run)
    for (std::size_t i = 0; i < data.runs[run].chart.series.size(); ++i)
      keyed.push_back({data.runs[run].name.label + (data.runs[run].chart.series[i].failed ? "ERROR" : "OK"), {run, i}});
  std::ranges::stable_sort(keyed, {}, &std::pair<std::string, SeriesRef>::first);
  std::vector<SeriesRef> order;
  for (const auto& [key, ref] : keyed) order.push_back(ref);
  return order;
}

std::string to_json(const PlotData& data) {
  const std::vector<SeriesRef> order = vegetas_order(data);
  std::string out = "{\n\"opts\": ";
  append_options(data, order, out);
  append_array(order, out += ",\n\"series\": ", [&](const SeriesRef& ref) {
    const PlotSeries& series = data.runs[ref.run].chart.series[ref.series];
    out += "\n{\"run\":" + std::to_string(ref.run) + (series.failed ? R"(,"failed":true)" : R"(,"failed":false)");
    append_places(series.points, (out += R"(,"results":)" + std::to_string(series.results)) += R"(,"points":)");
    append_places(series.extremes, out += R"(,"extremes":)");
    out += '}';
  });
  append_array(data.runs, out += ",\n\"runs\": ", [&](const PlotDataRun& run) { append_run(run, out += '\n'); });
  append_plain(static_cast<double>(data.bin_width) / 1e9, out += ",\n\"binSeconds\": ");
  out += ",\n\"codes\": ";
  append_array(data.codes, out, [&](std::uint16_t code) { append_string(std::to_string(code), out); });
  out += data.other_codes ? ",\n\"otherCodes\": true" : ",\n\"otherCodes\": false";
  append_array(data.errors, out += ",\n\"errors\": ", [&](const std::string& error) { append_string(error, out); });
  out += data.other_errors ? ",\n\"otherErrors\": true" : ",\n\"otherErrors\": false";
  append_string(kVersion, out += ",\n\"thrum\": ");
  return out += "\n}";
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
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
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '+':
        out += "&#43;";
        break;
      case '\0':
        out += "\uFFFD";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string plot_page(const PlotData& data) {
  const std::string title = html_escaped(data.title);
  std::string page;
  std::string_view rest = plot_template();
  for (std::size_t at = rest.find("{{"); at != std::string_view::npos; at = rest.find("{{")) {
    page += rest.substr(0, at);
    rest.remove_prefix(at);
    if (rest.starts_with("{{title}}")) {
      page += title;
      rest.remove_prefix(9);
    } else if (rest.starts_with("{{data}}")) {
      page += to_json(data);
      rest.remove_prefix(8);
    } else {
      page += "{{";
      rest.remove_prefix(2);
    }
  }
  return page += rest;
}

}  // namespace thrum::report
