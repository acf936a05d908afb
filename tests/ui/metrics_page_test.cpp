// The page as a scraper meets it: over a socket.
#include "ui/metrics_page.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "base/fd.hpp"

namespace thrum::ui {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::uint16_t port_of(const std::string& url) {
  const std::size_t colon = url.find(':', url.find("://") + 3);
  return static_cast<std::uint16_t>(std::atoi(url.c_str() + colon + 1));
}

// The whole answer to one request.
std::string ask(std::uint16_t port, const std::string& request) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return "not connected";
  if (::write(socket.get(), request.data(), request.size()) != static_cast<ssize_t>(request.size())) return "not written";
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(socket.get(), buffer, sizeof buffer)) > 0;) answer.append(buffer, static_cast<std::size_t>(n));
  return answer;
}

std::string get(const MetricsPage& page, const std::string& path = "/metrics", const std::string& headers = "",
                const char* method = "GET") {
  return ask(port_of(page.url()), std::string(method) + " " + path + " HTTP/1.1\r\nHost: t\r\nConnection: close\r\n" + headers + "\r\n");
}

std::unique_ptr<MetricsPage> open_page() { return MetricsPage::open("127.0.0.1:0", "-prometheus-addr").value(); }

TEST(MetricsPage, ServesWhatItWasGiven) {
  const auto page = open_page();
  EXPECT_THAT(page->url(), StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(page->url(), EndsWith("/metrics"));
  EXPECT_THAT(get(*page), HasSubstr("\nthrum_attack_running 0\n")) << "before the first figure";

  Result r;
  r.method = "GET";
  r.url = "http://a.test/";
  r.code = 500;
  r.error = "500 Internal Server Error";
  r.latency = 1ms;
  const std::vector<Result> results(10, r);
  page->add(results);
  page->show({.elapsed = 1s, .due = 12, .sent = 11, .in_flight = 1});
  const std::string during = get(*page);
  EXPECT_THAT(during, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(during, HasSubstr("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  EXPECT_THAT(
      during,
      HasSubstr("request_fail_count{message=\"500 Internal Server Error\",method=\"GET\",status=\"500\",url=\"http://a.test/\"} 10\n"));
  EXPECT_THAT(during, HasSubstr("\nthrum_sent_total 11\n"));
  EXPECT_THAT(during, HasSubstr("\nthrum_attack_running 1\n"));

  Summary summary;
  summary.books = {.scheduled = 14, .sent = 12, .missed = 2, .ok = 0, .failed = 12, .cut = 0};
  summary.connections.opened = 3;
  page->finish(summary);
  const std::string after = get(*page);
  for (const char* line : {"thrum_scheduled_total 14", "thrum_sent_total 12", "thrum_missed_total 2", "thrum_in_flight 0",
                           "thrum_connections_opened_total 3", "thrum_connections_open 0", "thrum_attack_running 0"})
    EXPECT_THAT(after, HasSubstr("\n" + std::string(line) + "\n"));
}

TEST(MetricsPage, SpeaksOpenMetricsWhenAsked) {
  const std::string answer = get(*open_page(), "/metrics", "Accept: application/openmetrics-text;version=1.0.0\r\n");
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"));
  EXPECT_THAT(answer, EndsWith("\n# EOF\n"));
}

TEST(MetricsPage, IsOnAnyPathAndForReadingOnly) {
  const auto page = open_page();
  EXPECT_THAT(get(*page, "/"), HasSubstr("thrum_sent_total"));
  EXPECT_THAT(get(*page, "/x?y"), HasSubstr("thrum_sent_total"));
  const std::string head = get(*page, "/metrics", "", "HEAD");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("thrum_sent_total")));
  EXPECT_THAT(get(*page, "/metrics", "", "POST"), StartsWith("HTTP/1.1 405 "));
}

TEST(MetricsPage, WithoutAHostItIsOnLoopback) {
  const auto page = MetricsPage::open(":0", "-prometheus-addr").value();
  EXPECT_THAT(page->url(), StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(get(*page), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(MetricsPage, SaysWhatStandsInTheWay) {
  const auto page = open_page();
  const std::string taken = "127.0.0.1:" + std::to_string(port_of(page->url()));
  const auto second = MetricsPage::open(taken, "-prometheus-addr");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::failure);
  EXPECT_THAT(second.error().text, HasSubstr("-prometheus-addr"));
  EXPECT_THAT(second.error().text, HasSubstr("something listens there already"));
  for (const char* wrong : {"88800", "80a", "", "a.test:80", "127.0.0.1:99999"}) {
    const auto checked = check_metrics_address(wrong, "-prometheus-addr");
    ASSERT_FALSE(checked) << wrong;
    EXPECT_EQ(checked.error().kind, ErrorKind::usage);
  }
  for (const char* right : {":8880", "8880", "0.0.0.0:8880", "localhost:0", "[::1]:1"})
    EXPECT_TRUE(check_metrics_address(right, "f")) << right;
}

}  // namespace
}  // namespace thrum::ui
