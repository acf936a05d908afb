#include <algorithm>
#include <cmath>
#include <map>

#include "base/version.hpp"
#include "report/json_text.hpp"
#include "report/run_report.hpp"

namespace thrum::report {
namespace {

double thousandths(double value) { return std::round(value * 1000) / 1000; }
double ms(Nanos d) { return thousandths(static_cast<double>(d.count()) / 1e6); }
double seconds(Nanos d) { return thousandths(static_cast<double>(d.count()) / 1e9); }

void phase(JsonWriter& w, std::string_view name, const Histogram& h) {
  if (h.count() == 0) return;
  w.key(name).begin_object().key("count").unsigned_integer(h.count()).key("median_ms").number(ms(h.quantile(0.5)));
  w.key("p99_ms").number(ms(h.quantile(0.99))).key("max_ms").number(ms(h.max())).end_object();
}

double deviation_ms(const Histogram& h) {
  if (h.count() == 0) return 0;
  const double n = static_cast<double>(h.count()), mean = static_cast<double>(h.sum()) / n;
  double squares = 0;
  for (const Histogram::Bin& b : h.bins()) {
    const double away = (static_cast<double>(b.lowest) + static_cast<double>(b.highest)) / 2 - mean;
    squares += away * away * static_cast<double>(b.count);
  }
  return thousandths(std::sqrt(squares / n) / 1e6);
}

void latency_fields(JsonWriter& w, const Histogram& h) {
  w.key("min_ms").number(ms(h.min())).key("max_ms").number(ms(h.max())).key("avg_ms").number(ms(h.mean()));
  w.key("std_dev_ms").number(deviation_ms(h)).key("median_ms").number(ms(h.quantile(0.5)));
  w.key("p90_ms").number(ms(h.quantile(0.9))).key("p95_ms").number(ms(h.quantile(0.95))).key("p99_ms").number(ms(h.quantile(0.99)));
  w.key("p999_ms").number(ms(h.quantile(0.999))).key("p9999_ms").number(ms(h.quantile(0.9999)));
}

// Bins of 24 to a power of ten: a row is the bin's upper bound and its count. Rows of several reports add up.
void histogram(JsonWriter& w, const Histogram& h) {
  std::map<std::size_t, std::uint64_t> bins;
  for (const Histogram::Bin& b : h.bins()) bins[CoarseHistogram::bin_of(Nanos(b.lowest + (b.highest - b.lowest) / 2))] += b.count;
  const auto bounds = CoarseHistogram::bounds();
  w.key("histogram").begin_array();
  for (const auto& [bin, count] : bins) {
    w.begin_array();
    bin < bounds.size() ? w.number(static_cast<double>(bounds[bin]) / 1e6) : w.null();
    w.unsigned_integer(count).end_array();
  }
  w.end_array();
}

void latency(JsonWriter& w, const RunReport& r) {
  const RunTally& t = *r.tally;
  w.key("latency").begin_object();
  latency_fields(w, t.metrics().latencies());
  w.key("phases").begin_object();
  phase(w, "connect", t.connects());
  const Metrics::Phases& p = t.metrics().phases();
  phase(w, "dns", p.dns);
  phase(w, "tcp", p.connect);
  phase(w, "tls", p.tls);
  phase(w, "first_byte", t.first_bytes());
  phase(w, "download", p.transfer);
  if (p.dns.count() > 0) w.key("dns_lookup_avg_ms").number(ms(p.dns.mean()));
  w.end_object();
  histogram(w, t.metrics().latencies());
  w.end_object();
  if (t.metrics().lags().count() == 0) return;
  w.key("service_time").begin_object();
  latency_fields(w, t.metrics().service_latencies());
  w.end_object();
  w.key("queued").begin_object().key("median_ms").number(ms(t.metrics().lags().quantile(0.5)));
  w.key("p99_ms").number(ms(t.metrics().lags().quantile(0.99))).key("max_ms").number(ms(t.metrics().lags().max())).end_object();
}

void lists(JsonWriter& w, const RunReport& r) {
  const auto& slowest = r.tally->slowest().kept();
  if (!slowest.empty()) {
    w.key("slowest_requests").begin_array();
    for (const Slowest::One& s : slowest)
      w.begin_object()
          .key("at_s")
          .number(seconds(s.at))
          .key("latency_ms")
          .number(ms(s.latency))
          .key("status")
          .integer(s.status)
          .end_object();
    w.end_array();
  }
  if (!r.anomalies.empty()) {
    w.key("anomalies").begin_array();
    for (const Anomaly& a : r.anomalies)
      w.begin_object().key("at_s").integer(a.at).key("kind").string(name_of(a.kind)).key("text").string(a.text).end_object();
    w.end_array();
  }
  const auto causes = r.tally->causes().by_count();
  if (causes.empty()) return;
  w.key("failures").begin_array();
  for (const FailureCauses::Cause& c : causes) {
    w.begin_object().key("cause").string(c.text).key("count").unsigned_integer(c.count);
    if (!c.body.empty()) w.key("example_body").string(c.body);
    w.end_object();
  }
  w.end_array();
}

void summary(JsonWriter& w, const RunReport& r) {
  const RunTally& t = *r.tally;
  const Figures& f = t.metrics().figures();
  w.key("summary").begin_object().key("total_requests").unsigned_integer(f.requests);
  w.key("successful_requests").unsigned_integer(t.metrics().succeeded()).key("failed_requests").unsigned_integer(t.metrics().failed());
  w.key("http_errors").unsigned_integer(t.http_errors()).key("timeout_errors").unsigned_integer(t.timeouts());
  w.key("connection_errors").unsigned_integer(t.connection_errors()).key("interrupted").boolean(r.summary.stopped);
  if (!r.aborted_by.empty()) w.key("aborted_by").string(r.aborted_by);
  w.key("cut").unsigned_integer(r.summary.books.cut).key("duration_ms").number(ms(r.summary.elapsed));
  w.key("requests_per_second").number(thousandths(requests_per_second(r))).key("data_transfer_bytes").unsigned_integer(f.bytes_in.total);
  latency(w, r);
  w.key("status_codes").begin_object();
  for (const auto& [code, count] : f.status_codes)
    if (code != 0) w.key(std::to_string(code)).unsigned_integer(count);
  w.end_object().key("redirects").unsigned_integer(t.metrics().redirects());
  lists(w, r);
  w.end_object();
}

void verdict(JsonWriter& w, const Verdict& v) {
  w.key("verdict").begin_object().key("level").string(name_of(v.level)).key("findings").begin_array();
  for (const RunFinding& f : v.findings)
    w.begin_object().key("level").string(name_of(f.level)).key("code").string(f.code).key("text").string(f.text).end_object();
  w.end_array().end_object();
}

void generator(JsonWriter& w, const RunReport& r) {
  const Summary& s = r.summary;
  w.key("generator").begin_object().key("threads").unsigned_integer(s.shards);
  w.key("peak_busy_percent").integer(std::lround(std::clamp(r.peak_busy, 0.0, 1.0) * 100));
  if (s.warmup.length > Nanos(0)) w.key("warmup_s").number(seconds(s.warmup.length)).key("warmup_requests").unsigned_integer(s.warmup.sent);
  if (!r.asked.empty()) {
    w.key("rate").string(r.asked).key("rate_per_second").number(thousandths(r.asked_rate));
    w.key("rate_missed").unsigned_integer(s.books.missed);
  }
  if (!r.limit.empty()) w.key("limit").string(r.limit);
  w.end_object();
}

void points(JsonWriter& w, std::string_view name, const std::vector<RunPoint>& all) {
  w.key(name).begin_array();
  for (const RunPoint& p : all) {
    w.begin_object().key("at_s").integer(p.at).key("requests_per_second").number(thousandths(p.rate));
    w.key("errors_per_second").number(thousandths(p.errors)).key("p50_ms").number(ms(p.p50)).key("p90_ms").number(ms(p.p90));
    w.key("p99_ms").number(ms(p.p99)).end_object();
  }
  w.end_array();
}

void settings(JsonWriter& w, const RunReport& r) {
  // A flag that was repeated has all its values.
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& [flag, value] : r.settings) values[flag].push_back(value);
  w.key("settings").begin_object();
  for (const auto& [flag, given] : values) {
    w.key(flag).begin_array();
    for (const std::string& value : given) w.string(value);
    w.end_array();
  }
  w.end_object();
}

}  // namespace

