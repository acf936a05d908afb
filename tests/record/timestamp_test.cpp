#include "base/timestamp.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

struct Case {
  std::string_view text;
  Timestamp time;
  std::string_view printed;  // empty: as read
};

TEST(Timestamp, ReadsAndPrints) {
  for (const Case& c : std::initializer_list<Case>{
           {"1970-01-01T00:00:00Z", {0, 0, 0}, ""},
           {"1969-12-31T23:59:59.999999999Z", {-1, 999'999'999, 0}, ""},
           {"2023-11-14T22:13:20.5Z", {1'700'000'000, 500'000'000, 0}, ""},
           {"2023-11-15T03:43:20+05:30", {1'700'000'000, 0, 19'800}, ""},
           {"2023-11-14T18:43:20.000000001-03:30", {1'700'000'000, 1, -12'600}, ""},
           {"2023-11-14T22:13:20+00:00", {1'700'000'000, 0, Timestamp::kLocalZero}, "2023-11-14T22:13:20Z"},
           {"2023-11-14T22:13:20.1234567899Z", {1'700'000'000, 123'456'789, 0}, "2023-11-14T22:13:20.123456789Z"},
           {"0001-01-01T00:00:00Z", kYearOne, ""},
           {"9999-12-31T23:59:59.999999999Z", {253'402'300'799, 999'999'999, 0}, ""},
           {"2024-02-29T12:00:00Z", {1'709'208'000, 0, 0}, ""},
       }) {
    const auto time = parse_rfc3339(c.text);
    ASSERT_TRUE(time) << c.text;
    EXPECT_TRUE(time->same_instant(c.time)) << c.text;
    EXPECT_EQ(time->zone, c.time.zone) << c.text;
    EXPECT_EQ(format_rfc3339(*time), c.printed.empty() ? c.text : c.printed);
  }
}

TEST(Timestamp, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", "2024", "2024-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "2024-01-01 00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
        "2024-01-01T00:00:60Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx", "2024-01-01T00:00:00+5:30",
        "2024-01-01T00:00:00+24:00", "24-01-01T00:00:00Z", "2024-01-01T00:00:00,5Z", "-024-01-01T00:00:00Z"})
    EXPECT_FALSE(parse_rfc3339(text)) << text;
}

TEST(Timestamp, PrintsTheNearestOfTimesBeyondItsYears) {
  EXPECT_EQ(format_rfc3339({INT64_MAX, 0, 0}), "9999-12-31T23:59:59Z");
  EXPECT_EQ(format_rfc3339({INT64_MIN, 0, 0}), "0000-01-01T00:00:00Z");
}

TEST(Timestamp, UnixNanosWrapAsInGo) {
  EXPECT_EQ(unix_nanos(kYearOne), -6'795'364'578'871'345'152);
  EXPECT_EQ(unix_nanos({-1, 999'999'999, 0}), -1);
}

// Whatever came before, a time is read as on its own.
TEST(TimeReader, ReadsWhatParseDoes) {
  TimeReader reader;
  for (const char* text :
       {"2026-12-01T02:59:04.470642726Z", "2026-12-01T02:59:05.1Z", "2026-12-01T02:59:59.000000001Z", "2026-12-01T02:59:60.5Z",
        "2026-12-01T02:59:5x.5Z", "2026-12-01T02:59:05.Z", "2026-12-01T02:59:05.1234567891Z", "2026-12-01T02:59:05Z",
        "2026-12-01T02:59:05.5+01:00", "2026-12-01T02:59:05.1x2Z", "2026-12-01T02:59:05,5Z", "2026-12-01T02:59:05.25Z",
        "2026-13-01T02:59:05.5Z", "2026-12-01T03:00:05.25Z", "2026-12-01T02:59:07.75Z", "0000-01-01T00:00:00.5Z", ""}) {
    const auto should = parse_rfc3339(text), is = reader.parse(text);
    ASSERT_EQ(is.has_value(), should.has_value()) << text;
    if (!is) continue;
    EXPECT_TRUE(is->same_instant(*should)) << text;
    EXPECT_EQ(is->zone, should->zone) << text;
  }
}

}  // namespace
}  // namespace thrum
