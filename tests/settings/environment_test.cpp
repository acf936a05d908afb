#include "settings/environment.hpp"

#include <gmock/gmock.h>

#include "names.hpp"

namespace thrum::settings {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Environment read(std::vector<std::string_view> variables) { return read_environment(variables, kNames); }

TEST(SettingsEnvironment, HasVariablesForFlags) {
  const auto got = read({"PATH=/bin", "THRUM_RATE=100/s", "THRUM_MAX_REQUESTS=5", "THRUM_INSECURE=true", "THRUM_Z=5s", "THRUM_NUMBER=7"});
  EXPECT_EQ(text_of(got.settings), "rate=100/s max-requests=5 insecure=true duration=5s");
  EXPECT_EQ(got.settings[1].where, "THRUM_MAX_REQUESTS");
  EXPECT_THAT(got.doubts, IsEmpty());
}

TEST(SettingsEnvironment, LinesAreSeveralValuesOfAFlagThatRepeats) {
  EXPECT_EQ(text_of(read({"THRUM_HEADER=A: 1\n\nB: 2\n"}).settings), "header=A: 1 header=B: 2");
  EXPECT_EQ(text_of(read({"THRUM_RATE=", "THRUM_HEADER=", "THRUM_DURATION=1\n2"}).settings), "duration=1\n2");
}

TEST(SettingsEnvironment, DoubtsSlipsAndNothingElse) {
  const auto got =
      read({"THRUM_RTAE=5", "THRUM_PORT=tcp://10.0.0.1:80", "THRUM_SERVICE_HOST=10.0.0.1", "THRUM=x", "THRUM_", "thrum_rate=5"});
  EXPECT_THAT(got.settings, IsEmpty());
  EXPECT_THAT(got.doubts, ElementsAre("THRUM_RTAE is no setting and changes nothing; did you mean THRUM_RATE?"));
}

TEST(SettingsOverlay, TheHigherOneWinsAndGuardsStay) {
  const auto over = [](std::vector<Setting> low, std::vector<Setting> high) {
    return text_of(overlay(std::move(low), std::move(high), kNames));
  };
  EXPECT_EQ(over({{"rate", "1", ""}, {"duration", "2s", ""}}, {{"rate", "3", ""}}), "duration=2s rate=3");
  EXPECT_EQ(over({{"header", "A: 1", ""}, {"header", "B: 2", ""}}, {{"header", "C: 3", ""}}), "header=C: 3");
  EXPECT_EQ(over({{"max-requests", "1", ""}, {"allow-host", "a", ""}}, {{"allow-host", "b", ""}, {"max-requests", "9", ""}}),
            "max-requests=1 allow-host=a allow-host=b max-requests=9");
}

}  // namespace
}  // namespace thrum::settings
