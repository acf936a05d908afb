#include "serve/listen_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/response.hpp"

namespace thrum::serve {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ListenAddress, ReadsHostAndPort) {
  const struct {
    const char* text;
    std::size_t addresses;
    int port;
  } good[] = {{"127.0.0.1:18080", 1, 18080}, {"[::1]:0", 1, 0},     {":8080", 2, 8080}, {"*:1", 2, 1},
              {"localhost:65535", 2, 65535}, {"LocalHost:0", 2, 0}, {"[::]:80", 1, 80}};
  for (const auto& c : good) {
    const auto a = parse_listen_address(c.text, "-addr");
    ASSERT_TRUE(a.has_value()) << c.text << ": " << a.error().text;
    EXPECT_EQ(a->addresses.size(), c.addresses) << c.text;
    EXPECT_EQ(a->port, c.port) << c.text;
  }
}

TEST(ListenAddress, RefusesOthersInOneLineThatShowsARightOne) {
  for (const char* text : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[127.0.0.1]:80",
                           "1.2.3:80", "example.org:80", "[::1:80", "127.0.0.1:80 ", "a\nb:1"}) {
    const auto a = parse_listen_address(text, "-addr");
    ASSERT_FALSE(a.has_value()) << text;
    EXPECT_EQ(a.error().kind, ErrorKind::usage);
    EXPECT_THAT(a.error().text, StartsWith("-addr \""));
    EXPECT_THAT(a.error().text, HasSubstr("127.0.0.1:18080"));
    EXPECT_EQ(a.error().text.find('\n'), std::string::npos);
  }
}

TEST(ListenAddress, ListensOnAPortOfTheKernelsChoice) {
  const auto a = listen_on(*parse_listen_address("127.0.0.1:0", "-addr"), "-addr");
  ASSERT_TRUE(a.has_value()) << a.error().text;
  EXPECT_NE(a->port, 0);
  EXPECT_EQ(a->authority, "127.0.0.1:" + std::to_string(a->port));
  EXPECT_EQ(a->sockets.size(), 1u);
}

TEST(ListenAddress, TellsHowToReachAllInterfaces) {
  const auto a = listen_on(*parse_listen_address(":0", "-addr"), "-addr");
  ASSERT_TRUE(a.has_value()) << a.error().text;
  EXPECT_EQ(a->authority, "127.0.0.1:" + std::to_string(a->port));
  EXPECT_GE(a->sockets.size(), 1u);
}

TEST(ListenAddress, SaysWhatToDoAboutAPortInUse) {
  const auto first = listen_on(*parse_listen_address("127.0.0.1:0", "-addr"), "-addr");
  ASSERT_TRUE(first.has_value());
  const std::string taken = "127.0.0.1:" + std::to_string(first->port);
  const auto second = listen_on(*parse_listen_address(taken, "-addr"), "-addr");
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().text, HasSubstr(taken));
  EXPECT_THAT(second.error().text, HasSubstr("-addr=127.0.0.1:0"));
  // All interfaces need it on each: half a listener would be a trap.
  EXPECT_FALSE(listen_on(*parse_listen_address(":" + std::to_string(first->port), "-addr"), "-addr").has_value());
}

TEST(ListenAddress, RefusesAnAddressOfAnotherMachine) {
  const auto a = listen_on(*parse_listen_address("192.0.2.1:0", "-addr"), "-addr");
  ASSERT_FALSE(a.has_value());
  EXPECT_THAT(a.error().text, HasSubstr("no such address"));
}

TEST(Response, DatesAreThoseOfRfc9110) {
  EXPECT_EQ(date_header(784111777), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  EXPECT_EQ(date_header(1709164800), "Date: Thu, 29 Feb 2024 00:00:00 GMT\r\n");
}

TEST(Response, StatusLines) {
  EXPECT_EQ(status_line(404), "HTTP/1.1 404 Not Found\r\n");
  EXPECT_EQ(status_line(599), "HTTP/1.1 599 \r\n");
  EXPECT_EQ(status_line(42), status_line(500));
}

}  // namespace
}  // namespace thrum::serve
