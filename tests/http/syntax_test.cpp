// The scan has a wide and a narrow half: both must see every control at every distance from the end.
#include "http/syntax.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thrum::http {
namespace {

TEST(Syntax, TheScanStopsAtEachControlAndAtNothingElse) {
  for (int c = 0; c < 256; ++c) {
    const bool control = (c < 0x20 && c != '\t') || c == 0x7f;
    for (std::size_t length = 1; length <= 40; ++length) {
      for (std::size_t at = 0; at < length; ++at) {
        std::string s(length, 'a');
        s[at] = static_cast<char>(c);
        const char* const end = s.data() + s.size();
        ASSERT_EQ(find_control(s.data(), end), control ? s.data() + at : end) << c << " at " << at << " of " << length;
      }
    }
  }
}

TEST(Syntax, TheScanFindsTheFirstOfMany) {
  const std::string s(64, '\n');
  for (std::size_t from = 0; from < s.size(); ++from) EXPECT_EQ(find_control(s.data() + from, s.data() + s.size()), s.data() + from);
}

TEST(Syntax, Tokens) {
  EXPECT_TRUE(is_token("M-SEARCH"));
  EXPECT_TRUE(is_token("!#$%&'*+-.^_`|~09azAZ"));
  for (const char* bad : {"", "a b", "a:", "a\t", "(", "a/b", "\x80", "\xc3\xa9", "a\x7f"}) EXPECT_FALSE(is_token(bad)) << bad;
}

TEST(Syntax, FieldNamesInAnyCase) {
  EXPECT_TRUE(is_field("LOCATION", "location"));
  EXPECT_TRUE(is_field("Transfer-Encoding", "transfer-encoding"));
  const std::string name = "content-length";
  for (std::size_t at = 0; at < name.size(); ++at) {
    for (int c = 0; c < 256; ++c) {
      std::string other = name;
      other[at] = static_cast<char>(c);
      const bool same = other[at] == name[at] || (name[at] != '-' && other[at] == name[at] - 32);
      if (!is_token_char(other[at]) && other[at] != ' ') continue;
      ASSERT_EQ(is_field(other, name), same) << other;
    }
  }
}

TEST(Syntax, ListsHoldWholeElementsInAnyCase) {
  EXPECT_TRUE(list_holds("close", "close"));
  EXPECT_TRUE(list_holds("Upgrade ,\t CLOSE ", "close"));
  EXPECT_TRUE(list_holds(",,close,,", "close"));
  for (const char* other : {"", ",", "closed", "not-close", "close;q=1", "clo se", "keep-alive"})
    EXPECT_FALSE(list_holds(other, "close")) << other;
}

}  // namespace
}  // namespace thrum::http
