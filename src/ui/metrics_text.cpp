#include "ui/metrics_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "base/text.hpp"
#include "base/version.hpp"

namespace thrum::ui {
namespace {

enum class Type : std::uint8_t { counter, gauge, histogram, untyped };

// The backslash, the quote and the line end are all that the formats escape; label values are printable text.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

double seconds(__int128 nanos) { return static_cast<double>(nanos) / 1e9; }

class Page {
 public:
  Page(std::string& out, MetricsFormat format) : out_(out), is_open_(format == MetricsFormat::open_metrics) {}

  // What follows are samples of this family. `name` of a counter is without its _total.
  void family(std::string_view name, Type type, std::string_view help) {
    name_ = name;
    suffix_ = type == Type::counter ? "_total" : "";
    const std::string_view shown_suffix = is_open_ ? "" : suffix_;
    put("# HELP {}{} {}\n# TYPE {}{} {}\n", name, shown_suffix, help, name, shown_suffix, word(type));
  }

  // `labels`: with braces, or nothing.
  template <class Number>
  void sample(std::string_view labels, Number value) {
    put("{}{}{} {}\n", name_, suffix_, labels, value);
  }

  // `labels`: without braces; those of a bucket come before its bound.
  template <std::size_t kBounds>
  void histogram(std::string_view labels, const BoundCounts<kBounds>& buckets, const std::array<Nanos, kBounds>& bounds) {
    const std::string_view comma = labels.empty() ? "" : ",";
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < kBounds; ++i) {
      below += buckets.counts[i];
      put("{}_bucket{{{}{}le=\"{}\"}} {}\n", name_, labels, comma, bound(bounds[i]), below);
    }
    put("{}_bucket{{{}{}le=\"+Inf\"}} {}\n", name_, labels, comma, buckets.count);
    const std::string braced = labels.empty() ? "" : fmt::format("{{{}}}", labels);
    put("{}_sum{} {}\n{}_count{} {}\n", name_, braced, seconds(buckets.sum), name_, braced, buckets.count);
  }

