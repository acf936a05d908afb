#include "report/seconds.hpp"

#include <gtest/gtest.h>

#include "run_builder.hpp"

namespace thrum::report {
namespace {

std::string table(std::vector<RunInput> runs, const std::vector<Result>& results) {
  Series series(kStart);
  for (const Result& r : results) series.add(r, is_success(r, StatusSet()));
  Input input = input_of(std::move(runs));
  input.series = &series;
  return seconds(input);
}

constexpr const char* kHeader = "second,time,asked,sent,ok,failed,rate,min_ns,mean_ns,p50_ns,p90_ns,p95_ns,p99_ns,max_ns\n";

TEST(Seconds, ALinePerSecondWithAskedAndSent) {
  std::vector<Result> results;
  for (const std::int64_t at : {0, 250, 500, 750, 1000, 1250, 3000})
    results.push_back(result(at * kMs, at == 250 ? 5 * kMs : kMs, at == 500 ? 503 : 200));
  EXPECT_EQ(table({recorded("a", 4, 16, results)}, results),
            std::string(kHeader) +
                "0,2023-11-14T22:13:20Z,4,4,3,1,4.00,1000000,2000000,1000000,5000000,5000000,5000000,5000000\n"
                "1,2023-11-14T22:13:21Z,4,2,2,0,2.00,1000000,1000000,1000000,1000000,1000000,1000000,1000000\n"
                "2,2023-11-14T22:13:22Z,4,0,0,0,0.00,,,,,,,\n"
                "3,2023-11-14T22:13:23Z,4,1,1,0,1.00,1000000,1000000,1000000,1000000,1000000,1000000,1000000\n");
}

TEST(Seconds, AskedIsEmptyWhereNobodySays) {
  const std::vector<Result> results{result(0, kMs)};
  EXPECT_EQ(table({run_of("a", results)}, results),
            std::string(kHeader) + "0,2023-11-14T22:13:20Z,,1,1,0,1.00,1000000,1000000,1000000,1000000,1000000,1000000,1000000\n");
  EXPECT_EQ(table({run_of("a", {})}, {}), kHeader);
}

TEST(Seconds, AskedStopsWithTheSchedule) {
  const std::vector<Result> results{result(0, kMs), result(500 * kMs, kMs), result(2500 * kMs, kMs)};
  RunInput run = recorded("a", 2, 2, results);
  run.plan->summary->sending = Nanos(kSecond);
  const std::string out = table({run}, results);
  EXPECT_NE(out.find("\n0,2023-11-14T22:13:20Z,2,2,"), std::string::npos);
  EXPECT_NE(out.find("\n1,2023-11-14T22:13:21Z,0,0,"), std::string::npos);
  EXPECT_NE(out.find("\n2,2023-11-14T22:13:22Z,0,1,1,0,2.00,"), std::string::npos);  // half a second of it
}

TEST(Seconds, LongGapsAreLeftOut) {
  const std::vector<Result> results{result(0, kMs), result(100'000 * kSecond, kMs)};
  const std::string out = table({run_of("a", results)}, results);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
  EXPECT_NE(out.find("\n100000,"), std::string::npos);
}

}  // namespace
}  // namespace thrum::report
