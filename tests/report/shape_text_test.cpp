#include "report/shape_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace thrum::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(std::string_view rate, Nanos until, std::size_t columns = 60) { return shape_text(*parse_shape(rate), until, columns); }

TEST(ShapeText, DrawsCountsAndLists) {
  const std::string text = text_of("0..100/s over 10s, hold 10s", Nanos(20'000'000'000));
  EXPECT_THAT(text, HasSubstr("100/s │"));
  EXPECT_THAT(text, HasSubstr(" 50/s │"));
  EXPECT_THAT(text, HasSubstr("1500 hits in 20s, 100/s at most, 75/s in the mean\n"));
  EXPECT_THAT(text, HasSubstr("\nStage                Starts  Lasts  From   To     Hits\n"
                              "0/s..100/s over 10s"));
  EXPECT_THAT(text, HasSubstr("100/s for 10s        10s     10s    100/s  100/s  1000\n"));
}

TEST(ShapeText, OneThatGoesOnIsCountedAsFarAsItIsShown) {
  EXPECT_THAT(text_of("50/s", Nanos(10'000'000'000)), HasSubstr("500 hits in the first 10s, 50/s at most, 50/s in the mean\n"));
  EXPECT_THAT(text_of("50/s for 1s, 5/s", Nanos(10'000'000'000)), HasSubstr("on and on"));
}

TEST(ShapeText, SaysThatArrivalsAreRandom) {
  EXPECT_THAT(text_of("poisson 50/s for 2s", Nanos(2'000'000'000)), HasSubstr("they arrive at random"));
}

TEST(ShapeText, OfManyStagesSome) {
  const std::string text = text_of("1..100/s step 1 every 1s", Nanos(100'000'000'000));
  EXPECT_THAT(text, HasSubstr("and 50 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("51/s for 1s")));
}

TEST(ShapeText, FitsAnyWidth) {
  for (const std::size_t columns : {1, 40, 80, 1'000}) {
    const std::string text = text_of("10/s for 1s, 100000000/s for 1s", Nanos(2'000'000'000), columns);
    EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 12) << columns;
  }
}

}  // namespace
}  // namespace thrum::report
