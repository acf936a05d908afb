#include "ui/metrics_text.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace thrum::ui {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::HasSubstr;
using testing::Not;

Result result(std::string_view method, std::string_view url, std::uint16_t code, std::uint64_t in, std::uint64_t out) {
  Result r;
  r.method = method;
  r.url = url;
  r.code = code;
  r.bytes_in = in;
  r.bytes_out = out;
  r.latency = 500us;
  r.lag = 20us;
  if (code == 404) r.error = "404 Not Found";
  return r;
}

// The run that the recorded page shows: POST /a, once 200 and seven times 404, and GET /b, eight times 404.
MetricsView recorded_run() {
  MetricsView view;
  std::vector<Result> results{result("POST", "http://127.0.0.1:18083/a", 200, 3, 5)};
  for (int i = 0; i < 7; ++i) results.push_back(result("POST", "http://127.0.0.1:18083/a", 404, 4, 5));
  for (int i = 0; i < 8; ++i) results.push_back(result("GET", "http://127.0.0.1:18083/b", 404, 4, 5));
  view.counts.add(results);
  return view;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// Sample lines of vegeta's families: name and labels -> value.
std::map<std::string, std::string> samples(const std::vector<std::string>& page) {
  std::map<std::string, std::string> out;
  for (const std::string& line : page) {
    if (!line.starts_with("request_")) continue;
    const std::size_t blank = line.rfind(' ');
    EXPECT_TRUE(out.emplace(line.substr(0, blank), line.substr(blank + 1)).second) << "twice: " << line;
  }
  return out;
}

std::vector<std::string> recorded_page() {
  std::ifstream file(std::string(THRUM_TEST_DATA) + "/golden/vegeta/d/prometheus.txt");
  std::vector<std::string> page;
  bool is_first = true;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("=== ")) {
      page.push_back(line);
    } else if (!std::exchange(is_first, false)) {
      break;
    }
  }
  return page;
}

// Names, labels and their order, buckets and counts are vegeta's; its failures stay 0 and its sums are its own latencies.
TEST(MetricsText, HasTheRecordedSamples) {
  const auto theirs = samples(recorded_page());
  const auto ours = samples(lines(metrics_text(recorded_run(), MetricsFormat::text)));
  ASSERT_EQ(theirs.size(), 50u);
  for (const auto& [name, value] : theirs) {
    const auto found = ours.find(name);
    ASSERT_NE(found, ours.end()) << name;
    if (name.starts_with("request_fail_count")) {
      EXPECT_EQ(value, "0");
      EXPECT_EQ(found->second, name.find("POST") == name.npos ? "8" : "7");
    } else if (!name.starts_with("request_seconds_sum")) {
      EXPECT_EQ(found->second, value) << name;
    }
  }
  EXPECT_EQ(ours.size(), theirs.size());
}

// Types and helps stand once, before their samples; names in OpenMetrics are the same but for the counters' families.
TEST(MetricsText, FamiliesStandTogether) {
  for (const MetricsFormat format : {MetricsFormat::text, MetricsFormat::open_metrics}) {
    std::string family;
    std::set<std::string> seen;
    for (const std::string& line : lines(metrics_text(recorded_run(), format))) {
      if (line == "# EOF") continue;
      if (line.starts_with("# HELP ")) {
        family = line.substr(7, line.find(' ', 7) - 7);
        EXPECT_TRUE(seen.insert(family).second) << line;
      } else if (line.starts_with("# TYPE ")) {
        EXPECT_EQ(line.substr(7, line.find(' ', 7) - 7), family);
      } else {
        EXPECT_TRUE(line.starts_with(family)) << line << " in " << family;
      }
    }
  }
}

