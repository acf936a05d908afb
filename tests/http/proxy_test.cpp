// How proxies are written, which targets go by which, and what is said to them.
#include "http/proxy.hpp"

#include <gmock/gmock.h>

#include "http/request.hpp"

namespace thrum::http {
namespace {

using testing::HasSubstr;
using testing::Not;

Url url(const std::string& text) { return *parse_url(text); }

std::string read(std::string_view text) {
  const auto p = parse_proxy(text);
  if (!p) return "error";
  return p->host + "|" + std::to_string(p->port) + "|" + p->user_info + "|" + p->shown;
}

TEST(ParseProxy, HasASchemeAHostAndAPort) {
  EXPECT_EQ(read("http://proxy.test:3128"), "proxy.test|3128||http://proxy.test:3128");
  EXPECT_EQ(read("http://proxy.test/"), "proxy.test|80||http://proxy.test:80");
  EXPECT_EQ(read("https://proxy.test"), "proxy.test|443||https://proxy.test:443");
  EXPECT_EQ(read("https://proxy.test:80"), "proxy.test|80||https://proxy.test:80");
  EXPECT_EQ(read("SOCKS5://[::1]"), "::1|1080||socks5://[::1]:1080");
  EXPECT_EQ(read("socks5h://10.0.0.9:443"), "10.0.0.9|443||socks5h://10.0.0.9:443");
  EXPECT_EQ(read("proxy.test:3128"), "proxy.test|3128||http://proxy.test:3128");
  EXPECT_EQ(read("localhost"), "localhost|80||http://localhost:80");
}

TEST(ParseProxy, PasswordsAreNotShown) {
  EXPECT_EQ(read("http://me:s%40crt@proxy.test:3128"), "proxy.test|3128|me:s@crt|http://me:***@proxy.test:3128");
  EXPECT_EQ(read("me:pw@proxy.test:1"), "proxy.test|1|me:pw|http://me:***@proxy.test:1");
  for (const std::string bad :
       {"ftp://me:secret@p", "http://me:secret@p:x", "http://me:secret@p/path", "socks5://me:@p:1?secret", "me:secret@"}) {
    const auto p = parse_proxy(bad);
    ASSERT_FALSE(p) << bad;
    EXPECT_EQ(p.error().kind, ErrorKind::usage);
    EXPECT_THAT(p.error().text, Not(HasSubstr("me:secret")));
  }
  EXPECT_EQ(read("socks5://me@p"), "error") << "SOCKS has no user without a password";
  EXPECT_EQ(read("socks5://me:" + std::string(256, 'x') + "@p"), "error");
  EXPECT_EQ(read("http://a b"), "error");
  EXPECT_EQ(read(""), "error");
}

TEST(NoProxy, ExceptsWhatItNames) {
  const struct {
    std::string_view list;
    std::string url;
    bool is_excepted;
  } cases[] = {
      {"", "http://shop.test/", false},
      {"*", "http://shop.test/", true},
      {"shop.test", "http://shop.test/", true},
      {"shop.test", "http://SHOP.test:8080/", true},
      {"shop.test", "http://a.shop.test/", true},
      {"shop.test", "http://myshop.test/", false},
      {".shop.test", "http://a.shop.test/", true},
      {".shop.test", "http://shop.test/", false},
      {"*.shop.test", "http://a.shop.test/", true},
      {"*.shop.test", "http://shop.test/", false},
      {"a.test, shop.test ,b.test", "http://shop.test/", true},
      {"shop.test:8080", "http://shop.test:8080/", true},
      {"shop.test:8080", "http://shop.test/", false},
      {"shop.test:443", "https://shop.test/", true},
      {"10.0.0.0/8", "http://10.1.2.3/", true},
      {"10.0.0.0/8", "http://11.1.2.3/", false},
      {"10.0.0.0/33", "http://10.1.2.3/", false},
      {"10.1.2.3", "http://10.1.2.3/", true},
      {"10.1.2.3:81", "http://10.1.2.3/", false},
      {"10.1.2", "http://10.1.2.3/", false},
      {"fd00::/8", "http://[fd12::1]/", true},
      {"[fd12::1]:80", "http://[fd12::1]/", true},
      {"[fd12::1]:81", "http://[fd12::1]/", false},
      {"[fd12::1", "http://[fd12::1]/", false},
      {"10.0.0.0/8", "http://shop.test/", false},
      {",,:,.", "http://shop.test/", false},
  };
  for (const auto& c : cases) EXPECT_EQ(is_excepted(c.list, url(c.url)), c.is_excepted) << c.list << " " << c.url;
}

TEST(Proxies, TheEnvironmentsLeaveLoopbackAlone) {
  ProxyOptions o;
  o.for_http = "http://plain.test:1", o.for_https = "socks5h://tls.test", o.except = "shop.test";
  const auto proxies = Proxies::create(o);
  ASSERT_TRUE(proxies) << proxies.error().text;
  EXPECT_EQ(proxies->of(url("http://a.test/"))->host, "plain.test");
  EXPECT_EQ(proxies->of(url("https://a.test/"))->host, "tls.test");
  for (const char* straight : {"http://shop.test/", "http://localhost:8/", "http://a.localhost/", "http://127.9.9.9/", "https://[::1]/"})
    EXPECT_EQ(proxies->of(url(straight)), nullptr) << straight;
  o.url = "http://always.test:2";
  for (const char* any : {"http://shop.test/", "https://localhost/", "http://127.0.0.1/"})
    EXPECT_EQ(Proxies::create(o)->of(url(any))->host, "always.test") << any;
}

TEST(Proxies, MistakesAreSaid) {
  ProxyOptions socks, header;
  socks.url = "socks5://p", socks.headers = {{"X", "y"}};
  header.headers = {{"X", "a\r\nB: c"}};
  EXPECT_THAT(Proxies::create(socks).error().text, HasSubstr("SOCKS has no headers"));
  EXPECT_THAT(Proxies::create(header).error().text, HasSubstr("can't be sent"));
}

using Through = Proxies::Through;

TEST(Proxies, PlainRequestsGoToTheProxyOthersThroughIt) {
  ProxyOptions o;
  o.url = "https://me:pw@p.test:3128", o.headers = {{"X-A", "1"}};
  const auto proxies = Proxies::create(o);
  const Proxy& proxy = *proxies->of(url("http://shop.test/"));
  EXPECT_EQ(proxies->lines_for(proxy), "Proxy-Authorization: Basic bWU6cHc=\r\nX-A: 1\r\n");
  const net::Way plain = proxies->way_through(proxy, url("http://shop.test/"), Through::as_requests);
  EXPECT_TRUE(plain.is_proxied && plain.proxy_tls);
  EXPECT_FALSE(plain.tunnel);
  EXPECT_THAT(plain.places, testing::ElementsAre(net::Place{"p.test", 3128}));
  const net::Way tls = proxies->way_through(proxy, url("https://[::1]/"), Through::tunnel);
  const std::string said(tls.tunnel({"::1", 443, true, {}}, nullptr)->begin().say);
  EXPECT_THAT(said, testing::StartsWith("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\nUser-Agent: thrum/"));
  EXPECT_THAT(said, testing::EndsWith("\r\nProxy-Authorization: Basic bWU6cHc=\r\nX-A: 1\r\n\r\n"));

  o.headers = {{"proxy-authorization", "Bearer t"}, {"user-agent", "u"}};
  const auto own = Proxies::create(o);
  const net::Way way = own->way_through(*own->of(url("https://a/")), url("https://a/"), Through::tunnel);
  EXPECT_EQ(way.tunnel({"a", 443, true, {}}, nullptr)->begin().say,
            "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nproxy-authorization: Bearer t\r\nuser-agent: u\r\n\r\n");
}

TEST(Proxies, SocksNeedsAnAddressUnlessTheProxyLooksUp) {
  ProxyOptions o;
  for (const auto& [text, needs] : {std::pair{"socks5://p", true}, {"socks5h://p", false}}) {
    o.url = text;
    const auto proxies = Proxies::create(o);
    const net::Way way = proxies->way_through(*proxies->of(url("http://a/")), url("http://a/"), Through::tunnel);
    EXPECT_EQ(way.needs_address, needs);
    EXPECT_TRUE(way.tunnel);
  }
}

TEST(AddressToProxy, PutsTheWholeUrlInTheRequestLine) {
  const auto proxied = [](const char* method, const char* to) {
    auto request = *prepare({method, to, {{"Host", "other.test"}}, nullptr}, {});
    const std::string before = request.head;
    address_to_proxy(request, "X-P: 1\r\n");
    EXPECT_EQ(request.head, before) << "what a redirect or another proxy would start from";
    std::string text(request.head_to_send().size() + kSequenceRoom, ' ');
    text.resize(render_head(request, 7, text.data()));
    EXPECT_THAT(text, testing::EndsWith("X-Thrum-Seq: 7\r\n\r\n"));
    return text;
  };
  EXPECT_THAT(proxied("GET", "http://shop.test:80/a?b"),
              testing::StartsWith("GET http://shop.test/a?b HTTP/1.1\r\nHost: other.test\r\nX-P: 1\r\nUser-Agent:"));
  EXPECT_THAT(proxied("GET", "http://u:p@[fe80::1%25lo]:81"),
              testing::StartsWith("GET http://[fe80::1]:81/ HTTP/1.1\r\nHost: other.test\r\nX-P: 1\r\n"));
  EXPECT_THAT(proxied("CONNECT", "http://shop.test:8080"), testing::StartsWith("CONNECT other.test HTTP/1.1\r\n"));
}

}  // namespace
}  // namespace thrum::http
