// What a run's report says in each of its forms, and that its JSON is what its schema says.
#include "report/run_report.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "report/run_requests.hpp"

namespace thrum::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// As much of JSON Schema as the schema uses; a word that it doesn't know is an error. Returns what is wrong, empty if nothing is.
class Schema {
 public:
  explicit Schema(json schema) : root_(std::move(schema)) {}
  std::string wrong(const json& value) const { return check(root_, value, "$"); }

 private:
  static bool is_type(const std::string& type, const json& v) {
    return type == "object"    ? v.is_object()
           : type == "array"   ? v.is_array()
           : type == "string"  ? v.is_string()
           : type == "integer" ? v.is_number_integer()
           : type == "number"  ? v.is_number()
           : type == "boolean" ? v.is_boolean()
                               : type == "null" && v.is_null();
  }

  std::string check(const json& s, const json& v, const std::string& at) const {
    for (const auto& [word, rule] : s.items()) {
      std::string wrong;
      if (word == "$ref")
        wrong = check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), v, at);
      else if (word == "oneOf")
        wrong = one_of(rule, v, at);
      else if (word == "type")
        wrong = type(rule, v) ? "" : at + " is not of type " + rule.dump();
      else if (word == "const")
        wrong = v == rule ? "" : at + " is not " + rule.dump();
      else if (word == "enum")
        wrong = std::ranges::find(rule, v) != rule.end() ? "" : at + " is none of " + rule.dump();
      else if (word == "minimum")
        wrong = !v.is_number() || v >= rule ? "" : at + " is below " + rule.dump();
      else if (word == "maximum")
        wrong = !v.is_number() || v <= rule ? "" : at + " is above " + rule.dump();
      else if (word == "pattern")
        wrong = !v.is_string() || std::regex_search(v.get<std::string>(), std::regex(rule.get<std::string>()))
                    ? ""
                    : at + " is not like " + rule.dump();
      else if (word == "required")
        wrong = required(rule, v, at);
      else if (word == "properties" || word == "additionalProperties" || word == "patternProperties")
        wrong = word == "properties" || !s.contains("properties") ? fields(s, v, at) : "";
      else if (word == "items")
        wrong = items(rule, v, at);
      else if (word == "prefixItems")
        for (std::size_t i = 0; i < std::min(rule.size(), v.is_array() ? v.size() : 0) && wrong.empty(); ++i)
          wrong = check(rule[i], v.at(i), at + "[" + std::to_string(i) + "]");
      else if (word == "minItems" || word == "maxItems")
        wrong = (word == "minItems" ? v.size() >= rule : v.size() <= rule) ? "" : at + " has " + std::to_string(v.size()) + " items";
      else if (!word.starts_with("$") && word != "title")
        wrong = "the schema has an unknown word: " + word;
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  static bool type(const json& rule, const json& v) {
    if (rule.is_string()) return is_type(rule, v);
    return std::ranges::any_of(rule, [&](const json& t) { return is_type(t, v); });
  }
  std::string one_of(const json& rules, const json& v, const std::string& at) const {
    int fits = 0;
    std::string all;
    for (const json& rule : rules) {
      const std::string wrong = check(rule, v, at);
      fits += wrong.empty();
      all += wrong + "; ";
    }
    return fits == 1 ? "" : at + " fits " + std::to_string(fits) + " of oneOf: " + all;
  }
  static std::string required(const json& names, const json& v, const std::string& at) {
    for (const json& name : names)
      if (v.is_object() && !v.contains(name.get<std::string>())) return at + " lacks " + name.dump();
    return {};
  }
  std::string fields(const json& s, const json& v, const std::string& at) const {
    if (!v.is_object()) return {};
    for (const auto& [name, value] : v.items()) {
      std::string wrong;
      bool is_known = s.contains("properties") && s["properties"].contains(name);
      if (is_known) wrong = check(s["properties"][name], value, at + "." + name);
      if (s.contains("patternProperties"))
        for (const auto& [pattern, rule] : s["patternProperties"].items())
          if (std::regex_search(name, std::regex(pattern))) is_known = true, wrong = check(rule, value, at + "." + name);
      if (!is_known && s.contains("additionalProperties")) {
        const json& others = s["additionalProperties"];
        wrong = others.is_boolean() ? (others.get<bool>() ? "" : at + " has " + name) : check(others, value, at + "." + name);
      }
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  std::string items(const json& rule, const json& v, const std::string& at) const {
    for (std::size_t i = 0; i < (v.is_array() ? v.size() : 0); ++i)
      if (std::string wrong = check(rule, v[i], at + "[" + std::to_string(i) + "]"); !wrong.empty()) return wrong;
    return {};
  }

  json root_;
};

const Schema& schema() {
  static const Schema kSchema(json::parse(run_schema()));
  return kSchema;
}

struct Built {
  RunSeconds by_second;
  RunTally tally{{*StatusSet::parse("2xx"), LatencyClock::response}};
  RunReport report;
};

std::unique_ptr<Built> built(int failed = 0) {
  auto b = std::make_unique<Built>();
  RunReport& r = b->report;
  r.summary.started = {1'700'000'000, 0, 0};
  b->tally.begin(r.summary.started);
  for (int i = 0; i < 100; ++i) {
    Result result;
    result.timestamp = r.summary.started.plus(Nanos(i * 10'000'000));
    result.latency = Nanos(1'234'567 + i);
    result.lag = Nanos(1000);
    result.first_byte = Nanos(1'000'000);
    result.bytes_in = 10;
    result.code = 200;
    if (i == 0) result.dns = result.connect = result.tls = Nanos(100'000);
    if (i < failed) {
      result.code = 503;
      result.outcome = Outcome::bad_status;
      result.error = "503 | \x1b[31m<b>";
      result.body = "no \xff\x1b]0;x\x07";
    }
    b->tally.add({&result, 1});
  }
  b->tally.metrics().close();
  r.tally = &b->tally;
  r.method = "GET";
  r.url = "http://127.0.0.1:1/";
  r.load = "100 requests, 4 at once";
  r.concurrency = 4;
  r.settings = {{"n", "100"}, {"header", "A: b"}, {"header", "C: d"}};
  r.summary.elapsed = Nanos(1'000'000'000);
  r.summary.shards = 1;
  RunSeconds& seconds = b->by_second;
  for (const RunSecond& s : b->tally.take_block().seconds) seconds.merge(s);
  r.by_second = &seconds;
  r.seconds = seconds.points(r.summary.elapsed);
  r.verdict = {failed > 0 ? Level::failing : Level::healthy, {{Level::healthy, "none_failed", "no request failed"}}};
  return b;
}

TEST(RunReport, TextForPeople) {
  const auto b = built();
  EXPECT_EQ(run_text(b->report, false),
            "GET http://127.0.0.1:1/: 100 requests, 4 at once\n"
            "✔ Healthy  100 requests, 100/s, p50 1.236ms, p99 1.236ms, 0 failed, 1.0 kB, 1s\n"
            "  ✔ no request failed\n");
  EXPECT_THAT(run_text(b->report, true), HasSubstr("\x1b[32m✔ Healthy\x1b[0m"));
}

TEST(RunReport, JsonAsItsSchemaSays) {
  const auto calm = built();
  const json j = json::parse(run_json(calm->report));
  EXPECT_EQ(schema().wrong(j), "");
  EXPECT_EQ(j.begin().key(), "bytes");  // sorted by the reader; the first in the text is the version
  EXPECT_THAT(run_json(calm->report), testing::StartsWith("{\"schema_version\":1,"));
  EXPECT_EQ(j["summary"]["latency"]["median_ms"], 1.236);
  EXPECT_EQ(j["summary"]["latency"]["phases"]["connect"]["count"], 1);
  EXPECT_EQ(j["summary"]["latency"]["phases"]["first_byte"]["median_ms"], 1.0);
  EXPECT_EQ(j["settings"]["header"], json({"A: b", "C: d"}));
  EXPECT_EQ(j["seconds"][0]["requests_per_second"], 100);

  // With all that is optional.
  const auto full = built(10);
  RunReport& r = full->report;
  r.asked = "100/s";
  r.asked_rate = 100;
  r.limit = "CPU";
  r.summary.warmup = {Nanos(1'000'000'000), 7, 0};
  r.anomalies = {{12, Anomaly::Kind::latency, "latency leapt"}};
  r.judged = {{"p99>1ms", "1.2ms", true, true}};
  r.minutes = {r.seconds[0], r.seconds[0]};
  r.concurrency = 0;
  const json all = json::parse(run_json(r));
  EXPECT_EQ(schema().wrong(all), "");
  EXPECT_EQ(all["summary"]["status_codes"], json({{"200", 90}, {"503", 10}}));
  EXPECT_EQ(all["summary"]["failures"][0]["count"], 10);
  EXPECT_EQ(all["fail_if"][0]["passed"], false);
  EXPECT_FALSE(all["target"].contains("concurrency"));
}

TEST(RunReport, ASnapshotLacksWhatIsKnownAtTheEnd) {
  const auto b = built();
  b->report.snapshot = {{1'700'000'060, 0, 0}, true};
  const json during = json::parse(run_json(b->report));
  EXPECT_EQ(schema().wrong(during), "");
  EXPECT_EQ(during["snapshot"], (json{{"unix_time", 1'700'000'060}, {"running", true}}));
  EXPECT_FALSE(during.contains("bytes") || during.contains("connections"));
  b->report.snapshot->is_running = false;
  const json at_end = json::parse(run_json(b->report));
  EXPECT_EQ(schema().wrong(at_end), "");
  EXPECT_TRUE(at_end.contains("bytes") && at_end.contains("connections"));
}

TEST(RunReport, AnErrorIsADocumentToo) {
  const json j = json::parse(run_error_json("usage", "-n: \"x\" is no number"));
  EXPECT_EQ(schema().wrong(j), "");
  EXPECT_EQ(j["error"]["code"], "usage");
}

// A check that can't fail would be worse than none.
TEST(RunReport, TheSchemaRefusesWhatItShould) {
  const auto b = built();
  const json good = json::parse(run_json(b->report));
  const auto refused = [&](auto change) {
    json bad = good;
    change(bad);
    return schema().wrong(bad);
  };
  EXPECT_NE(refused([](json& j) { j["schema_version"] = 2; }), "");
  EXPECT_NE(refused([](json& j) { j["summary"].erase("latency"); }), "");
  EXPECT_NE(refused([](json& j) { j["summary"]["total_requests"] = -1; }), "");
  EXPECT_NE(refused([](json& j) { j["summary"]["total_requests"] = 1.5; }), "");
  EXPECT_NE(refused([](json& j) { j["summary"]["status_codes"]["ok"] = 1; }), "");
  EXPECT_NE(refused([](json& j) { j["verdict"]["level"] = "Healthy"; }), "");
  EXPECT_NE(refused([](json& j) { j["summary"]["latency"]["histogram"][0] = {1, 2, 3}; }), "");
  EXPECT_NE(refused([](json& j) { j["settings"]["n"] = "100"; }), "");
  EXPECT_NE(refused([](json& j) { j["error"] = {{"code", "usage"}, {"text", ""}}; }), "");
}

TEST(RunReport, MarkdownAndCsv) {
  const auto b = built(10);
  b->report.verdict.findings = {{Level::failing, "cause", "503 | \x1b[31m<b> `x`"}};
  const std::string md = run_markdown(b->report);
  EXPECT_THAT(md, HasSubstr("### ✖ Failing: GET http://127.0.0.1:1/\n"));
  EXPECT_THAT(md, HasSubstr("| 100 | 100/s | 1.236ms |"));
  EXPECT_THAT(md, HasSubstr("- ✖ 503 \\| \\\\x1b\\[31m\\<b\\> \\`x\\`\n"));
  EXPECT_EQ(run_series_csv(b->report),
            "at_s,requests,requests_per_second,errors_per_second,p50_ms,p90_ms,p99_ms\n0,100,100.000,10.000,1.236,1.236,1.236\n");
}

// Each mark opens and closes in turn, and nothing of what servers say is a mark.
std::string unbalanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != page.npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    const std::string mark = page.substr(at + 1, end - at - 1), name = mark.substr(0, mark.find_first_of(" />"));
    if (mark.starts_with("!") || mark.ends_with("/") || name == "meta") continue;
    if (!mark.starts_with("/")) {
      open.push_back(name);
      continue;
    }
    if (open.empty() || "/" + open.back() != mark) return mark + " at " + std::to_string(at);
    open.pop_back();
  }
  return open.empty() ? "" : open.back() + " stays open";
}

TEST(RunCard, IsAPictureWhateverIsInIt) {
  const auto b = built(10);
  b->report.verdict.findings = {{Level::failing, "cause", "503 \x1b[31m<b> & \"x\""}};
  const std::string card = run_card(b->report);
  EXPECT_EQ(unbalanced(card), "");
  EXPECT_THAT(card, HasSubstr("✖ Failing"));
  EXPECT_THAT(card, HasSubstr("\\x1b[31m&lt;b&gt; &amp; &quot;x&quot;"));
  EXPECT_THAT(card, HasSubstr("GET http://127.0.0.1:1/"));
  EXPECT_THAT(card, HasSubstr("height=\"60.0\""));  // the one second
}

TEST(RunRequests, AreALineOfJsonEach) {
  std::deque<RecentResult> requests(2);
  requests[0] = {.seq = 4, .at = Nanos(1'500'000'000), .latency = Nanos(2'000'000), .bytes = 5, .status = 503, .error = "503 \xff"};
  requests[1].is_good = true;
  requests[1].kept = std::make_shared<KeptResponse>(KeptResponse{{{"A", "b\"c"}}, "hello\n"});
  const std::string text = run_requests_ndjson(requests);
  const auto first = nlohmann::json::parse(text.substr(0, text.find('\n')));
  const auto second = nlohmann::json::parse(text.substr(text.find('\n') + 1));
  EXPECT_EQ(first["seq"], 4);
  EXPECT_EQ(first["ended_s"], 1.5);
  EXPECT_EQ(first["latency_ms"], 2.0);
  EXPECT_EQ(first["status"], 503);
  EXPECT_FALSE(first.contains("body"));
  EXPECT_EQ(second["headers"][0][1], "b\"c");
  EXPECT_EQ(second["body"], "hello\n");
}

TEST(RunPage, HoldsAllThatTheReportDoes) {
  const auto b = built(10);
  RunReport& r = b->report;
  r.asked = "100/s";
  r.judged = {{.gate = "p99>1ms", .value = "1.2ms", .is_crossed = true}};
  const std::string page = run_page(r);
  EXPECT_EQ(unbalanced(page), "");
  for (const char* const part :
       {"<title>GET http://127.0.0.1:1/</title>", "✖ failing", "no request failed", "<h2>Latency over time", "class=\"heat heat",
        "<h2>Throughput", "class=\"line errors\"", "<h2>Percentiles", "class=\"line p99\"", "99.99th", "from when sent", "status 503",
        "<td>p99&gt;1ms</td>", "<h2>Slowest", "<td>-header</td><td>C: d</td>"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(RunPage, WhatServersSayIsTextOnly) {
  const auto b = built(10);
  RunReport& r = b->report;
  r.url = "http://a/?<script>alert('1')</script>&\"x";
  r.verdict.findings = {{Level::failing, "cause", "</li><img src=x onerror=alert(1)> \x1b[31m"}};
  r.settings = {{"header", "A: <i>"}};
  const std::string page = run_page(r);
  EXPECT_EQ(unbalanced(page), "");
  for (const char* const part : {"<script", "<img", "<b>\\", "503 | \\x1b[31m<", "<i>"}) EXPECT_THAT(page, Not(HasSubstr(part)));
  EXPECT_TRUE(std::ranges::none_of(page, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n'; }));
  EXPECT_THAT(page, HasSubstr("503 | \\x1b[31m&lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("no \\xff\\x1b]0;x"));
}

TEST(RunPage, OfNothingAndOfLong) {
  RunTally none{{*StatusSet::parse("2xx"), LatencyClock::response}};
  none.metrics().close();
  RunReport empty;
  empty.tally = &none;
  RunSeconds nothing;
  empty.by_second = &nothing;
  EXPECT_EQ(unbalanced(run_page(empty)), "");
  EXPECT_THAT(run_page(empty), Not(HasSubstr("<svg")));
  const auto b = built();
  RunSeconds seconds;
  for (int at = 0; at < 4000; ++at) {
    RunSecond second{.at = at, .ok = 200};
    for (int i = 0; i < 200; ++i) second.latencies.record(Nanos(1000LL << (i % 25)));
    seconds.merge(second);
  }
  b->report.by_second = &seconds;
  b->report.seconds = seconds.points(Nanos(4'000'000'000'000));
  b->report.minutes = seconds.minutes(Nanos(4'000'000'000'000));
  const std::string page = run_page(b->report);
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_LT(page.size(), 400'000U);
}

}  // namespace
}  // namespace thrum::report