TEST(MetricsText, FiguresOfTheAttack) {
  MetricsView view = recorded_run();
  view.progress.due = 20;
  view.progress.sent = 17;
  view.progress.missed = 3;
  view.progress.in_flight = 1;
  view.progress.connections_opened = 5;
  view.progress.connections_open = 4;
  view.progress.busiest_shard = 0.25;
  view.is_running = true;
  const std::string text = "\n" + metrics_text(view, MetricsFormat::text);
  for (const char* line :
       {"# TYPE thrum_scheduled_total counter", "thrum_scheduled_total 20", "thrum_sent_total 17", "thrum_missed_total 3",
        "thrum_in_flight 1", "thrum_lag_seconds_bucket{le=\"1e-05\"} 0", "thrum_lag_seconds_bucket{le=\"5e-05\"} 16",
        "thrum_lag_seconds_bucket{le=\"+Inf\"} 16", "thrum_lag_seconds_sum 0.00032", "thrum_lag_seconds_count 16",
        "thrum_connections_opened_total 5", "thrum_connections_open 4", "thrum_generator_busy_ratio 0.25", "thrum_attack_running 1",
        "# TYPE request_fail_count untyped"})
    EXPECT_THAT(text, HasSubstr("\n" + std::string(line) + "\n"));
  EXPECT_THAT(text, Not(HasSubstr("# EOF")));
}

TEST(MetricsText, OpenMetricsHasItsOwnRules) {
  const std::string text = metrics_text(recorded_run(), MetricsFormat::open_metrics);
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE thrum_sent counter\nthrum_sent_total 0\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE request_bytes_in unknown\nrequest_bytes_in{"));
  EXPECT_THAT(text, HasSubstr(R"(le="0.005")"));
  EXPECT_THAT(text, HasSubstr(R"(le="10.0")"));
  EXPECT_THAT(text, HasSubstr(R"(le="1e-05")"));
  EXPECT_THAT(text, Not(HasSubstr(R"(le="10")")));
}

// Whatever a target or a server puts into a label, a line stays a line and a value a value.
TEST(MetricsText, HostileLabels) {
  MetricsView view;
  Result r = result("GET", "http://a.test/\"} 1\nfake 2\\", 0, 0, 0);
  const std::string error = "quote \" back \\ line \n return \r nul \0 escape \x1b bad utf8 \xff ok \xc3\xa9"s;
  r.error = error;
  view.counts.add({&r, 1});
  const std::string text = metrics_text(view, MetricsFormat::text);
  EXPECT_THAT(text, HasSubstr(R"(request_bytes_in{method="GET",status="0",url="http://a.test/\"} 1\\nfake 2\\"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(message="quote \" back \\ line \\n return \\r nul \\x00 escape \\x1b bad utf8 \\xff ok )"
                              "\xc3\xa9\""));
  for (const std::string& line : lines(text))
    EXPECT_TRUE(line.starts_with("request_") || line.starts_with("thrum_") || line.starts_with("# ")) << line;
}

TEST(MetricsText, AThousandQueriesAreOneSeries) {
  MetricsView view;
  for (int i = 0; i < 1'000; ++i) {
    const std::string url = "http://a.test/search?q=" + std::to_string(i);
    const Result r = result("GET", url, 200, 3, 0);
    view.counts.add({&r, 1});
  }
  int series = 0;
  for (const std::string& line : lines(metrics_text(view, MetricsFormat::text))) series += line.starts_with('#') ? 0 : 1;
  EXPECT_LT(series, 100);
}

TEST(FormatFor, WhatAnAcceptHeaderAsksFor) {
  struct Case {
    const char* accept;
    MetricsFormat format;
  };
  constexpr MetricsFormat kText = MetricsFormat::text, kOpen = MetricsFormat::open_metrics;
  for (const Case& c : {
           Case{"", kText},
           Case{"*/*", kText},
           Case{"text/html,*/*;q=0.1", kText},
           Case{"text/plain", kText},
           Case{"application/openmetrics-text", kOpen},
           Case{"application/openmetrics-text; version=1.0.0; charset=utf-8", kOpen},
           Case{"Application/OpenMetrics-Text ; VERSION = 1.0.0", kOpen},
           Case{"application/openmetrics-text;version=0.0.1", kText},
           Case{"application/openmetrics-text;q=0", kText},
           Case{"application/openmetrics-text;q=nonsense", kText},
           Case{"application/openmetrics-text;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.5", kText},
           Case{"application/vnd.google.protobuf;q=0.7", kText},
           Case{",;,=;q=,", kText},
           // Prometheus 2.42 and 3.0.
           Case{"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/"
                "plain;version=0.0.4;q=0.5,*/*;q=0.1",
                kOpen},
           Case{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/"
                "openmetrics-text;version=0.0.1;q=0.5,text/"
                "plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                kOpen},
       })
    EXPECT_EQ(format_for(c.accept), c.format) << c.accept;
}

}  // namespace
}  // namespace thrum::ui
