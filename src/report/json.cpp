#include "report/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "report/bottleneck.hpp"
#include "report/groups.hpp"
#include "report/json_text.hpp"
#include "report/judged.hpp"
#include "report/judgement.hpp"
#include "report/times.hpp"

namespace thrum::report {
namespace {

void vegetas_latencies(const Figures::Latencies& l, JsonWriter& w) {
  w.begin_object().key("total").nanos(l.total).key("mean").nanos(l.mean).key("50th").nanos(l.p50).key("90th").nanos(l.p90);
  w.key("95th").nanos(l.p95).key("99th").nanos(l.p99).key("max").nanos(l.max).key("min").nanos(l.min).end_object();
}

void bytes(const Figures::Bytes& b, JsonWriter& w) {
  w.begin_object().key("total").unsigned_integer(b.total).key("mean").number(b.mean).end_object();
}

void vegetas_fields(const Input& input, JsonWriter& w) {
  const Figures& f = input.total.figures();
  w.key("latencies");
  vegetas_latencies(f.latencies, w);
  if (input.buckets) {
    w.key("buckets").begin_object();
    for (std::size_t i = 0; i < input.buckets->size(); ++i)
      w.key(std::to_string(input.buckets->lower(i).count())).unsigned_integer(input.buckets->count(i));
    w.end_object();
  }
  w.key("bytes_in");
  bytes(f.bytes_in, w);
  w.key("bytes_out");
  bytes(f.bytes_out, w);
  w.key("earliest").time(f.earliest).key("latest").time(f.latest).key("end").time(f.end);
  w.key("duration").nanos(f.duration).key("wait").nanos(f.wait).key("requests").unsigned_integer(f.requests);
  w.key("rate").number(f.rate).key("throughput").number(f.throughput).key("success").number(f.success);
  w.key("status_codes").begin_object();
  for (const auto& [code, count] : f.status_codes) w.key(std::to_string(code)).unsigned_integer(count);
  w.end_object().key("errors").begin_array();
  for (const std::string& error : f.errors) w.string(error);
  w.end_array();
}

// A distribution, in nanoseconds.
void distribution(const Histogram& h, JsonWriter& w) {
  w.begin_object().key("count").unsigned_integer(h.count()).key("mean").nanos(h.mean()).key("min").nanos(h.min());
  for (const double p : {50.0, 90.0, 95.0, 99.0, 99.9, 99.99}) w.key(fmt::format("{}th", p)).nanos(h.quantile(p / 100));
  w.key("max").nanos(h.max()).end_object();
}

void distribution_or_null(const Histogram& h, JsonWriter& w) {
  if (h.count() > 0)
    distribution(h, w);
  else
    w.null();
}

void count_or_null(const std::optional<std::uint64_t>& count, JsonWriter& w) {
  if (count)
    w.unsigned_integer(*count);
  else
    w.null();
}

void string_or_null(std::string_view text, JsonWriter& w) {
  if (text.empty())
    w.null();
  else
    w.string(text);
}

void rates(const Rates& r, JsonWriter& w) {
  const auto one = [&](std::string_view name, const std::optional<double>& rate) {
    w.key(name);
    if (rate)
      w.number(*rate);
    else
      w.null();
  };
  w.begin_object();
  one("asked", r.asked);
  one("sent", r.sent);
  one("answered", r.answered);
  w.end_object();
}

void behind(const Metrics& m, JsonWriter& w) {
  const auto growth = falling_behind(m);
  if (!growth) {
    w.null();
    return;
  }
  w.begin_object().key("first_quarter_mean").nanos(growth->early).key("last_quarter_mean").nanos(growth->late);
  w.key("slope").number(growth->slope).end_object();
}

std::string_view name_of(Limit limit) {
  constexpr std::array<std::string_view, kLimits> kNames{"none",    "workers", "connections", "descriptors", "local_ports",
                                                         "targets", "cpu",     "target",      "network"};
  const auto i = static_cast<std::size_t>(limit);
  return i < kNames.size() ? kNames[i] : "unknown";
}

void failure_counts(const Metrics& m, JsonWriter& w) {
  w.begin_object();
  for (const Failure& f : failures(m)) w.key(f.name).unsigned_integer(f.count);
  w.end_object();
}

void samples(const Metrics& m, JsonWriter& w) {
  w.begin_array();
  for (const Metrics::Sample& s : m.samples()) {
    w.begin_object().key("error").string(s.error).key("seq").unsigned_integer(s.seq).key("code").unsigned_integer(s.code);
    w.key("headers").begin_array();
    for (const auto& [name, value] : s.headers) w.begin_object().key("name").string(name).key("value").string(value).end_object();
    w.end_array().key("body").string(s.body).end_object();
  }
  w.end_array();
}

void error_counts(const Metrics& m, JsonWriter& w) {
  w.begin_array();
  for (const Metrics::ErrorCount& kind : m.errors())
    w.begin_object()
        .key("error")
        .string(kind.text)
        .key("count")
        .unsigned_integer(kind.count)
        .key("first")
        .time(kind.first_sent)
        .key("last")
        .time(kind.last_sent)
        .key("targets")
        .unsigned_integer(kind.targets.size())
        .end_object();
  w.end_array();
}

void nanos_or_null(Nanos time, JsonWriter& w) {
  if (time == Result::kNone)
    w.null();
  else
    w.nanos(time);
}

void traffic(const Traffic& t, JsonWriter& w) {
  w.begin_object().key("bytes_in").unsigned_integer(t.bytes_in).key("bytes_out").unsigned_integer(t.bytes_out);
  w.key("connections").unsigned_integer(t.connections).key("segments_in").unsigned_integer(t.segments_in);
  w.key("segments_out").unsigned_integer(t.segments_out).key("retransmitted").unsigned_integer(t.retransmitted);
  w.key("retransmitted_opening").unsigned_integer(t.retransmitted_opening).key("out_of_order").unsigned_integer(t.out_of_order);
  w.key("rtt");
  nanos_or_null(t.rtt, w);
  w.key("least_rtt");
  nanos_or_null(t.least_rtt, w);
  w.end_object();
}

void interference(const Interference& i, JsonWriter& w) {
  w.begin_object().key("quota").number(i.quota).key("periods").unsigned_integer(i.periods).key("throttled").unsigned_integer(i.throttled);
  w.key("throttled_time").nanos(i.throttled_time).key("stolen").number(i.stolen);
  w.key("listen_overflows").unsigned_integer(i.listen_overflows).end_object();
}

// An order of targets that the seed has a part in.
bool is_drawn(std::string_view order) { return !order.empty() && order != name_of(Order::sequence); }

void plan(const Plan& p, JsonWriter& w) {
  w.key("started").time(p.start).key("shape").string(p.shape).key("duration").nanos(p.duration);
  if ((p.asked && p.asked->is_random()) || is_drawn(p.order)) w.key("seed").unsigned_integer(p.seed);
  w.key("hits");
  count_or_null(p.hits == kUnlimited ? std::optional<std::uint64_t>() : p.hits, w);
  if (!p.changes.empty()) {
    w.key("changes").begin_array();
    for (const Change& c : p.changes)
      w.begin_object().key("at").nanos(c.at).key("kind").string(c.kind).key("detail").string(c.detail).end_object();
    w.end_array();
  }
  w.key("spooled_bytes").unsigned_integer(p.spooled_bytes);
  if (!p.summary) return;
  const Summary& s = *p.summary;
  w.key("books").begin_object().key("scheduled").unsigned_integer(s.books.scheduled).key("sent").unsigned_integer(s.books.sent);
  w.key("missed").unsigned_integer(s.books.missed).key("ok").unsigned_integer(s.books.ok).key("failed").unsigned_integer(s.books.failed);
  w.key("cut").unsigned_integer(s.books.cut).end_object().key("limit");
  if (s.limit == Limit::none)
    w.null();
  else
    w.begin_object()
        .key("kind")
        .string(name_of(s.limit))
        .key("value")
        .unsigned_integer(s.limit_value)
        .key("needed")
        .unsigned_integer(s.limit_needed)
        .end_object();
  w.key("connections")
      .begin_object()
      .key("opened")
      .unsigned_integer(s.connections.opened)
      .key("failed")
      .unsigned_integer(s.connections.failed);
  w.key("reused").unsigned_integer(s.connections.reused).key("peak").unsigned_integer(s.connections.peak);
  w.key("stale_retries").unsigned_integer(s.connections.stale_retries);
  w.key("preconnected").unsigned_integer(s.connections.preconnected).end_object();
  w.key("traffic");
  traffic(s.traffic, w);
  w.key("machine");
  interference(s.interference, w);
  w.key("protocols").begin_object().key("http1").unsigned_integer(s.protocols.http1);
  w.key("http2").unsigned_integer(s.protocols.http2).end_object();
  w.key("addresses").begin_array();
  for (const AddressCount& a : s.addresses)
    w.begin_object().key("address").string(a.address).key("connections").unsigned_integer(a.connections).end_object();
  w.end_array();
  if (!s.proxies.empty()) w.key("proxies").string(s.proxies);
  w.key("elapsed").nanos(s.elapsed).key("sending").nanos(s.sending).key("shards").unsigned_integer(s.shards);
  if (s.io != Io::automatic) w.key("io").string(name_of(s.io));
  w.key("busiest_shard")
      .number(s.busiest_shard)
      .key("waited_for_core")
      .number(s.waited_for_core)
      .key("truncated_captures")
      .unsigned_integer(s.truncated_captures);
  w.key("stopped").boolean(s.stopped).key("was_cut").boolean(s.was_cut);
}

void filter(const Filter& f, std::uint64_t matched, JsonWriter& w) {
  w.begin_object().key("from").nanos(f.from).key("to");
  if (f.to)
    w.nanos(*f.to);
  else
    w.null();
  w.key("where");
  if (f.where.empty())
    w.null();
  else
    w.string(f.where);
  w.key("results").unsigned_integer(matched).key("read").unsigned_integer(f.read).end_object();
}

void stages(const RunInput& r, JsonWriter& w) {
  w.begin_array();
  for (const StagePart& part : r.stages) {
    const Figures& f = part.metrics.figures();
    w.begin_object().key("stage").string(part.stage.text).key("start").nanos(part.stage.start).key("length").nanos(part.length);
    w.key("from").number(part.stage.from).key("to").number(part.stage.to).key("asked");
    count_or_null(part.asked, w);
    w.key("requests").unsigned_integer(f.requests).key("rate").number(f.rate).key("throughput").number(f.throughput);
    w.key("success").number(f.success).key("latencies");
    vegetas_latencies(f.latencies, w);
    w.key("response");
    distribution_or_null(part.metrics.response_latencies(), w);
    w.key("behind");
    behind(part.metrics, w);
    w.key("verdict").string(verdict(part)).end_object();
  }
  w.end_array();
}

// Of a part of a run nothing can be said of whether it kept up.
void run(const RunInput& r, bool is_part, JsonWriter& w) {
  const Figures& f = r.metrics.figures();
  w.begin_object().key("name").string(r.name).key("file").string(r.file).key("rates");
  rates(rates_of(r), w);
  w.key("requests").unsigned_integer(f.requests).key("rate").number(f.rate).key("throughput").number(f.throughput);
  w.key("success").number(f.success).key("latencies");
  vegetas_latencies(f.latencies, w);
  w.key("behind");
  if (is_part) {
    w.null().key("verdict").null();
  } else {
    behind(r.metrics, w);
    const Bottleneck limit = bottleneck(r);
    w.key("limit");
    string_or_null(sentence(limit), w);
    w.key("limited_by");
    string_or_null(name_of(limit.whose), w);
    w.key("verdict").string(verdict(r));
  }
  if (r.peaks) w.key("peaks").begin_object().key("100ms").number(r.peaks->in_tenth()).key("1s").number(r.peaks->in_second()).end_object();
  if (!r.stages.empty()) {
    w.key("stages");
    stages(r, w);
  }
  if (!r.shares.rows.empty()) share_fields(r.shares, w);
  w.key("plan");
  if (r.plan) {
    w.begin_object();
    plan(*r.plan, w);
    w.end_object();
  } else {
    w.null();
  }
  w.end_object();
}

// What was asked of the runs and how they kept it.
void books_fields(const Input& input, JsonWriter& w) {
  const Totals t = totals_of(input.runs);
  w.key("asked");
  count_or_null(t.asked, w);
  w.key("sent").unsigned_integer(t.sent).key("answered").unsigned_integer(t.answered).key("missed");
  count_or_null(t.missed, w);
  if (const Warmup warm = warmup_of(input.runs); warm.length > Nanos(0))
    w.key("warmup")
        .begin_object()
        .key("length")
        .nanos(warm.length)
        .key("sent")
        .unsigned_integer(warm.sent)
        .key("failed")
        .unsigned_integer(warm.failed)
        .end_object();
  w.key("lost").unsigned_integer(lost_of(input.runs)).key("rates");
  rates(t.rates, w);
  w.key("limit");
  string_or_null(limit_sentence(input.runs), w);
  w.key("limited_by");
  string_or_null(limited_by(input.runs), w);
}

// What only thrum records of each result.
void recorded_fields(const Input& input, JsonWriter& w) {
  w.key("lag");
  distribution_or_null(input.total.lags(), w);
  w.key("late").unsigned_integer(late_of(input.total));
  w.key("service");
  distribution_or_null(input.total.service_latencies(), w);
  w.key("response");
  distribution_or_null(input.total.response_latencies(), w);
  w.key("phases").begin_object();
  for (const Times& phase : kPhases) {
    w.key(phase.key);
    distribution_or_null(phase.of(input.total), w);
  }
  w.end_object().key("failures");
  failure_counts(input.total, w);
  w.key("samples");
  samples(input.total, w);
  w.key("redirects").unsigned_integer(input.total.redirects()).key("redirected").unsigned_integer(input.total.redirected());
  w.key("retries").unsigned_integer(input.total.retries()).key("weak").begin_array();
  for (const double p : weak(input.total.requests(), std::array{50.0, 90.0, 95.0, 99.0, 99.9, 99.99})) w.string(fmt::format("{}th", p));
  w.end_array();
}

void our_fields(const Input& input, JsonWriter& w) {
  const Metrics& m = input.total;
  if (input.clock == LatencyClock::response) w.key("clock").string("response");
  const bool recorded = has_plans(input);
  if (input.filter) {
    w.key("filter");
    filter(*input.filter, m.requests(), w);
  }
  if (recorded) books_fields(input, w);
  if (recorded || input.filter || m.lags().count() > 0) recorded_fields(input, w);
  if (m.failed() > 0 && m.succeeded() > 0) {
    w.key("successes");
    distribution(m.success_latencies(), w);
  }
  if (!m.errors().empty()) {
    w.key("error_counts");
    error_counts(m, w);
  }
  if (m.other_errors() > 0) w.key("other_errors").unsigned_integer(m.other_errors());
  if (!input.percentiles.empty()) {
    w.key("percentiles").begin_object();
    for (const double p : input.percentiles) w.key(fmt::format("{}th", p)).nanos(m.latencies().quantile(p / 100));
    w.end_object();
  }
  if (input.runs.size() == 1 && !input.filter && (recorded || falling_behind(m))) {
    w.key("behind");
    behind(m, w);
  }
  if (input.runs.size() == 1 && !input.runs[0].stages.empty()) {
    w.key("stages");
    stages(input.runs[0], w);
  }
  if (input.runs.size() == 1 && !input.runs[0].shares.rows.empty()) share_fields(input.runs[0].shares, w);
  if (recorded || input.runs.size() > 1) {
    w.key("runs").begin_array();
    for (const RunInput& r : input.runs) run(r, input.filter.has_value(), w);
    w.end_array();
  }
  if (input.groups) group_fields(input, w);
  if (!input.judged.empty()) {
    w.key("gates");
    gate_fields(input.judged, w);
  }
}

bool is_writable(Timestamp t) {
  constexpr std::int64_t kYearZero = -62'167'219'200, kYear9999End = 253'402'300'799;
  const std::int64_t local = t.seconds + t.offset();
  return local >= kYearZero && local <= kYear9999End;
}

}  // namespace

Expected<std::string> json(const Input& input) {
  const Figures& f = input.total.figures();
  for (const Timestamp t : {f.earliest, f.latest, f.end})
    if (!is_writable(t)) return failure("a JSON report can't hold these results: a time lies outside the years 0 to 9999");
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  vegetas_fields(input, w);
  our_fields(input, w);
  w.end_object();
  out += '\n';
  return out;
}

}  // namespace thrum::report
