#include "targets/base64.hpp"

#include <gtest/gtest.h>

namespace thrum::targets {
namespace {

using std::string_view_literals::operator""sv;

struct Good {
  std::string_view text, bytes;
};

TEST(Base64, DecodesWhatGoDecodes) {
  // RFC 4648 section 10, then: line ends anywhere, stray bits in the last letter, every kind of byte.
  const Good rows[] = {
      {"", ""},
      {"Zg==", "f"},
      {"Zm8=", "fo"},
      {"Zm9v", "foo"},
      {"Zm9vYg==", "foob"},
      {"Zm9vYmE=", "fooba"},
      {"Zm9vYmFy", "foobar"},
      {"aGVs\nbG8=", "hello"},
      {"aGVsbG\r\n8\n=\n", "hello"},
      {"\nQQ=\n=\r", "A"},
      {"aGVsbG9=", "hello"},
      {"aGVsbG8A/w==", "hello\0\xff"sv},
      {"+/+/", "\xfb\xff\xbf"},
  };
  for (const Good& row : rows) {
    std::string out = "before";
    EXPECT_EQ(decode_base64(row.text, out), std::nullopt) << row.text;
    EXPECT_EQ(out, row.bytes) << row.text;
  }
}

struct Bad {
  std::string_view text;
  std::size_t at;
};

TEST(Base64, RefusesTheRestAndSaysWhere) {
  const Bad rows[] = {
      {"!!", 0},       {"Z", 1},         {"Zg", 2},    {"Zg=", 3},  {"Zm9vY", 5}, {"Z===", 1},      {"=", 0},
      {"Zg==Zg==", 4}, {"aGVsbG8==", 8}, {"Zg= =", 3}, {"_-8=", 0}, {"Q Q==", 1}, {"Zm9vYmFy*", 8}, {"Zm9v\xff", 4},
  };
  for (const Bad& row : rows) {
    std::string out;
    EXPECT_EQ(decode_base64(row.text, out), row.at) << row.text;
  }
}

}  // namespace
}  // namespace thrum::targets
