#include "report/shares.hpp"

#include <gmock/gmock.h>

#include "report/json.hpp"
#include "report/text.hpp"
#include "run_builder.hpp"

namespace thrum::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TargetMix mix() {
  TargetMix mix;
  mix.order = "weighted";
  mix.parts = {{"login", "POST", "http://a/login", 3}, {"", "GET", "http://a/", 1}};
  return mix;
}

std::vector<Result> hits() {
  std::vector<Result> out = steady(10, kMs, kMs);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].method = i < 2 ? "GET" : "POST";
    out[i].url = i < 2 ? "http://a/" : "http://a/login";
    if (i >= 2) out[i].name = "login";
  }
  return out;
}

TEST(Shares, AreCountedByNameOrByMethodAndUrl) {
  ShareSplit split(mix());
  split.add(hits());
  const ShareTable table = split.table();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].count, 8u);
  EXPECT_DOUBLE_EQ(table.rows[0].wanted, 0.75);
  EXPECT_DOUBLE_EQ(table.rows[0].share, 0.8);
  EXPECT_EQ(table.rows[1].count, 2u);
  EXPECT_EQ(table.others.count, 0u);
}

TEST(Shares, OfTargetsWithoutARowAreToldTogether) {
  TargetMix few = mix();
  few.parts.pop_back();
  few.others = 7;
  few.others_weight = 5;
  ShareSplit split(few);
  split.add(hits());
  const ShareTable table = split.table();
  EXPECT_DOUBLE_EQ(table.rows[0].wanted, 3.0 / 8);
  EXPECT_DOUBLE_EQ(table.others.wanted, 5.0 / 8);
  EXPECT_EQ(table.others.count, 2u);
  EXPECT_THAT(share_rows(table, ""), HasSubstr("(7 others)\t5\t62.50%\t2\t20.00%\n"));
}

TEST(Shares, StandInTextAndJson) {
  RunInput run = recorded("a", 1000, 10, hits());
  EXPECT_THAT(text(input_of({run})), Not(HasSubstr("Targets")));
  ShareSplit split(mix());
  split.add(hits());
  run.shares = split.table();
  run.plan->order = "weighted";
  run.plan->seed = 7;
  EXPECT_THAT(text(input_of({run})), HasSubstr("Targets (weighted)  Weight  Wanted  Sent  Share\n"
                                               "login               3       75.00%  8     80.00%\n"
                                               "GET http://a/       1       25.00%  2     20.00%\n"));
  const std::string one = *json(input_of({run}));
  EXPECT_THAT(one,
              HasSubstr(R"("order":"weighted","targets":[{"name":"login","method":"POST","url":"http://a/login","weight":3,"wanted":0.75,)"
                        R"("requests":8,"share":0.8},{"name":"","method":"GET")"));
  EXPECT_THAT(one, HasSubstr(R"("seed":7)"));
  RunInput other = recorded("b", 1000, 10, hits());
  EXPECT_THAT(text(input_of({run, other})), HasSubstr("Targets of a (weighted)"));
}

}  // namespace
}  // namespace thrum::report
