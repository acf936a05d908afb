#include "targets/space.hpp"

#include <gtest/gtest.h>

namespace thrum::targets {
namespace {

TEST(Space, TrimsWhatUnicodeCallsWhiteSpace) {
  EXPECT_EQ(trim_space(" \t\r\n\v\fx y\v \r"), "x y");
  EXPECT_EQ(trim_space("\xc2\xa0x\xc2\xa0\xe2\x80\x89\xe3\x80\x80"), "x");
  EXPECT_EQ(trim_space(" \xc2\x85\xe2\x80\xa8 "), "");
  EXPECT_EQ(trim_space(""), "");
}

TEST(Space, LeavesOtherBytesAlone) {
  for (const std::string_view s : {"\xa0x\xa0", "\xe2\x80\x8bx", "x\xe2\x80", "\xc2", "x\xc3\xa0", "\x80\x8a", "\x1fx\x7f"})
    EXPECT_EQ(trim_space(s), s);
}

}  // namespace
}  // namespace thrum::targets
