// The site on its own thread, asked by the links that the load generator uses: plain and TLS.
#include "serve/background_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "net/network.hpp"

namespace thrum::serve {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// Sends a request as soon as the link is up, and keeps all that comes until the link is down.
class Asking final : public net::LinkOwner {
 public:
  Asking(net::OwnNetwork& network, std::uint16_t port, bool tls, std::string request)
      : network_(network), request_(std::move(request)), link_(network.network(), *this) {
    link_.dial({.host = "127.0.0.1", .port = port, .tls = tls});
  }
  void on_up() override { link_.send(request_); }
  void on_bytes(std::span<const char> bytes) override { received.append(bytes.data(), bytes.size()); }
  void on_skipped(std::size_t) override {}
  void on_sent() override {}
  void on_down(const net::Fault& f) override {
    is_down = true;
    fault = f;
  }
  // Until `bytes` came or the link is down.
  void wait(std::size_t bytes) {
    const Instant end = now() + std::chrono::seconds(20);
    while (!is_down && received.size() < bytes && now() < end) network_.turn(end);
  }
  void wait_to_end() { wait(SIZE_MAX); }

  std::string received;
  bool is_down = false;
  net::Fault fault;

 private:
  net::OwnNetwork& network_;
  const std::string request_;
  net::Link link_;
};

std::string get(std::string_view path) { return "GET " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n\r\n"; }

std::unique_ptr<net::OwnNetwork> network(TlsOptions tls = {}) {
  return net::OwnNetwork::create({.dns = {}, .tls = std::move(tls)}).value();
}

TEST(BackgroundSite, ServesUntilItIsDestroyed) {
  auto site = BackgroundSite::start().value();
  EXPECT_EQ(site->url("/x"), "http://127.0.0.1:" + std::to_string(site->port()) + "/x");
  EXPECT_EQ(site->tls_port(), 0);
  const auto net = network();
  Asking first(*net, site->port(), false, get("/close"));
  first.wait_to_end();
  EXPECT_THAT(first.received, EndsWith("\r\n\r\ngoodbye\n"));
  EXPECT_EQ(site->counters().requests.get(), 1u);
  EXPECT_EQ(site->site().requests("/close"), 1u);

  const std::uint16_t port = site->port();
  site.reset();
  Asking second(*net, port, false, get("/close"));
  second.wait_to_end();
  EXPECT_EQ(second.received, "");
  EXPECT_EQ(second.fault.phase, net::Fault::Phase::connect);
}

TEST(BackgroundSite, ServesTlsWithACertificateToTrust) {
  const auto site = BackgroundSite::start({.tls = true}).value();
  std::string folder = (std::filesystem::temp_directory_path() / "thrum-serve-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string roots = folder + "/cert.pem";
  std::ofstream(roots) << site->certificate();
  TlsOptions trust;
  trust.root_cert_files = {roots};
  const auto net = network(trust);

  Asking small(*net, site->tls_port(), true, get("/bytes/16") + get("/status/201") + get("/close"));
  small.wait_to_end();
  EXPECT_THAT(small.received, HasSubstr("The quick brown HTTP/1.1 201"));
  EXPECT_THAT(small.received, EndsWith("goodbye\n"));
  EXPECT_EQ(small.fault, net::Fault{});  // ended in good order: close_notify

  Asking large(*net, site->tls_port(), true, get("/bytes/20000000") + get("/close"));
  large.wait_to_end();
  EXPECT_GT(large.received.size(), 20'000'000u);
  EXPECT_THAT(large.received.substr(large.received.size() - 8), "goodbye\n");

  Asking echo(*net, site->tls_port(), true,
              "POST /echo HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n" + std::string(3'000'000, 'e'));
  echo.wait_to_end();
  EXPECT_THAT(echo.received.substr(0, 400), HasSubstr("POST /echo HTTP/1.1"));
  EXPECT_GT(echo.received.size(), 3'000'000u);
  EXPECT_EQ(site->counters().tls_failed.get(), 0u);
  std::filesystem::remove_all(folder);
}

TEST(BackgroundSite, CountsClientsThatDoNotTrustIt) {
  const auto site = BackgroundSite::start({.tls = true}).value();
  const auto net = network();
  Asking client(*net, site->tls_port(), true, get("/"));
  client.wait_to_end();
  EXPECT_EQ(client.fault.source, net::Fault::Source::certificate);
  Asking plain(*net, site->tls_port(), false, get("/"));  // HTTP to the TLS port
  plain.wait_to_end();
  EXPECT_TRUE(plain.is_down);
  TlsOptions trust;
  trust.verify = false;
  const auto trusting = network(trust);
  Asking after(*trusting, site->tls_port(), true, get("/close"));
  after.wait_to_end();
  EXPECT_THAT(after.received, EndsWith("goodbye\n"));
  EXPECT_EQ(site->counters().tls_failed.get(), 2u);
  EXPECT_EQ(site->counters().requests.get(), 1u);
}

}  // namespace
}  // namespace thrum::serve
