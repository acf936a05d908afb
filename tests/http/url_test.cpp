#include "http/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thrum::http {
namespace {

using testing::HasSubstr;

struct GoodUrl {
  const char* text;
  bool tls;
  const char* host;
  int port;
  const char* authority;
  const char* target;
  const char* user_info = "";
};

constexpr GoodUrl kGood[] = {
    {"http://a.test", false, "a.test", 80, "a.test", "/"},
    {"http://a.test/", false, "a.test", 80, "a.test", "/"},
    {"HTTPS://A.Test:8443/x", true, "A.Test", 8443, "A.Test:8443", "/x"},
    {"http://a.test?q=1", false, "a.test", 80, "a.test", "/?q=1"},
    {"http://a.test?", false, "a.test", 80, "a.test", "/?"},
    {"http://a.test/p??", false, "a.test", 80, "a.test", "/p??"},
    {"http://a.test#f", false, "a.test", 80, "a.test", "/"},
    {"http://a.test/p?a#f?b#c", false, "a.test", 80, "a.test", "/p?a"},
    // the default port is left out, whichever way it is written; another scheme's is not
    {"http://a.test:80/", false, "a.test", 80, "a.test", "/"},
    {"http://a.test:0080/", false, "a.test", 80, "a.test", "/"},
    {"http://a.test:/", false, "a.test", 80, "a.test", "/"},
    {"http://a.test:443/", false, "a.test", 443, "a.test:443", "/"},
    {"https://a.test:443/", true, "a.test", 443, "a.test", "/"},
    {"https://a.test:80/", true, "a.test", 80, "a.test:80", "/"},
    {"https://a.test:8080/", true, "a.test", 8080, "a.test:8080", "/"},
    {"http://a.test:018080/", false, "a.test", 18080, "a.test:018080", "/"},
    {"http://a.test:65535/", false, "a.test", 65535, "a.test:65535", "/"},
    // IPv6: brackets in Host, the zone only for our own socket
    {"http://[::1]:8080/", false, "::1", 8080, "[::1]:8080", "/"},
    {"http://[::1]", false, "::1", 80, "[::1]", "/"},
    {"http://[::1]:80/", false, "::1", 80, "[::1]", "/"},
    {"https://[::1]:/x", true, "::1", 443, "[::1]", "/x"},
    {"http://[fe80::1%25lo]/", false, "fe80::1%lo", 80, "[fe80::1]", "/"},
    {"http://[fe80::1%25a%20b]:81/", false, "fe80::1%a b", 81, "[fe80::1]:81", "/"},
    {"http://[::ffff:127.0.0.1]:18080/", false, "::ffff:127.0.0.1", 18080, "[::ffff:127.0.0.1]:18080", "/"},
    // user info
    {"http://u:p%20w@a.test/", false, "a.test", 80, "a.test", "/", "u:p w"},
    {"http://u@a.test/", false, "a.test", 80, "a.test", "/", "u:"},
    {"http://u:@a.test/", false, "a.test", 80, "a.test", "/", "u:"},
    {"http://@a.test/", false, "a.test", 80, "a.test", "/", ":"},
    {"http://a%3Ab:c:d@a.test/", false, "a.test", 80, "a.test", "/", "a:b:c:d"},
    {"http://me@there.test:p@a.test/", false, "a.test", 80, "a.test", "/", "me@there.test:p"},
    // paths: as written while clean; one character that may not stand there and all of it is encoded anew
    {"http://h/%2Fa%2fb", false, "h", 80, "h", "/%2Fa%2fb"},
    {"http://h/a b%2Fc", false, "h", 80, "h", "/a%20b/c"},
    {"http://h/a b!(1)[2]", false, "h", 80, "h", "/a%20b%21%281%29%5B2%5D"},
    {"http://h/[x]!'()*", false, "h", 80, "h", "/[x]!'()*"},
    {"http://h/\xc3\xa9?\xc3\xbc", false, "h", 80, "h", "/%C3%A9?\xc3\xbc"},
    {"http://h/a//b/../c/./d", false, "h", 80, "h", "/a//b/../c/./d"},
    {"http://h//", false, "h", 80, "h", "//"},
    {"http://h/a?b c%zz", false, "h", 80, "h", "/a?b c%zz"},
    {"http://h/http://x:y/", false, "h", 80, "h", "/http://x:y/"},
    {"http://h/@:80", false, "h", 80, "h", "/@:80"},
    {"http://a_b-c.~test/", false, "a_b-c.~test", 80, "a_b-c.~test", "/"},
};

TEST(Url, WhatCanBeSent) {
  for (const GoodUrl& row : kGood) {
    SCOPED_TRACE(row.text);
    const Expected<Url> url = parse_url(row.text);
    ASSERT_TRUE(url) << url.error().text;
    EXPECT_EQ(url->tls, row.tls);
    EXPECT_EQ(url->host, row.host);
    EXPECT_EQ(url->port, row.port);
    EXPECT_EQ(url->authority, row.authority);
    EXPECT_EQ(url->target, row.target);
    EXPECT_EQ(url->user_info, row.user_info);
  }
}

struct BadUrl {
  const char* text;
  const char* reason;
};

constexpr BadUrl kBad[] = {
    {"", "should start with http://"},
    {"foo", "should start with http://"},
    {"/path", "should start with http://"},
    {"*", "should start with http://"},
    {" http://a.test/", "should start with http://"},
    {"1http://127.0.0.1:1/", "should start with http://"},
    {"127.0.0.1:8080/x", "should start with http://"},
    {"localhost:8080/x", "should start with http://"},
    {"//a.test/", "should start with http://"},
    {":foo", "missing protocol scheme"},
    {"://a.test/", "missing protocol scheme"},
    {"ftp://127.0.0.1/", "unsupported protocol scheme \"ftp\""},
    {"http:foo", "no host"},
    {"http:/foo", "no host"},
    {"http:", "no host"},
    {"http://", "no host"},
    {"http:///x", "no host"},
    {"http://:80/", "no host"},
    {"http://u@/", "no host"},
    {"http://?a=//b", "no host"},
    {"http://[::1", "missing ']'"},
    {"http://[::1]8080/", "invalid port \"8080\""},
    {"http://[::1]:x/", "invalid port \":x\""},
    {"http://[]/", "not an IPv6 address"},
    {"http://[foo]/", "not an IPv6 address"},
    {"http://[1.2.3.4]/", "not an IPv6 address"},
    {"http://[fe80::1%25]/", "not an IPv6 address"},
    {"http://[fe80::1%lo]/", "invalid escape \"%lo\""},
    {"http://::1/", "brackets"},
    {"http://a[b]/", "invalid character \"[\""},
    {"http://a b/", "invalid character \" \""},
    {"http://a\\b/", "invalid character \"\\\""},
    {"http://a<b/", "invalid character \"<\""},
    {"http://a%41/", "invalid escape \"%41\""},
    {"http://a%25b/", "invalid character \"%\""},
    {"http://m\xc3\xbcller.test/", "xn--"},
    {"http://m%C3%BCller.test/", "xn--"},
    {"http://a.test:abc/", "invalid port \":abc\""},
    {"http://a.test:-1/", "invalid port \":-1\""},
    {"http://a.test:0/", "not within 1 to 65535"},
    {"http://a.test:65536/", "not within 1 to 65535"},
    {"http://a.test:99999999999999999999999/", "not within 1 to 65535"},
    {"http://a b@127.0.0.1:1/", "user name or password"},
    {"http://a%zz@h/", "invalid escape \"%zz\""},
    {"http://h/%zz", "invalid escape \"%zz\""},
    {"http://h/%", "invalid escape \"%\""},
    {"http://h/%4", "invalid escape \"%4\""},
    {"http://h/p#%zz", "invalid escape \"%zz\""},
    {"http://h/\x01", "control character"},
    {"http://h/a\tb", "control character"},
    {"http://h/a\x7f", "control character"},
    {"http://h/a\r\nX: y", "control character"},
};

TEST(Url, WhatCannotIsRefusedInOneLineThatNamesIt) {
  for (const BadUrl& row : kBad) {
    SCOPED_TRACE(row.text);
    const Expected<Url> url = parse_url(row.text);
    ASSERT_FALSE(url);
    EXPECT_THAT(url.error().text, HasSubstr(row.reason));
    EXPECT_THAT(url.error().text, testing::StartsWith("bad URL \""));
    EXPECT_EQ(url.error().text.find_first_of("\r\n\t\x01"), std::string::npos);
  }
}

TEST(Url, ALongOneIsCutInTheError) {
  const Expected<Url> url = parse_url("http://h/" + std::string(100'000, 'x') + "%zz");
  ASSERT_FALSE(url);
  EXPECT_LT(url.error().text.size(), 300u);
  const Expected<Url> good = parse_url("http://h/" + std::string(100'000, 'x'));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->target.size(), 100'001u);
}

TEST(Url, SaysWhetherThereWasAPath) {
  EXPECT_FALSE(parse_url("http://h")->has_path);
  EXPECT_FALSE(parse_url("http://h?q")->has_path);
  EXPECT_TRUE(parse_url("http://h/")->has_path);
}

}  // namespace
}  // namespace thrum::http
