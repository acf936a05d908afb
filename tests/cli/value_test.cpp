#include "cli/value.hpp"

#include <gmock/gmock.h>

namespace thrum::cli {
namespace {

using namespace std::chrono_literals;

TEST(ReadBool, KnowsGosWordsAndNoOthers) {
  for (const char* word : {"1", "t", "T", "true", "TRUE", "True"}) EXPECT_EQ(read_bool(word), true) << word;
  for (const char* word : {"0", "f", "F", "false", "FALSE", "False"}) EXPECT_EQ(read_bool(word), false) << word;
  for (const char* word : {"", "2", "yes", "no", "on", "tRUE", " true"}) EXPECT_FALSE(read_bool(word)) << word;
}

TEST(ReadCount, HoldsTheWholeRange) {
  EXPECT_EQ(read_count("18446744073709551615"), UINT64_MAX);
  EXPECT_FALSE(read_count("18446744073709551616"));
  EXPECT_EQ(read_count("007"), 7u);
  EXPECT_EQ(read_count("5", 5, 5), 5u);
  EXPECT_FALSE(read_count("4", 5, 5));
  EXPECT_FALSE(read_count("6", 5, 5));
}

TEST(ReadCap, TakesZeroForNoLimit) {
  EXPECT_EQ(read_cap("0"), kUnlimited);
  EXPECT_EQ(read_cap("3"), 3u);
}

TEST(ReadSecondsOrDuration, TakesABareNumberForSeconds) {
  EXPECT_EQ(read_seconds_or_duration("5"), 5s);
  EXPECT_EQ(read_seconds_or_duration("5ms"), 5ms);
  EXPECT_EQ(read_seconds_or_duration("9223372036"), 9223372036s);
  EXPECT_FALSE(read_seconds_or_duration("9223372037"));
}

TEST(ReadHeader, TrimsAndKeepsTheRest) {
  const auto header = read_header("X-D:  two  spaces : and a colon ");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->first, "X-D");
  EXPECT_EQ(header->second, "two  spaces : and a colon");
  EXPECT_FALSE(read_header("A: line\nbreak"));
  EXPECT_FALSE(read_header(std::string_view("A: nul\0", 7)));
  EXPECT_TRUE(read_header("A: caf\xc3\xa9"));
}

TEST(ReadChoice, NamesTheNearest) {
  const auto choice = read_choice("jsn", "http json");
  ASSERT_FALSE(choice);
  EXPECT_THAT(choice.error().text, testing::HasSubstr("did you mean json?"));
}

}  // namespace
}  // namespace thrum::cli
