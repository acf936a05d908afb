#include "report/stages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/json.hpp"
#include "report/text.hpp"
#include "run_builder.hpp"

namespace thrum::report {
namespace {

using testing::HasSubstr;

// As an attack records it: hit n of the shape, late by `lag`.
std::vector<Result> hits(const Shape& shape, std::uint64_t count, std::int64_t latency, std::int64_t lag = 0) {
  std::vector<Result> out;
  for (std::uint64_t n = 0; n < count; ++n) {
    Result r = result(shape.due(n).count() + lag, latency);
    r.seq = n;
    r.lag = Nanos(lag);
    out.push_back(r);
  }
  return out;
}

TEST(Stages, AHitBelongsToTheStageInWhichItWasDue) {
  const Shape shape = *parse_shape("10/s for 1s, 20/s for 1s, 5/s for 2s");
  StageSplit split(shape, kStart, {});
  split.add(hits(shape, 40, kMs, 700 * kMs));  // sent so late that some leave in the next stage
  const auto parts = split.parts(Nanos(4 * kSecond), kUnlimited);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].metrics.requests(), 10u);
  EXPECT_EQ(parts[1].metrics.requests(), 20u);
  EXPECT_EQ(parts[2].metrics.requests(), 10u);
  EXPECT_EQ(parts[1].asked, 20u);
  EXPECT_EQ(parts[1].stage.text, "20/s for 1s");
  EXPECT_EQ(parts[2].length, Nanos(2 * kSecond));
}

TEST(Stages, RandomHitsBelongByTheirTimes) {
  const Shape shape = *parse_shape("poisson 10/s for 1s, 20/s for 1s");
  StageSplit split(shape, kStart, {});
  std::vector<Result> results{result(200 * kMs, kMs), result(999 * kMs, kMs), result(1'100 * kMs, kMs), result(1'200 * kMs, kMs)};
  results[3].lag = Nanos(250 * kMs);
  split.add(results);
  const auto parts = split.parts(Nanos(2 * kSecond), kUnlimited);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].metrics.requests(), 3u);
  EXPECT_EQ(parts[1].metrics.requests(), 1u);
  EXPECT_FALSE(parts[0].asked);
}

TEST(Stages, AChangeBeginsOne) {
  const Shape shape = *parse_shape("10/s");
  Metrics so_far;
  so_far.add(hits(shape, 5, kMs));
  StageSplit split(shape, kStart, {}, so_far);
  split.change(Nanos(550 * kMs), "rate 100/s");
  std::vector<Result> results{result(500 * kMs, kMs), result(560 * kMs, kMs), result(990 * kMs, kMs)};
  results[0].seq = 5;
  split.add(results);
  split.change(Nanos(1 * kSecond), "pause");
  split.change(Nanos(3 * kSecond), "resume");
  results = {result(3'100 * kMs, kMs), result(1'200 * kMs, kMs)};
  results[1].lag = Nanos(300 * kMs);  // was due before the pause
  split.add(results);
  const auto parts = split.parts(Nanos(4 * kSecond), kUnlimited);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].stage.text, "10/s");
  EXPECT_EQ(parts[0].metrics.requests(), 6u);
  EXPECT_EQ(parts[0].asked, 6u);
  EXPECT_EQ(parts[0].length, Nanos(550 * kMs));
  EXPECT_EQ(parts[1].stage.text, "rate 100/s");
  EXPECT_EQ(parts[1].metrics.requests(), 3u);
  EXPECT_FALSE(parts[1].asked);
  EXPECT_EQ(parts[2].metrics.requests(), 0u);
  EXPECT_EQ(parts[2].length, Nanos(2 * kSecond));
  EXPECT_EQ(parts[3].metrics.requests(), 1u);
  EXPECT_EQ(parts[3].length, Nanos(1 * kSecond));
}

TEST(Stages, ThatWereNotReachedAreLeftOut) {
  const Shape shape = *parse_shape("10/s for 1s, 20/s for 1s, 5/s");
  StageSplit split(shape, kStart, {});
  split.add(hits(shape, 14, kMs));
  const auto parts = split.parts(Nanos(1'200 * kMs), 18);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].asked, 4u);
  EXPECT_EQ(parts[1].length, Nanos(200 * kMs));
}

TEST(Stages, OneStageOrTooManyAreNone) {
  EXPECT_FALSE(StageSplit::is_for(*parse_shape("10/s")));
  EXPECT_FALSE(StageSplit::is_for(*parse_shape("10/s for 5s")));
  EXPECT_TRUE(StageSplit::is_for(*parse_shape("10/s for 5s, 5/s for 1s")));
  EXPECT_FALSE(StageSplit::is_for(*parse_shape("1..1000/s step 1 every 1s")));
}

TEST(Stages, HaveALineEachInTextAndAnObjectInJson) {
  const Shape shape = *parse_shape("10/s for 1s, 20/s for 1s");
  const std::vector<Result> results = hits(shape, 25, kMs);
  RunInput run = recorded("a", 20, 30, results);
  run.plan->asked = shape;
  run.plan->summary->sending = Nanos(2 * kSecond);
  StageSplit split(shape, kStart, {});
  split.add(results);
  run.stages = split.parts(Nanos(2 * kSecond), kUnlimited);
  const Input input = input_of({run});
  EXPECT_THAT(text(input), HasSubstr("\nStages       Asked  Sent  Rate   Throughput  Success  50   99   Max  Verdict\n"
                                     "10/s for 1s  10     10    10.00  11.10       100.00%  1ms  1ms  1ms  kept up\n"
                                     "20/s for 1s  20     15    15.00  21.40       100.00%  1ms  1ms  1ms  missed 5 of 20\n"));
  const std::string json = *report::json(input);
  EXPECT_THAT(json,
              HasSubstr(R"("stages":[{"stage":"10/s for 1s","start":0,"length":1000000000,"from":10,"to":10,"asked":10,"requests":10,)"));
  EXPECT_THAT(json, HasSubstr(R"("verdict":"missed 5 of 20"}])"));
}

}  // namespace
}  // namespace thrum::report
