// -laddr: which addresses a text means, that each must be ours, and that connections take them in turn.
#include "net/local_addresses.hpp"

#include <gmock/gmock.h>

namespace thrum::net {
namespace {

std::vector<std::string> written(const std::vector<std::string>& texts) {
  const auto list = parse_local_addresses(texts);
  EXPECT_TRUE(list) << list.error().text;
  std::vector<std::string> out;
  for (const Address& a : list.value_or(std::vector<Address>{})) out.push_back(format_address(a));
  return out;
}

std::string error_of(const std::string& text) {
  const auto list = parse_local_addresses(std::vector{text});
  if (list) return "";
  EXPECT_EQ(list.error().kind, ErrorKind::usage);
  return list.error().text;
}

TEST(LocalAddresses, AreSingleOnesRangesAndNetworks) {
  EXPECT_EQ(written({"127.0.0.1", "127.0.0.5"}), (std::vector<std::string>{"127.0.0.1", "127.0.0.5"}));
  EXPECT_EQ(written({"127.0.0.254-127.0.1.1"}), (std::vector<std::string>{"127.0.0.254", "127.0.0.255", "127.0.1.0", "127.0.1.1"}));
  EXPECT_EQ(written({"127.0.0.9-127.0.0.9"}), (std::vector<std::string>{"127.0.0.9"}));
  EXPECT_EQ(written({"127.0.0.6/30"}), (std::vector<std::string>{"127.0.0.5", "127.0.0.6"})) << "its first and last are no hosts";
  EXPECT_EQ(written({"127.0.0.6/31"}), (std::vector<std::string>{"127.0.0.6", "127.0.0.7"}));
  EXPECT_EQ(written({"127.0.0.6/32"}), (std::vector<std::string>{"127.0.0.6"}));
  EXPECT_EQ(written({"::1"}), (std::vector<std::string>{"::1"}));
  EXPECT_EQ(written({"::1-::1"}), (std::vector<std::string>{"::1"}));
  EXPECT_EQ(written({"127.1.0.0/20"}).size(), 4094u);
}

TEST(LocalAddresses, UnspecifiedOnesLeaveTheChoiceToTheKernel) {
  EXPECT_TRUE(written({}).empty());
  EXPECT_TRUE(written({"0.0.0.0"}).empty());
  EXPECT_TRUE(written({"0.0.0.0", "::"}).empty());
}

TEST(LocalAddresses, AreOurs) {
  EXPECT_EQ(error_of("192.0.2.1"), "192.0.2.1 is not an address of this machine (ip addr shows them)");
  EXPECT_EQ(error_of("2001:db8::1"), "2001:db8::1 is not an address of this machine (ip addr shows them)");
}

TEST(LocalAddresses, WhatIsNoAddressIsRefused) {
  for (const std::string text : {"", "eth0", "127.0.0", "127.0.0.1-", "-127.0.0.1", "127.0.0.1-x", "127.0.0.1/", "127.0.0.1/33",
                                 "127.0.0.1/x", "127.0.0.1/-1", "x/8", "::1/129", "127.0.0.1:80", "127.0.0.1/8/8"})
    EXPECT_THAT(error_of(text), testing::HasSubstr("is not an IP address, nor a range")) << text;
  EXPECT_THAT(error_of("127.0.0.2-127.0.0.1"), testing::HasSubstr("has to go upwards"));
  EXPECT_THAT(error_of("127.0.0.2-::1"), testing::HasSubstr("has to go upwards"));
  EXPECT_THAT(error_of("127.0.0.0/8"), testing::HasSubstr("more than 4096"));
  EXPECT_THAT(error_of("127.0.0.1-127.0.255.255"), testing::HasSubstr("more than 4096"));
  EXPECT_THAT(error_of("::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), testing::HasSubstr("more than 4096"));
  EXPECT_THAT(error_of("\x1b[2J"), testing::Not(testing::HasSubstr("\x1b")));
}

TEST(LocalAddresses, TakeTurnsPerFamily) {
  const auto v4 = [](unsigned last) { return Address::v4(0x7f000000 + last); };
  LocalAddresses local({v4(1), Address::loopback_v6(), v4(2), v4(3)}, 1);
  EXPECT_EQ(local.count(false), 3u);
  EXPECT_EQ(local.count(true), 1u);
  EXPECT_EQ(local.next(false), v4(2));
  EXPECT_EQ(local.next(true), Address::loopback_v6());
  EXPECT_EQ(local.next(false), v4(3));
  EXPECT_EQ(local.next(false), v4(1));
  EXPECT_EQ(local.next(false), v4(2));
  EXPECT_TRUE(LocalAddresses({}, 7).is_empty());
}

}  // namespace
}  // namespace thrum::net
