#include "http/connect_to.hpp"

#include <gmock/gmock.h>

namespace thrum::http {
namespace {

std::string read(std::string_view text) {
  const auto entries = parse_connect_to(text);
  if (!entries) return "error";
  std::string out;
  for (const ConnectTo& e : *entries)
    out += "<" + e.host + "|" + std::to_string(e.port) + "|" + e.to_host + "|" + std::to_string(e.to_port) + ">";
  return out;
}

TEST(ConnectTo, HasTwoHostsAndTwoPorts) {
  EXPECT_EQ(read("shop.test:443:10.0.0.7:8443"), "<shop.test|443|10.0.0.7|8443>");
  EXPECT_EQ(read("[::1]:80:[fe80::1%lo]:81"), "<::1|80|fe80::1%lo|81>");
  EXPECT_EQ(read("a:1:b:2,a:1:c:3"), "<a|1|b|2><a|1|c|3>");
  EXPECT_EQ(read("a:1:b:2, [::1]:2:c:3"), "<a|1|b|2><::1|2|c|3>");
}

TEST(ConnectTo, APartLeftOutIsAnyOrTheTargetsOwn) {
  EXPECT_EQ(read("a::b:"), "<a|0|b|0>");
  EXPECT_EQ(read(":80:b:"), "<|80|b|0>");
  EXPECT_EQ(read("::b:81"), "<|0|b|81>");
  EXPECT_EQ(read("a:80::81"), "<a|80||81>");
}

TEST(ConnectTo, AnythingElseIsRefused) {
  for (const char* text :
       {"",           "abc",         "a:b:c",         "a:1:b",     "a:1:b:2:3", "a:1:b:x",  "a:0:b:1",   "a:65536:b:1",    "a:1:b:-2",
        "::1:80:b:1", "[::1:80:b:1", "[::1]80:b:1:2", "[a]:1:b:2", "a:1:b:2,",  ",a:1:b:2", "a b:1:c:2", "http://a:1:b:2", "a:1:[]:2",
        "a:1:b]:2",   "a: 1:b:2"})
    EXPECT_EQ(read(text), "error") << text;
  EXPECT_THAT(parse_connect_to("\x1b[2J").error().text, testing::HasSubstr("is not HOST:PORT:HOST:PORT"));
  EXPECT_THAT(parse_connect_to("\x1b[2J").error().text, testing::Not(testing::HasSubstr("\x1b")));
}

}  // namespace
}  // namespace thrum::http
