#include "http/redirect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "http/response_parser.hpp"

namespace thrum::http {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string text_of(const Url& url) { return (url.tls ? "https://" : "http://") + url.authority + url.target; }

struct Reference {
  std::string base, location, leads_to;  // or the words that its error has in it
};

class Resolving : public testing::TestWithParam<Reference> {};

TEST_P(Resolving, LeadsThere) {
  const Reference& c = GetParam();
  const auto url = resolve(*parse_url(c.base), c.location);
  ASSERT_TRUE(url) << url.error().text;
  EXPECT_EQ(text_of(*url), c.leads_to);
}

// RFC 3986 section 5.4, with the base of its examples where nothing depends on another one.
constexpr const char* kBase = "http://a/b/c/d;p?q";
INSTANTIATE_TEST_SUITE_P(Rfc3986, Resolving,
                         testing::Values(Reference{kBase, "g", "http://a/b/c/g"}, Reference{kBase, "./g", "http://a/b/c/g"},
                                         Reference{kBase, "g/", "http://a/b/c/g/"}, Reference{kBase, "/g", "http://a/g"},
                                         Reference{kBase, "//g", "http://g/"}, Reference{kBase, "?y", "http://a/b/c/d;p?y"},
                                         Reference{kBase, "g?y", "http://a/b/c/g?y"}, Reference{kBase, "#s", "http://a/b/c/d;p?q"},
                                         Reference{kBase, "g?y#s", "http://a/b/c/g?y"}, Reference{kBase, ";x", "http://a/b/c/;x"},
                                         Reference{kBase, ".", "http://a/b/c/"}, Reference{kBase, "..", "http://a/b/"},
                                         Reference{kBase, "../", "http://a/b/"}, Reference{kBase, "../g", "http://a/b/g"},
                                         Reference{kBase, "../..", "http://a/"}, Reference{kBase, "../../../g", "http://a/g"},
                                         Reference{kBase, "/./g", "http://a/g"}, Reference{kBase, "/../g", "http://a/g"},
                                         Reference{kBase, "g.", "http://a/b/c/g."}, Reference{kBase, "..g", "http://a/b/c/..g"},
                                         Reference{kBase, "./g/.", "http://a/b/c/g/"}, Reference{kBase, "g/../h", "http://a/b/c/h"},
                                         Reference{kBase, "g;x=1/../y", "http://a/b/c/y"},
                                         Reference{kBase, "g?y/../x", "http://a/b/c/g?y/../x"}));

INSTANTIATE_TEST_SUITE_P(
    Others, Resolving,
    testing::Values(Reference{"http://h", "x", "http://h/x"}, Reference{"http://h?a=b", "?c", "http://h/?c"},
                    Reference{"https://h:8443/a", "//h2/b", "https://h2/b"}, Reference{"https://h:8443/a", "b", "https://h:8443/b"},
                    Reference{"http://u:p@h/a", "b", "http://h/b"}, Reference{"http://h/a", "https://u:p@other/b", "https://other/b"},
                    Reference{"http://[::1]:81/a", "/b", "http://[::1]:81/b"},
                    Reference{"http://h/a", "HTTP://H2:80/b/../c", "http://H2/c"},
                    Reference{"http://h/", "/\xc3\xa9 x", "http://h/%C3%A9%20x"},
                    Reference{"http://h/", "/?q=\xc3\xa9 x%20y", "http://h/?q=%C3%A9%20x%20y"},
                    Reference{"http://h/", "1a:b", "http://h/1a:b"}, Reference{"http://h//a//b", "..//c", "http://h//a//c"},
                    Reference{"http://h/a", "/b//../c", "http://h/b/c"}, Reference{"http://h/", "/a\\b", "http://h/a%5Cb"},
                    Reference{"http://h/", "http://h2", "http://h2/"}));

class Refusing : public testing::TestWithParam<Reference> {};

TEST_P(Refusing, SaysWhy) {
  const Reference& c = GetParam();
  const auto url = resolve(*parse_url(c.base), c.location);
  ASSERT_FALSE(url) << text_of(*url);
  EXPECT_THAT(url.error().text, HasSubstr(c.leads_to));
  EXPECT_THAT(url.error().text, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(Locations, Refusing,
                         testing::Values(Reference{"http://h/", "http://[::1", "missing ']' in host"},
                                         Reference{"http://h/", ":%zz", "missing protocol scheme"},
                                         Reference{"http://h/", "ftp://x/", "unsupported protocol scheme \"ftp\""},
                                         Reference{"http://h/", "javascript:alert(1)", "unsupported protocol scheme"},
                                         Reference{"http://h/", "mailto:a@b", "unsupported protocol scheme"},
                                         Reference{"http://h/", "http:///x", "no host"}, Reference{"http://h/", "http:x", "no host"},
                                         Reference{"http://h/", "//", "no host"}, Reference{"http://h/", "/%zz", "invalid escape"},
                                         Reference{"http://h/", "http://h:99999/", "65535"},
                                         Reference{"http://h/", "/" + std::string(kMaxRedirectTarget, 'x'), "32 KiB"},
                                         Reference{"http://h/", std::string("/\x01", 2), "control character"}));

// The zone of a link-local address is in no URL that is sent or shown, but the connection needs it.
TEST(Resolving, KeepsTheZone) {
  const auto url = resolve(*parse_url("http://[fe80::1%25lo]:81/a"), "/b");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "fe80::1%lo");
  EXPECT_EQ(url->authority, "[fe80::1]:81");
}

using Lines = std::vector<std::pair<std::string, std::string>>;

PreparedRequest prepared(std::string method, std::string url, Lines headers = {}, const char* body = nullptr) {
  Target target{std::move(method), std::move(url), std::move(headers), nullptr};
  if (body != nullptr) target.body = std::make_shared<const std::string>(body);
  auto made = prepare(target, {});
  EXPECT_TRUE(made) << made.error().text;
  return std::move(*made);
}

PreparedRequest followed(const PreparedRequest& request, int status, std::string_view location) {
  auto next = follow(request, status, location);
  EXPECT_TRUE(next) << next.error().text;
  return next ? std::move(*next) : PreparedRequest{};
}

std::string line_of(const PreparedRequest& request) { return request.head.substr(0, request.head.find("\r\n")); }

std::vector<std::string> values_of(const PreparedRequest& request, const std::string& name) {
  std::vector<std::string> values;
  for (std::size_t at = request.head.find("\r\n"); at != std::string::npos; at = request.head.find("\r\n", at + 2))
    if (request.head.compare(at + 2, name.size() + 2, name + ": ") == 0)
      values.push_back(request.head.substr(at + 4 + name.size(), request.head.find("\r\n", at + 2) - at - 4 - name.size()));
  return values;
}

std::string value_of(const PreparedRequest& request, const std::string& name) {
  const auto values = values_of(request, name);
  return values.size() == 1 ? values[0] : "(" + std::to_string(values.size()) + ")";
}

TEST(Redirect, StatusesThatAreFollowed) {
  std::vector<int> followed;
  for (int status = 100; status < 600; ++status)
    if (is_redirect(status)) followed.push_back(status);
  EXPECT_EQ(followed, (std::vector{301, 302, 303, 307, 308}));
}

struct Method {
  std::string method;
  int status;
  std::string next;
  bool has_body;
};

class Methods : public testing::TestWithParam<Method> {};

TEST_P(Methods, AndBodies) {
  const Method& c = GetParam();
  const PreparedRequest first = prepared(
      c.method, "http://h/a", {{"Content-Type", "text/x"}, {"content-language", "eo"}, {"Expect", "100-continue"}, {"X-A", "b"}}, "body!");
  const PreparedRequest next = followed(first, c.status, "/b");
  EXPECT_EQ(next.method, c.next);
  EXPECT_EQ(line_of(next), c.next + " /b HTTP/1.1");
  EXPECT_EQ(next.body_bytes(), c.has_body ? "body!" : "");
  EXPECT_EQ(next.is_head, c.next == "HEAD");
  EXPECT_EQ(next.is_idempotent, c.next == "GET" || c.next == "HEAD");
  for (const char* name : {"Content-Length", "Content-Type", "content-language", "Expect"})
    EXPECT_EQ(values_of(next, name).size(), c.has_body ? 1u : 0u) << name;
  EXPECT_EQ(value_of(next, "X-A"), "b");
  EXPECT_EQ(value_of(next, "Host"), "h");
  EXPECT_EQ(value_of(next, "Referer"), "http://h/a");
  EXPECT_TRUE(next.head.ends_with("\r\nX-Thrum-Seq: "));
}

INSTANTIATE_TEST_SUITE_P(Table, Methods,
                         testing::Values(Method{"POST", 301, "GET", false}, Method{"POST", 302, "GET", false},
                                         Method{"POST", 303, "GET", false}, Method{"POST", 307, "POST", true},
                                         Method{"POST", 308, "POST", true}, Method{"PUT", 302, "GET", false},
                                         Method{"DELETE", 301, "GET", false}, Method{"PATCH", 303, "GET", false},
                                         Method{"DELETE", 307, "DELETE", true}, Method{"FOO", 302, "GET", false},
                                         Method{"GET", 302, "GET", false}, Method{"GET", 308, "GET", true},
                                         Method{"HEAD", 302, "HEAD", false}, Method{"HEAD", 303, "HEAD", false}));

TEST(Redirect, AChunkedBodyHasItsLengthTheNextTime) {
  RequestDefaults defaults;
  defaults.chunked = true;
  Target target{"POST", "http://h/", {{"Expect", "100-continue"}}, std::make_shared<const std::string>("hello")};
  const PreparedRequest first = *prepare(target, defaults);
  PreparedRequest next = followed(first, 307, "/b");
  EXPECT_EQ(value_of(next, "Content-Length"), "5");
  EXPECT_THAT(values_of(next, "Transfer-Encoding"), IsEmpty());
  EXPECT_FALSE(next.is_chunked);
  EXPECT_TRUE(next.expects_continue);
  next = followed(first, 302, "/b");
  EXPECT_THAT(values_of(next, "Content-Length"), IsEmpty());
  EXPECT_THAT(values_of(next, "Transfer-Encoding"), IsEmpty());
  EXPECT_FALSE(next.expects_continue);
}

TEST(Redirect, PostWithoutBodySaysSoAgain) {
  EXPECT_EQ(value_of(followed(prepared("POST", "http://h/"), 308, "/b"), "Content-Length"), "0");
  EXPECT_THAT(values_of(followed(prepared("POST", "http://h/"), 302, "/b"), "Content-Length"), IsEmpty());
}

struct Crossing {
  std::string from, location;
  bool keeps;
};

class Credentials : public testing::TestWithParam<Crossing> {};

TEST_P(Credentials, StayWithTheirHost) {
  const Crossing& c = GetParam();
  const PreparedRequest first = prepared("GET", c.from,
                                         {{"authorization", "Bearer s"},
                                          {"Cookie", "a=b"},
                                          {"COOKIE", "c=d"},
                                          {"Proxy-Authorization", "Basic x"},
                                          {"Cookie2", "e"},
                                          {"X-K", "1"}});
  const PreparedRequest next = followed(first, 302, c.location);
  for (const char* name : {"authorization", "Cookie", "COOKIE", "Proxy-Authorization", "Cookie2"})
    EXPECT_EQ(values_of(next, name).size(), c.keeps ? 1u : 0u) << name;
  EXPECT_EQ(value_of(next, "X-K"), "1");
}

INSTANTIATE_TEST_SUITE_P(Hosts, Credentials,
                         testing::Values(Crossing{"http://h/", "/b", true}, Crossing{"http://h/", "http://H:80/b", true},
                                         Crossing{"http://h:81/", "//h:81/b", true}, Crossing{"http://h/", "https://h/b", true},
                                         Crossing{"http://h/", "http://other/b", false}, Crossing{"http://h/", "http://www.h/b", false},
                                         Crossing{"http://h/", "//other/b", false}, Crossing{"http://h/", "http://h:81/b", false},
                                         Crossing{"http://h:81/", "https://h/b", false}, Crossing{"http://h/", "https://h:81/b", false},
                                         Crossing{"https://h/", "http://h/b", false}, Crossing{"https://h/", "http://h:443/b", false},
                                         Crossing{"http://127.0.0.1:81/", "http://localhost:81/", false}));

TEST(Redirect, CredentialsThatWereDroppedDoNotComeBack) {
  PreparedRequest r = prepared("GET", "http://u:p@h/", {{"Cookie", "a=b"}});
  r = followed(r, 302, "/same");
  EXPECT_EQ(value_of(r, "Authorization"), "Basic dTpw");
  r = followed(r, 302, "http://other/");
  EXPECT_THAT(values_of(r, "Authorization"), IsEmpty());
  r = followed(r, 302, "http://h/");
  EXPECT_THAT(values_of(r, "Authorization"), IsEmpty());
  EXPECT_THAT(values_of(r, "Cookie"), IsEmpty());
}

TEST(Redirect, UserInfoOfALocationIsUsedAndNotShown) {
  PreparedRequest r = followed(prepared("GET", "http://h/"), 302, "http://u:p@other/a");
  EXPECT_EQ(value_of(r, "Authorization"), "Basic dTpw");
  EXPECT_EQ(r.url_text, "http://other/a");
  EXPECT_EQ(value_of(followed(r, 302, "/b"), "Referer"), "http://other/a");
  // It does not replace what the user said for this very host.
  r = followed(prepared("GET", "http://h/", {{"Authorization", "Bearer s"}}), 302, "http://u:p@h/a");
  EXPECT_EQ(value_of(r, "Authorization"), "Bearer s");
}

TEST(Redirect, RefererIsTheUrlBefore) {
  PreparedRequest r = prepared("GET", "https://u:secret@h:8443/a?b=c#frag");
  r = followed(r, 302, "/next");
  EXPECT_EQ(value_of(r, "Referer"), "https://h:8443/a?b=c");
  EXPECT_TRUE(r.referer_is_ours);
  r = followed(r, 302, "/last");
  EXPECT_EQ(value_of(r, "Referer"), "https://h:8443/next");
  r = followed(r, 302, "http://plain/");
  EXPECT_THAT(values_of(r, "Referer"), IsEmpty());
  r = followed(r, 302, "/x");
  EXPECT_EQ(value_of(r, "Referer"), "http://plain/");
}

TEST(Redirect, UsersRefererStays) {
  PreparedRequest r = prepared("GET", "http://h/", {{"referer", "http://mine/"}});
  for (const char* location : {"/a", "http://other/", "/b"}) {
    r = followed(r, 302, location);
    EXPECT_EQ(value_of(r, "referer"), "http://mine/");
    EXPECT_THAT(values_of(r, "Referer"), IsEmpty());
  }
}

TEST(Redirect, UsersHostStaysOnlyWithARelativeLocation) {
  const PreparedRequest first = prepared("GET", "http://h:81/", {{"Host", "ex.test"}});
  PreparedRequest r = followed(first, 302, "a");
  EXPECT_EQ(value_of(r, "Host"), "ex.test");
  EXPECT_EQ(value_of(followed(r, 302, "?b"), "Host"), "ex.test");
  EXPECT_EQ(value_of(followed(r, 302, "http://h:81/o"), "Host"), "h:81");
  EXPECT_EQ(value_of(followed(first, 302, "//h:82/o"), "Host"), "h:82");
  r = followed(followed(first, 302, "http://h:81/o"), 302, "/p");
  EXPECT_EQ(value_of(r, "Host"), "h:81");
}

TEST(Redirect, AConnectionThatWasToCloseStillIs) {
  EXPECT_TRUE(followed(prepared("GET", "http://h/", {{"Connection", "close"}}), 302, "/a").asks_close);
  EXPECT_FALSE(followed(prepared("GET", "http://h/"), 302, "/a").asks_close);
}

TEST(Redirect, ALocationThatIsTooLongIsNoPlaceToGoTo) {
  const PreparedRequest first = prepared("GET", "http://h/");
  EXPECT_TRUE(follow(first, 302, "/" + std::string(kMaxLocation - 1, 'a')));
  const auto next = follow(first, 302, "/" + std::string(kMaxLocation, 'a'));
  ASSERT_FALSE(next);
  EXPECT_THAT(next.error().text, HasSubstr("8 KiB"));
}

}  // namespace
}  // namespace thrum::http