  void end() {
    if (is_open_) put("# EOF\n");
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  std::string_view word(Type type) const {
    switch (type) {
      case Type::counter:
        return "counter";
      case Type::gauge:
        return "gauge";
      case Type::histogram:
        return "histogram";
      case Type::untyped:
        return is_open_ ? "unknown" : "untyped";
    }
    return "";
  }

  // As vegeta's client library writes it ("10", "0.005"); OpenMetrics wants to see that it is no integer ("10.0").
  std::string bound(Nanos value) const {
    std::string text = fmt::format("{:g}", static_cast<double>(value.count()) / 1e9);
    if (is_open_ && text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }

  std::string& out_;
  const bool is_open_;
  std::string_view name_, suffix_;
};

std::string status_text(const LabelSet& set) { return set.status == LabelSet::kOtherStatus ? "others" : fmt::format("{}", set.status); }

// In the order of vegeta's page, which is that of the labels' names.
std::string labels_of(const LabelCounts& counts, const LabelSet& set) {
  return fmt::format("method=\"{}\",status=\"{}\",url=\"{}\"", escaped(counts.method(set)), status_text(set), escaped(counts.url(set)));
}

// Vegeta's. All but the histogram are untyped: their names are not those of counters (_total), and in OpenMetrics a counter
// would get another name.
void put_requests(Page& page, const LabelCounts& counts) {
  page.family("request_bytes_in", Type::untyped, "Bytes of response bodies received, as they came over the wire");
  for (const auto& r : counts.requests()) page.sample(fmt::format("{{{}}}", labels_of(counts, r.labels)), r.bytes_in);
  page.family("request_bytes_out", Type::untyped, "Bytes of request bodies sent");
  for (const auto& r : counts.requests()) page.sample(fmt::format("{{{}}}", labels_of(counts, r.labels)), r.bytes_out);
  page.family("request_fail_count", Type::untyped, "Requests that failed, by what went wrong");
  for (const auto& f : counts.failures()) {
    page.sample(fmt::format("{{message=\"{}\",{}}}", escaped(counts.message(f.labels)), labels_of(counts, f.labels)), f.count);
  }
  page.family("request_seconds", Type::histogram, "Service latency: from sending a request to the end of its response");
  for (const auto& r : counts.requests()) page.histogram(labels_of(counts, r.labels), r.latencies, LabelCounts::kLatencyBounds);
}

void put_own(Page& page, const MetricsView& view) {
  const Progress& p = view.progress;
  page.family("thrum_scheduled", Type::counter, "Hits that were due");
  page.sample("", p.due);
  page.family("thrum_sent", Type::counter, "Hits that were sent");
  page.sample("", p.sent);
  page.family("thrum_missed", Type::counter, "Hits that were due and not sent");
  page.sample("", p.missed);
  page.family("thrum_in_flight", Type::gauge, "Hits that were sent and are not over");
  page.sample("", p.in_flight);
  page.family("thrum_lag_seconds", Type::histogram, "How long after it was due a request was sent");
  page.histogram("", view.counts.lag(), LabelCounts::kLagBounds);
  page.family("thrum_connections_opened", Type::counter, "Connections that were opened, or tried to be");
  page.sample("", p.connections_opened);
  page.family("thrum_connections_open", Type::gauge, "Connections that are open or being opened");
  page.sample("", p.connections_open);
  page.family("thrum_generator_busy_ratio", Type::gauge, "CPU that the busiest sending thread needs of what it can have, 0 to 1");
  page.sample("", p.busiest_shard);
  page.family("thrum_attack_running", Type::gauge, "1 while the attack runs, 0 before and after");
  page.sample("", view.is_running ? 1 : 0);
  page.family("thrum_build_info", Type::gauge, "Always 1; its label is the version of thrum");
  page.sample(fmt::format("{{version=\"{}\"}}", kVersion), 1);
}

// One range of an Accept header (RFC 9110 section 12.5.1): "text/plain;version=0.0.4;q=0.5".
struct Range {
  std::string type, version;
  double quality = 1;
};

Range read_range(std::string_view text) {
  Range range;
  for (bool is_type = true; !text.empty(); is_type = false) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_type) {
      range.type = lower(part);
      continue;
    }
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string name = lower(trim(part.substr(0, equals)));
    const std::string_view value = trim(part.substr(std::min(equals + 1, part.size())));
    if (name == "version") range.version = value;
    if (name == "q" && std::from_chars(value.data(), value.data() + value.size(), range.quality).ec != std::errc()) range.quality = 0;
  }
  return range;
}

}  // namespace

// OpenMetrics has to be named; any other range is served with text as well as with anything.
MetricsFormat format_for(std::string_view accept) {
  double open = 0, plain = 0;
  while (!accept.empty()) {
    const std::size_t end = std::min(accept.find(','), accept.size());
    const Range range = read_range(accept.substr(0, end));
    accept.remove_prefix(std::min(end + 1, accept.size()));
    if (range.type == "application/openmetrics-text") {
      if (range.version.empty() || range.version == "1.0.0") open = std::max(open, range.quality);
    } else if (range.type == "text/plain") {
      if (range.version.empty() || range.version == "0.0.4") plain = std::max(plain, range.quality);
    }
  }
  return open > 0 && open >= plain ? MetricsFormat::open_metrics : MetricsFormat::text;
}

std::string_view content_type(MetricsFormat format) {
  return format == MetricsFormat::text ? "text/plain; version=0.0.4; charset=utf-8"
                                       : "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

std::string metrics_text(const MetricsView& view, MetricsFormat format) {
  std::string out;
  Page page(out, format);
  put_requests(page, view.counts);
  put_own(page, view);
  page.end();
  return out;
}

}  // namespace thrum::ui
