#include "report/type.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thrum::report {
namespace {

struct Row {
  const char* type;
  const char* buckets;
  Kind kind;
  std::size_t bounds;
};

TEST(Type, Accepted) {
  const Row rows[] = {
      {"text", "", Kind::text, 0},
      {"text", "nonsense", Kind::text, 0},
      {"json", "", Kind::json, 0},
      {"json", "[0,1ms]", Kind::json, 2},
      {"json", "[5ms]", Kind::json, 2},
      {"hist[0,1ms,5ms]", "", Kind::histogram, 3},
      {"hist[0,1ms]", "[0,4ms,8ms]", Kind::histogram, 3},
      {"hist[nonsense", "[0]", Kind::histogram, 1},
      {"hist", "[0,2ms]", Kind::histogram, 2},
      {"hist", "", Kind::histogram, 0},
      {"hdrplot", "", Kind::hdrplot, 0},
      {"hdrlog", "", Kind::hdrlog, 0},
      {"csv", "", Kind::seconds, 0},
  };
  for (const Row& row : rows) {
    const Expected<Type> type = parse_type(row.type, row.buckets);
    ASSERT_TRUE(type) << row.type;
    EXPECT_EQ(type->kind, row.kind) << row.type;
    EXPECT_EQ(type->buckets.size(), row.bounds) << row.type;
  }
}

TEST(Type, Refused) {
  for (const char* bad : {"", "foo", "plot", "TEXT", "textt", "json[0]", "hist[]", "hist[abc]", "hist0,1", "hist[1", "hist1]", "hist[0,]",
                          "hist[0,1]", "histo", "histogram[0,1ms]", "hdr", "hdrplot2", "hist[0,1ms]x", "hist[0;1ms]"})
    EXPECT_FALSE(parse_type(bad, "")) << bad;
  EXPECT_FALSE(parse_type("json", "abc"));
  EXPECT_FALSE(parse_type("hist", "["));
  EXPECT_THAT(parse_type("foo", "").error().text, testing::HasSubstr("hdrplot"));
}

TEST(Percentiles, Texts) {
  EXPECT_THAT(*parse_percentiles("50,90,99,99.9"), testing::ElementsAre(50, 90, 99, 99.9));
  EXPECT_THAT(*parse_percentiles(" 99.99% , 0,100, 99.99"), testing::ElementsAre(99.99, 0, 100));
  for (const char* bad : {"", ",", "50,", "x", "-1", "100.1", "50;60", "1e1", "nan", "p99"}) EXPECT_FALSE(parse_percentiles(bad)) << bad;
}

}  // namespace
}  // namespace thrum::report
