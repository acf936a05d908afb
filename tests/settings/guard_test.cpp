#include "settings/guard.hpp"

#include <gmock/gmock.h>

namespace thrum::settings {
namespace {

using testing::HasSubstr;

Guard of_hosts(std::string_view patterns) {
  Guard guard;
  EXPECT_TRUE(guard.allow_hosts(patterns)) << patterns;
  return guard;
}

bool allows(const Guard& guard, std::string_view address) {
  const auto parsed = net::parse_address(address);
  EXPECT_TRUE(parsed) << address;
  return guard.allows_address(std::span(parsed->bytes).first(parsed->is_v6 ? 16 : 4));
}

TEST(Guard, AllowsHostsByPattern) {
  struct Row {
    std::string_view patterns, allowed, refused;  // hosts, blank-separated
  };
  constexpr Row kRows[] = {
      {"shop.test", "shop.test SHOP.test shop.test. shop.test:8080", "a.shop.test ashop.test shop.test.evil.test shop"},
      {".shop.test", "shop.test a.shop.test A.B.Shop.Test.", "ashop.test shop.test.evil.test"},
      {"*.shop.test", "shop.test a.shop.test", "xshop.test"},
      {"*", "a b.test ::1", ""},
      {"a.test,B.test", "a.test b.test", "c.test"},
      {"127.0.0.1", "127.0.0.1 127.0.0.1:80", "127.0.0.10 localhost"},
      {"[::1]", "::1 [::1] [::1]:80", "::2"},
      {"fe80::1", "fe80::1 [FE80::1]", "fe80::12"},
      {"shop.test:8080", "shop.test shop.test:1", "x.test"},
  };
  const auto each = [](std::string_view words, auto&& visit) {
    while (!words.empty()) {
      const std::size_t end = std::min(words.find(' '), words.size());
      visit(words.substr(0, end));
      words.remove_prefix(std::min(end + 1, words.size()));
    }
  };
  for (const Row& row : kRows) {
    const Guard guard = of_hosts(row.patterns);
    each(row.allowed, [&](std::string_view host) { EXPECT_EQ(guard.host_fault(host), "") << row.patterns; });
    each(row.refused, [&](std::string_view host) { EXPECT_NE(guard.host_fault(host), "") << row.patterns << " " << host; });
  }
  EXPECT_EQ(Guard().host_fault("any.test"), "");
  EXPECT_EQ(of_hosts(".shop.test, b.test").host_fault("evil.test\x1b"),
            "host \"evil.test\\x1b\" is outside of -allow-host=.shop.test, b.test");
}

TEST(Guard, TakesHostsAndNothingElse) {
  for (const std::string_view bad : {"", ",", "a,", "http://a/", "a/b", "*.", ".", "a*b", "a b", "user@a"}) {
    Guard guard;
    const auto done = guard.allow_hosts(bad);
    ASSERT_FALSE(done) << bad;
    EXPECT_EQ(done.error().kind, ErrorKind::usage);
    EXPECT_THAT(done.error().text, HasSubstr("is no host: shop.test is one"));
  }
}

TEST(Guard, AllowsAddressesByNetwork) {
  Guard guard;
  EXPECT_TRUE(allows(guard, "192.0.2.1"));
  ASSERT_TRUE(guard.allow_networks("10.0.0.0/8, 192.0.2.7,172.16.0.0/12"));
  ASSERT_TRUE(guard.allow_networks("fd00::/8,::1"));
  for (const std::string_view good : {"10.0.0.1", "10.255.255.255", "192.0.2.7", "172.31.0.1", "fd12::1", "::1", "::ffff:10.1.2.3"})
    EXPECT_TRUE(allows(guard, good)) << good;
  for (const std::string_view bad : {"11.0.0.1", "192.0.2.6", "172.32.0.1", "fe00::1", "::2", "::ffff:11.0.0.1"})
    EXPECT_FALSE(allows(guard, bad)) << bad;
  Guard all;
  ASSERT_TRUE(all.allow_networks("0.0.0.0/0"));
  EXPECT_TRUE(allows(all, "8.8.8.8"));
  EXPECT_FALSE(allows(all, "::1"));
  for (const std::string_view bad : {"", "10.0.0.0/33", "10.0.0.0/", "10.0/8", "shop.test", "::1/129", "10.0.0.0/-1", "10.0.0.0/8x"})
    EXPECT_FALSE(Guard().allow_networks(bad)) << bad;
}

TEST(Guard, SourcesRestrictEachOther) {
  Guard guard = of_hosts(".shop.test");
  guard.cap_requests(100);
  guard.cap_rate(10);
  guard.cap_concurrency(4);
  ASSERT_TRUE(guard.allow_networks("10.0.0.0/8"));
  guard.next_source();
  ASSERT_TRUE(guard.allow_hosts("a.shop.test,evil.test"));
  ASSERT_TRUE(guard.allow_networks("10.1.0.0/16,11.0.0.0/8"));
  guard.cap_requests(1000);
  guard.cap_rate(5);
  guard.cap_concurrency(40);
  EXPECT_EQ(guard.host_fault("a.shop.test"), "");
  EXPECT_NE(guard.host_fault("b.shop.test"), "");
  EXPECT_NE(guard.host_fault("evil.test"), "");
  EXPECT_TRUE(allows(guard, "10.1.0.1"));
  EXPECT_FALSE(allows(guard, "10.2.0.1"));
  EXPECT_FALSE(allows(guard, "11.0.0.1"));
  EXPECT_EQ(guard.most_requests(), 100U);
  EXPECT_EQ(guard.most_rate(), 5);
  EXPECT_EQ(guard.most_concurrency(), 4U);
  EXPECT_EQ(guard.text(),
            "hosts .shop.test, a.shop.test, evil.test; networks 10.0.0.0/8, 10.1.0.0/16, 11.0.0.0/8; at most 100 requests; at most 5/s; at "
            "most 4 "
            "in flight");
}

TEST(Guard, HoldsARunToItsLimits) {
  Guard guard;
  guard.cap_requests(100);
  guard.cap_rate(10);
  guard.cap_concurrency(4);
  const auto fault = [&](Extent extent) {
    const auto checked = guard.check(extent);
    if (checked) return std::string();
    EXPECT_EQ(checked.error().kind, ErrorKind::usage);
    return checked.error().text;
  };
  EXPECT_EQ(fault({100, 10, 4}), "");
  EXPECT_EQ(fault({101, 10, 4}), "up to 101 requests would be sent, more than -max-requests=100");
  EXPECT_EQ(fault({std::nullopt, 10, 4}), "-max-requests=100 needs an end that is known: a count, or a rate and a duration");
  EXPECT_EQ(fault({100, 10.5, 4}), "the rate is up to 10.5/s, above -max-rate=10/s");
  EXPECT_EQ(fault({100, std::nullopt, 4}), "-max-rate=10/s needs a rate, and without one requests go as fast as answers come");
  EXPECT_EQ(fault({100, 10, 5}), "up to 5 requests would be in flight, more than -max-concurrency=4");
  EXPECT_EQ(fault({100, 10, kUnlimited}), "-max-concurrency=4 needs a limit to the requests in flight");
  EXPECT_TRUE(Guard().check({std::nullopt, std::nullopt, kUnlimited}));
  EXPECT_FALSE(Guard().is_set());
  EXPECT_TRUE(guard.is_set());
  EXPECT_EQ(Guard().text(), "");
}

}  // namespace
}  // namespace thrum::settings
