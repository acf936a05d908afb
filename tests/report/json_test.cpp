#include "report/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/entries.hpp"
#include "report/json_text.hpp"
#include "run_builder.hpp"

namespace thrum::report {
namespace {

nlohmann::json parsed(const Input& input) {
  const Expected<std::string> text = json(input);
  EXPECT_TRUE(text);
  EXPECT_TRUE(text->ends_with("}\n"));
  return nlohmann::json::parse(*text);
}

TEST(JsonText, NumbersAsGoWritesThem) {
  const auto written = [](double value) {
    std::string out;
    JsonWriter(out).number(value);
    return out;
  };
  EXPECT_EQ(written(0), "0");
  EXPECT_EQ(written(1), "1");
  EXPECT_EQ(written(-0.5), "-0.5");
  EXPECT_EQ(written(1111.111111111111), "1111.111111111111");
  EXPECT_EQ(written(1e-6), "0.000001");
  EXPECT_EQ(written(6.505204571364712e-7), "6.505204571364712e-7");
  EXPECT_EQ(written(2.5e-10), "2.5e-10");
  EXPECT_EQ(written(123456789012345680000.0), "123456789012345680000");
  EXPECT_EQ(written(9.99e-7), "9.99e-7");
  EXPECT_EQ(written(-0.0), "-0");
  EXPECT_EQ(written(120), "120");
  EXPECT_EQ(written(1e21), "1e+21");
  EXPECT_EQ(written(1.5e300), "1.5e+300");
  EXPECT_EQ(written(4611686018427387904.0), "4611686018427388000");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonText, StringsAsGoWritesThem) {
  std::string out;
  JsonWriter(out).string("<a> & \"q\" \\ \b\f\n\r\t\x01\x7f é \u2028\xff");
  EXPECT_EQ(out, "\"\\u003ca\\u003e \\u0026 \\\"q\\\" \\\\ \\b\\f\\n\\r\\t\\u0001\x7f é \\u2028\\ufffd\"");
}

TEST(JsonText, CommasInNestedValues) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().key("a").begin_array().integer(-1).null().begin_object().end_object().end_array().key("b").boolean(true).end_object();
  EXPECT_EQ(out, R"({"a":[-1,null,{}],"b":true})");
}

TEST(Json, ForeignResultsOfOneCleanRunAreVegetasObjectToTheByte) {
  EXPECT_EQ(*json(input_of({run_of("a", {result(0, kMs), result(kSecond, kMs), result(2 * kSecond, kMs)})})),
            R"({"latencies":{"total":3000000,"mean":1000000,"50th":1000000,"90th":1000000,"95th":1000000,"99th":1000000,"max":1000000,)"
            R"("min":1000000},"bytes_in":{"total":0,"mean":0},"bytes_out":{"total":0,"mean":0},"earliest":"2023-11-14T22:13:20Z",)"
            R"("latest":"2023-11-14T22:13:22Z","end":"2023-11-14T22:13:22.001Z","duration":2000000000,"wait":1000000,"requests":3,)"
            R"("rate":1.5,"throughput":1.4992503748125938,"success":1,"status_codes":{"200":3},"errors":[]})"
            "\n");
}

TEST(Json, NothingReadIsZerosAndParses) {
  Input empty = input_of({run_of("a", {})});
  empty.buckets.emplace(*parse_buckets("[0,1ms]"));
  const nlohmann::json j = parsed(empty);
  EXPECT_EQ(j["requests"], 0);
  EXPECT_EQ(j["rate"], 0);
  EXPECT_EQ(j["earliest"], "0001-01-01T00:00:00Z");
  EXPECT_EQ(j["buckets"]["1000000"], 0);
}

TEST(Json, BucketsKeepTheOrderGiven) {
  Input input = input_of({run_of("a", {result(0, 7 * kMs)})});
  input.buckets.emplace(*parse_buckets("[5ms,10ms]"));
  input.buckets->add(Nanos(7 * kMs));
  EXPECT_NE(json(input)->find(R"("buckets":{"0":0,"5000000":1,"10000000":0},"bytes_in")"), std::string::npos);
}

TEST(Json, RecordedRunsSayWhatWasAskedAndHowItWent) {
  RunInput run = recorded("a", 100, 1200, steady(1000, 10 * kMs, 3 * kMs));
  run.plan->summary->limit = Limit::connections;
  run.plan->summary->limit_value = 64;
  run.plan->summary->traffic.bytes_in = 4096;
  run.plan->summary->interference.stolen = 0.5;
  const nlohmann::json j = parsed(input_of({run}));
  EXPECT_EQ(j["asked"], 1200);
  EXPECT_EQ(j["sent"], 1000);
  EXPECT_EQ(j["missed"], 200);
  EXPECT_EQ(j["answered"], 1000);
  EXPECT_EQ(j["rates"]["asked"], 100.0);
  EXPECT_NE(j["limit"].get<std::string>().find("-max-connections (64)"), std::string::npos);
  EXPECT_EQ(j["lag"]["99th"], 10'000);
  EXPECT_EQ(j["service"]["99.9th"], 3 * kMs);
  EXPECT_EQ(j["response"]["50th"], 3 * kMs + 10'000);
  EXPECT_TRUE(j["behind"].is_null());
  EXPECT_EQ(j["weak"], nlohmann::json::array({"99.99th"}));
  EXPECT_EQ(j["runs"][0]["plan"]["limit"]["kind"], "connections");
  EXPECT_EQ(j["limited_by"], "thrum");
  EXPECT_EQ(j["runs"][0]["limited_by"], "thrum");
  EXPECT_EQ(j["runs"][0]["limit"], j["limit"]);
  EXPECT_EQ(j["runs"][0]["plan"]["traffic"]["bytes_in"], 4096);
  EXPECT_TRUE(j["runs"][0]["plan"]["traffic"]["rtt"].is_null());
  EXPECT_EQ(j["runs"][0]["plan"]["machine"]["stolen"], 0.5);
  EXPECT_EQ(j["runs"][0]["plan"]["books"]["scheduled"], 1200);
  EXPECT_EQ(j["runs"][0]["plan"]["shape"], "100/1s");
}

TEST(Json, ASingleRequestHasNoRateOfOurs) {
  const nlohmann::json j = parsed(input_of({run_of("a", {result(0, 2 * kSecond)}), run_of("b", {result(0, 2 * kSecond)})}));
  EXPECT_EQ(j["rate"], 2);  // vegeta's own
  EXPECT_TRUE(j["runs"][0]["rates"]["sent"].is_null());
  EXPECT_EQ(j["runs"][0]["rates"]["answered"], 0.5);
}

TEST(Json, FailuresStandApart) {
  std::vector<Result> results = steady(50, 20 * kMs, 2 * kMs);
  for (int i = 0; i < 50; ++i) results.push_back(result(i * 20 * kMs, kSecond, 0, i % 2 == 0 ? "a" : "b"));
  const nlohmann::json j = parsed(input_of({run_of("a", results)}));
  EXPECT_EQ(j["successes"]["count"], 50);
  EXPECT_EQ(j["successes"]["max"], 2 * kMs);
  EXPECT_EQ(j["error_counts"].size(), 2);
  EXPECT_EQ(j["error_counts"][0]["error"], "a");
  EXPECT_EQ(j["error_counts"][1]["count"], 25);
  EXPECT_EQ(j["error_counts"][1]["targets"], 1);
  EXPECT_LT(j["error_counts"][1]["first"], j["error_counts"][1]["last"]);
  EXPECT_EQ(j["failures"], nlohmann::json::parse(R"({"connect":50})"));
}

TEST(Json, PercentilesAskedFor) {
  Input input = input_of({run_of("a", steady(500, kMs, kMs))});
  input.percentiles = {75, 99.99};
  EXPECT_EQ(parsed(input)["percentiles"], nlohmann::json::parse(R"({"75th":1000000,"99.99th":1000000})"));
}

TEST(Json, APartSaysSoAndLeavesTheBooksOut) {
  Input input = input_of({run_of("a", overloaded()), run_of("b", overloaded())});
  input.filter = Filter{.from = Nanos(5), .to = {}, .where = "code=200", .read = 9000};
  const nlohmann::json out = parsed(input);
  EXPECT_EQ(out["filter"], nlohmann::json::parse(R"({"from":5,"to":null,"where":"code=200","results":4000,"read":9000})"));
  for (const char* books : {"asked", "missed", "sent", "lost", "limit", "behind"}) EXPECT_FALSE(out.contains(books)) << books;
  EXPECT_EQ(out["lag"]["50th"], 10'000);
  EXPECT_TRUE(out["runs"][0]["verdict"].is_null());
  EXPECT_TRUE(out["runs"][0]["behind"].is_null());
  input.filter->to = Nanos(7);
  input.filter->where.clear();
  EXPECT_EQ(parsed(input)["filter"]["to"], 7);
  EXPECT_TRUE(parsed(input)["filter"]["where"].is_null());
}

TEST(Json, GroupsHaveTheSamePercentilesEach) {
  Input input = input_of({run_of("a", steady(101, 10 * kMs, 2 * kMs))});
  input.percentiles = {99.9};
  input.groups.emplace();
  Group group;
  group.name = "\x1b";
  for (int i = 1; i <= 50; ++i) {
    Result r = result(0, i * kMs);
    r.bytes_in = 3;
    r.bytes_out = 2;
    group.add(r, i != 1);
  }
  input.groups->rows.push_back(group);
  EXPECT_EQ(parsed(input)["grouped_by"], "url");
  EXPECT_TRUE(parsed(input)["other_groups"].is_null());
  input.groups->others = group;
  input.groups->others_count = 7;
  const nlohmann::json out = parsed(input);
  nlohmann::json should = nlohmann::json::parse(R"({"requests":50,"rate":50.0,"success":0.98,"bytes_in":150,"bytes_out":100,"latencies":
      {"mean":25500000,"min":1000000,"50th":25500000,"90th":45500000,"95th":48000000,"99th":50000000,"99.9th":50000000,"max":50000000},
      "weak":["99th","99.9th"]})");
  nlohmann::json others = should;
  should["name"] = "\x1b";
  EXPECT_EQ(out["groups"], nlohmann::json::array({should}));
  others["groups"] = 7;
  others["more"] = false;
  EXPECT_EQ(out["other_groups"], others);
}

// Where the manual says that a figure stands in JSON, it does.
TEST(Json, EveryPathExplainedIsThere) {
  std::vector<Result> results = overloaded();
  for (int i = 0; i < 100; ++i) results.push_back(result(i, 1, 0, "connect: refused"));
  Input input = input_of({recorded("a", 200, 2500, results), recorded("b", 200, 2000, overloaded())});
  Input one = input_of({recorded("a", 200, 2500, results)});
  one.runs.front().plan->summary->proxies = "http://proxy.test:3128";
  one.runs.front().plan->summary->warmup = {Nanos(kSecond), 10, 1};
  one.runs.front().plan->changes = {{Nanos(kSecond), "rate", "5/s"}};
  one.runs.front().peaks.emplace().add(results);
  one.clock = LatencyClock::response;
  input.percentiles = {75};
  Input part = input_of({run_of("a", results)});
  part.filter.emplace();
  part.groups.emplace();
  StageSplit split(*parse_shape("10/s for 1s, 5/s"), kStart, {});
  split.add(results);
  one.runs.front().stages = split.parts(Nanos(2 * kSecond), kUnlimited);
  one.judged = {{"p99>1s", "1ms", false}};
  one.runs[0].shares = ShareSplit({"shuffle", {{"a", "GET", "http://h/", 1}}}).table();
  const nlohmann::json both = parsed(input), alone = parsed(one), of_part = parsed(part);
  for (const Entry& e : entries()) {
    std::istringstream paths{std::string(e.json)};
    for (std::string path; paths >> path;) {
      const auto found = [&](const nlohmann::json& in) {
        const nlohmann::json* at = &in;
        std::istringstream names(path.substr(1));
        for (std::string name; std::getline(names, name, '.');) {
          const bool each = name.ends_with("[]");
          if (each) name.resize(name.size() - 2);
          if (!at->contains(name)) return false;
          at = &(*at)[name];
          if (each) at = &(*at)[0];
        }
        return true;
      };
      EXPECT_TRUE(found(both) || found(alone) || found(of_part)) << path;
    }
  }
}

TEST(Json, TimesBeyondYear9999AreRefused) {
  Result last = result(0, 2 * kSecond);
  last.timestamp = {253'402'300'799, 0, 0};
  const Expected<std::string> out = json(input_of({run_of("a", {last})}));
  ASSERT_FALSE(out);
  EXPECT_NE(out.error().text.find("9999"), std::string::npos);
}

}  // namespace
}  // namespace thrum::report