std::string run_json(const RunReport& r) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().key("schema_version").integer(1);
  w.key("tool").begin_object().key("name").string("thrum").key("version").string(kVersion).key("host").string(r.host);
  w.key("os").string(r.os).key("cpus").unsigned_integer(r.cpus).end_object();
  w.key("started_at").time(r.summary.started);
  w.key("target").begin_object().key("mode").string(r.mode).key("method").string(r.method).key("url").string(r.url);
  if (r.concurrency > 0) w.key("concurrency").unsigned_integer(r.concurrency);
  w.end_object();
  settings(w, r);
  summary(w, r);
  verdict(w, r.verdict);
  generator(w, r);
  // Known at the end.
  if (!r.snapshot || !r.snapshot->is_running) {
    const Connections& c = r.summary.connections;
    w.key("connections").begin_object().key("opened").unsigned_integer(c.opened).key("reused").unsigned_integer(c.reused);
    w.key("failed").unsigned_integer(c.failed).end_object();
    w.key("bytes").begin_object().key("sent").unsigned_integer(r.summary.traffic.bytes_out);
    w.key("received").unsigned_integer(r.summary.traffic.bytes_in).end_object();
  }
  if (!r.judged.empty()) {
    w.key("fail_if").begin_array();
    for (const Judged& j : r.judged)
      w.begin_object().key("condition").string(j.gate).key("value").string(j.value).key("passed").boolean(!j.is_crossed).end_object();
    w.end_array();
  }
  if (r.minutes.size() > 1) points(w, "timeline", r.minutes);
  points(w, "seconds", r.seconds);
  if (r.snapshot) {
    w.key("snapshot").begin_object().key("unix_time").integer(r.snapshot->at.seconds);
    w.key("running").boolean(r.snapshot->is_running).end_object();
  }
  w.end_object();
  out += '\n';
  return out;
}

std::string run_error_json(std::string_view code, std::string_view text) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().key("schema_version").integer(1).key("error").begin_object().key("code").string(code).key("text").string(text);
  w.end_object().end_object();
  out += '\n';
  return out;
}

}  // namespace thrum::report
