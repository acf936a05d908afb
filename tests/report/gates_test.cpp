#include "report/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_builder.hpp"

namespace thrum::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Judged> judge(const std::vector<std::string>& gates, const std::vector<Result>& results, std::uint64_t asked = 0) {
  auto parsed = Gates::parse(gates);
  EXPECT_TRUE(parsed) << parsed.error().text;
  parsed->add(results, {});
  return parsed->judge(input_of({asked == 0 ? run_of("a", results) : recorded("a", 100, asked, results)}));
}

// "value pass" or "value FAIL" of one gate.
std::string verdict_of(const std::string& gate, const std::vector<Result>& results, std::uint64_t asked = 0) {
  const auto judged = judge({gate}, results, asked);
  if (judged.size() != 1) return "not one";
  return judged[0].value + (judged[0].is_crossed ? " FAIL" : " pass");
}

// 100 results: latencies of 1 to 100 ms, ten of them 503s, of two URLs.
std::vector<Result> some() {
  std::vector<Result> out;
  for (std::int64_t i = 1; i <= 100; ++i) {
    Result r = result(i * 10 * kMs, i * kMs, i % 10 == 0 ? 503 : 200);
    r.url = i <= 50 ? "http://h/api/a?x=1" : "http://h/static/b";
    r.bytes_in = 1024;
    r.lag = Nanos(kMs);
    out.push_back(r);
  }
  return out;
}

TEST(Gates, EveryQuantity) {
  const auto results = some();
  EXPECT_EQ(verdict_of("p50>50ms", results), "50.5ms FAIL");
  EXPECT_EQ(verdict_of("p50 > 51ms", results), "50.5ms pass");
  EXPECT_EQ(verdict_of("median<=50.5ms", results), "50.5ms FAIL");
  EXPECT_EQ(verdict_of("p99.9>1s", results), "100ms pass");
  EXPECT_EQ(verdict_of("max>=100ms", results), "100ms FAIL");
  EXPECT_EQ(verdict_of("min<1ms", results), "1ms pass");
  EXPECT_EQ(verdict_of("mean==50.5ms", results), "50.5ms FAIL");
  EXPECT_EQ(verdict_of("success<90%", results), "90% pass");
  EXPECT_EQ(verdict_of("success<90.1%", results), "90% FAIL");
  EXPECT_EQ(verdict_of("errors>9", results), "10 FAIL");
  EXPECT_EQ(verdict_of("errors>10%", results), "10% pass");
  EXPECT_EQ(verdict_of("code(5xx)>0", results), "10 FAIL");
  EXPECT_EQ(verdict_of("code(404,500-502)>0", results), "0 pass");
  EXPECT_EQ(verdict_of("code(0)!=0", results), "0 pass");
  EXPECT_EQ(verdict_of("requests<100", results), "100 pass");
  EXPECT_EQ(verdict_of("bytes_in>100KB", results), "100.0KB pass");
  EXPECT_EQ(verdict_of("lag.p99>=1ms", results), "1ms FAIL");
  EXPECT_EQ(verdict_of("response.max>101ms", results), "101ms pass");
  EXPECT_EQ(verdict_of("throughput<50/s", results), "82.57 pass");
}

TEST(Gates, WhatWasAskedFor) {
  const auto results = some();
  EXPECT_EQ(verdict_of("missed>0", results, 100), "0 pass");
  EXPECT_EQ(verdict_of("missed>0", results, 105), "5 FAIL");
  EXPECT_EQ(verdict_of("missed>5%", results, 105), "4.762% pass");
  EXPECT_EQ(verdict_of("rate<95%", results, 100), "100% pass");
  EXPECT_EQ(verdict_of("rate<99%", results, 105), "95.24% FAIL");
}

TEST(Gates, OfAnUrlAlone) {
  const auto results = some();
  EXPECT_EQ(verdict_of("url(/api/*).max>50ms", results), "50ms pass");
  EXPECT_EQ(verdict_of("url(http://h/static/*).min>50ms", results), "51ms FAIL");
  EXPECT_EQ(verdict_of("url(/api/a?x=1).requests<50", results), "50 pass");
  EXPECT_EQ(verdict_of("url(/none).p99>1s", results), "no data FAIL");
}

TEST(Gates, NoDataIsAFailure) {
  EXPECT_EQ(verdict_of("p99>1h", {}), "no data FAIL");
  EXPECT_EQ(verdict_of("errors>0", {}), "no data FAIL");
  EXPECT_EQ(verdict_of("requests>0", {}), "0 pass");
  EXPECT_EQ(verdict_of("requests<1", {}), "0 FAIL");
  EXPECT_EQ(verdict_of("missed>0", some()), "no data FAIL");
  EXPECT_EQ(verdict_of("rate<95%", some()), "no data FAIL");
  EXPECT_EQ(verdict_of("tls.p99>1s", some()), "no data FAIL");
  EXPECT_EQ(verdict_of("stage(1).p99>1s", some()), "no data FAIL");
}

