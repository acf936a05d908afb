#include "settings/masking.hpp"

#include <gtest/gtest.h>

namespace thrum::settings {
namespace {

struct Row {
  std::string_view name, value, masked;
};

TEST(Masking, HeadersKeepWhatTellsNothing) {
  constexpr Row kRows[] = {
      {"Accept", "text/html", "text/html"},
      {"Authorization", "Bearer abc.def", "Bearer ***"},
      {"authorization", "Basic dXNlcg==", "Basic ***"},
      {"Proxy-Authorization", "Basic x", "Basic ***"},
      {"Authorization", "raw-token", "***"},
      {"Authorization", "", ""},
      {"Cookie", "sid=abc; theme=dark", "sid=***; theme=***"},
      {"Cookie", "abc", "***"},
      {"Set-Cookie", "sid=abc", "sid=***"},
      {"X-Api-Key", "k e y", "***"},
      {"X-Auth-Token", "t", "***"},
  };
  for (const Row& row : kRows) EXPECT_EQ(masked_header_value(row.name, row.value), row.masked) << row.name << ": " << row.value;
}

TEST(Masking, UrlsKeepHostsAndPaths) {
  constexpr Row kRows[] = {
      {"", "http://shop.test/a?b=c#d", "http://shop.test/a?b=c#d"},
      {"", "http://anna:secret@shop.test/", "http://anna:***@shop.test/"},
      {"", "http://anna@shop.test/", "http://anna@shop.test/"},
      {"", "socks5://a:b:c@10.0.0.1:9", "socks5://a:***@10.0.0.1:9"},
      {"", "a:b@proxy:3128", "a:***@proxy:3128"},
      {"", "http://a:b/c@shop.test/d", "http://a:***@shop.test/d"},
      {"", "http://shop.test:80/a@b", "http://shop.test:80/a@b"},
      {"", "http://[::1]/a@b", "http://[::1]/a@b"},
      {"", "https://shop.test/?token=abc&page=2&api_key=x", "https://shop.test/?token=***&page=2&api_key=***"},
      {"", "https://shop.test/?accessToken=a&X-Amz-Signature=b&X-Amz-Date=c&user[password]=d",
       "https://shop.test/?accessToken=***&X-Amz-Signature=***&X-Amz-Date=c&user[password]=***"},
      {"", "https://shop.test/?monkey=1&keyboard=2&tokens=3&token=&sig", "https://shop.test/?monkey=1&keyboard=2&tokens=3&token=&sig"},
      {"", "https://shop.test/#?token=abc", "https://shop.test/#?token=abc"},
      {"", "", ""},
  };
  for (const Row& row : kRows) EXPECT_EQ(masked_url(row.value), row.masked) << row.value;
}

TEST(Masking, FlagsAreMaskedByTheirNames) {
  constexpr Row kRows[] = {
      {"rate", "100/s", "100/s"},
      {"header", "Authorization: Bearer x", "Authorization: Bearer ***"},
      {"header", "Cookie:a=b", "Cookie: a=***"},
      {"header", "Accept: a:b", "Accept: a:b"},
      {"header", "nothing", "nothing"},
      {"proxy-header", "Proxy-Authorization: Basic x", "Proxy-Authorization: Basic ***"},
      {"proxy", "http://a:b@p:1", "http://a:***@p:1"},
      {"proxy", "none", "none"},
      {"user", "anna:secret", "anna:***"},
  };
  for (const Row& row : kRows) EXPECT_EQ(masked_flag(row.name, row.value), row.masked) << row.name << " " << row.value;
}

}  // namespace
}  // namespace thrum::settings
