// Bodies as lines for people.
#include "ui/body_text.hpp"

#include <gmock/gmock.h>

namespace thrum::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> lines(std::string_view body, bool is_raw = false) {
  std::vector<std::string> out;
  for (const PanelLine& line : body_lines(body, is_raw)) {
    std::string& text = out.emplace_back();
    for (const PanelSpan& span : line.spans) text += span.text;
  }
  return out;
}

TEST(BodyText, JsonIsIndented) {
  EXPECT_THAT(lines(R"({"a":[1,2,{}],"b" : "x,{\"}","c":null})"),
              ElementsAre("{", "  \"a\": [", "    1,", "    2,", "    {}", "  ],", R"(  "b": "x,{\"}",)", "  \"c\": null", "}"));
  EXPECT_THAT(lines(R"({"a":1)"), ElementsAre("{", "  \"a\": 1"));
  EXPECT_THAT(lines("]]}\"x"), ElementsAre("]]}\"x"));
  EXPECT_THAT(lines(R"({"a":1})", true), ElementsAre(R"({"a":1})"));
}

TEST(BodyText, MarkupIsIndented) {
  EXPECT_THAT(lines("<!doctype html><html><br><p class=a>one\ntwo</p><x/></html>"),
              ElementsAre("<!doctype html>", "<html>", "  <br>", "  <p class=a>", "    one", "    two", "  </p>", "  <x/>", "</html>"));
  EXPECT_THAT(lines("<a"), ElementsAre("<a"));
  EXPECT_THAT(lines("</a></b>x"), ElementsAre("</a>", "</b>", "x"));
}

TEST(BodyText, OtherTextStaysAsItIs) {
  EXPECT_THAT(lines("one\r\ntwo\n\nthree"), ElementsAre("one", "two", "", "three"));
  EXPECT_THAT(lines(""), ElementsAre());
  EXPECT_THAT(lines("\x1b[31mred"), ElementsAre("\\x1b[31mred"));
}

TEST(BodyText, WhatIsNoTextIsInHexadecimal) {
  const auto all = lines(std::string("\x00\x01GIF\xff", 6));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0], HasSubstr("00000000  00 01 47 49 46 ff "));
  EXPECT_THAT(all[0], HasSubstr("..GIF."));
}

// Deep, long and unending: lines are bounded.
TEST(BodyText, HostileBodies) {
  EXPECT_LE(lines(std::string(1 << 20, '[')).size(), 20'000u);
  EXPECT_LE(lines(std::string(1 << 20, '<')).size(), 20'000u);
  EXPECT_LE(lines(std::string(1 << 20, '\n')).size(), 20'000u);
  EXPECT_EQ(lines("\"" + std::string(1 << 20, 'x')).size(), 1u);
}

}  // namespace
}  // namespace thrum::ui