TEST(Gates, OfAStageAlone) {
  const Shape shape = *parse_shape("10/s for 1s, 20/s for 1s");
  std::vector<Result> results;
  for (std::uint64_t n = 0; n < 28; ++n) {
    Result r = result(shape.due(n).count(), n < 10 ? kMs : 9 * kMs);
    r.seq = n;
    results.push_back(r);
  }
  RunInput run = recorded("a", 20, 30, results);
  run.plan->asked = shape;
  StageSplit split(shape, kStart, {});
  split.add(results);
  run.stages = split.parts(Nanos(2 * kSecond), kUnlimited);
  auto gates = *Gates::parse(std::vector<std::string>{"stage(1).max>5ms, stage(2).max>5ms", "stage(2).missed>0", "stage(2).rate<95%"});
  const auto judged = gates.judge(input_of({run}));
  std::vector<std::string> lines;
  for (const Judged& j : judged) lines.push_back(j.gate + " " + j.value + (j.is_crossed ? " FAIL" : " pass"));
  EXPECT_THAT(lines, ElementsAre("stage(1).max>5ms 1ms pass", "stage(2).max>5ms 9ms FAIL", "stage(2).missed>0 2 FAIL",
                                 "stage(2).rate<95% 90% FAIL"));
}

TEST(Gates, CommasPartThemButForThoseInBrackets) {
  const auto judged = judge({"p99>1s, code(404,503)>0", "max>1s"}, some());
  ASSERT_EQ(judged.size(), 3u);
  EXPECT_EQ(judged[1].gate, "code(404,503)>0");
  EXPECT_EQ(judged[1].value, "10");
}

TEST(Gates, AMistakeIsOneLineThatShowsThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "bad gate \"^\": expected p50, p99.9"},
      {"p99", "bad gate \"p99^\": expected >, >="},
      {"p99>", "bad gate \"p99>^\": a value is missing"},
      {"p99>250", "bad gate \"p99>^250\": not a time"},
      {"p101>1s", "bad gate \"^p101>1s\": a percentile is p0 to p100"},
      {"foo>1", "bad gate \"^foo>1\": expected p50"},
      {"success<1", "success is a share"},
      {"errors>x", "bad gate \"errors>^x\": not a number"},
      {"errors>1%%", "not a number"},
      {"lag.success<5%", "only times have a clock"},
      {"code>0", "expected which codes"},
      {"code(9)>0", "bad status codes"},
      {"code(5xx>0", "a ) is missing"},
      {"url().p99>1s", "a pattern is missing"},
      {"url(/a)p99>1s", "expected a dot"},
      {"url(/a).stage(1).p99>1s", "one of url(…) and stage(…)"},
      {"url(/a).missed>0", "what was missed was sent to no URL"},
      {"stage(0).p99>1s", "stages are numbered from 1"},
      {"bytes_in>1s", "not a size"},
      {"p99>1s,", "bad gate \"^\""},
  };
  for (const auto& [text, words] : cases) {
    const auto gates = Gates::parse(std::vector<std::string>{text});
    ASSERT_FALSE(gates) << text;
    EXPECT_EQ(gates.error().kind, ErrorKind::usage);
    EXPECT_THAT(gates.error().text, HasSubstr(words)) << text;
    EXPECT_EQ(gates.error().text.find('\n'), std::string::npos);
  }
}

TEST(Gates, JUnitHasACaseForEach) {
  const std::vector<Judged> judged{{"p99>1s", "20ms", false}, {"url(/a&b\"<c>).max>1ms", "2ms", true}};
  EXPECT_EQ(junit(judged, {1'700'000'000, 5, 3600}, "a&b"),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites>\n"
            "  <testsuite name=\"thrum\" package=\"thrum\" id=\"0\" timestamp=\"2023-11-14T22:13:20\" hostname=\"a&amp;b\" tests=\"2\" "
            "failures=\"1\" errors=\"0\" time=\"0\">\n"
            "    <properties/>\n"
            "    <testcase classname=\"thrum.gates\" name=\"p99&gt;1s\" time=\"0\"></testcase>\n"
            "    <testcase classname=\"thrum.gates\" name=\"url(/a&amp;b&quot;&lt;c&gt;).max&gt;1ms\" time=\"0\">\n"
            "      <failure message=\"url(/a&amp;b&quot;&lt;c&gt;).max&gt;1ms came to 2ms\" type=\"gate\"></failure>\n"
            "    </testcase>\n"
            "    <system-out/>\n"
            "    <system-err/>\n"
            "  </testsuite>\n"
            "</testsuites>\n");
}

}  // namespace
}  // namespace thrum::report
