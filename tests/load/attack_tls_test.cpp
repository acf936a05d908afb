// Attacks on a server that speaks TLS, well or not.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "attack_run.hpp"
#include "scripted_source.hpp"
#include "support/scripted_server.hpp"
#include "support/tls_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::make_certificate;
using support::Pem;
using support::response;
using support::TlsServer;
using testing::HasSubstr;

// A file of its own, gone at the end.
class File {
 public:
  explicit File(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "thrum-ca-XXXXXX").string();
    ::close(mkstemp(name.data()));
    path_ = name;
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

AttackOptions trusting(const File& roots, std::uint64_t workers = 1, std::uint64_t hits = 10) {
  AttackOptions o = closed_attack(workers, hits);
  o.tls.root_cert_files = {roots.path()};
  return o;
}

TEST(Tls, ConnectionsAreVerifiedAndKept) {
  const Pem identity = make_certificate({"127.0.0.1", "localhost"});
  const File roots(identity.certificate);
  TlsServer server(identity);
  const Ran r = attack(trusting(roots), server.url());
  EXPECT_EQ(r.books().ok, 10u);
  EXPECT_EQ(server.handshakes(), 1u);
  EXPECT_EQ(r.summary->connections.reused, 9u);
  EXPECT_GT(r.results[0].tls, 0ns);
  EXPECT_GT(r.results[0].connect, 0ns);
  for (std::size_t i = 1; i < 10; ++i) EXPECT_EQ(r.results[i].tls, Result::kNone);
  EXPECT_EQ(server.names().front(), "") << "an address is no server name";
  EXPECT_EQ(attack(trusting(roots), server.url("localhost")).books().ok, 10u);
  EXPECT_EQ(server.names().back(), "localhost");
}

TEST(Tls, WorksAcrossShardsAndWithoutKeepAlive) {
  const Pem identity = make_certificate({"127.0.0.1"});
  const File roots(identity.certificate);
  TlsServer server(identity);
  AttackOptions o = trusting(roots, 6, 30);
  o.shards = 3;
  EXPECT_EQ(attack(o, server.url()).books().ok, 30u);
  EXPECT_LE(server.handshakes(), 6u);
  const std::size_t before = server.handshakes();
  o.keep_alive = false;
  EXPECT_EQ(attack(o, server.url()).books().ok, 30u);
  EXPECT_EQ(server.handshakes() - before, 30u);
}

TEST(Tls, TargetsMayBeReadLazily) {
  const Pem identity = make_certificate({"127.0.0.1"});
  const File roots(identity.certificate);
  TlsServer server(identity);
  auto source = std::make_unique<ScriptedSource>(
      [&](std::uint64_t i) -> Expected<std::optional<Target>> { return i < 5 ? std::optional(target_of(server.url())) : std::nullopt; });
  EXPECT_EQ(attack(trusting(roots, 2, kUnlimited), std::move(source)).books().ok, 5u);
}

TEST(Tls, CarriesLargeBodiesBothWays) {
  const Pem identity = make_certificate({"127.0.0.1"});
  const File roots(identity.certificate);
  const std::string large(2'000'000, 'z');
  TlsServer server(identity,
                   {.answer = [&](const std::string& request) { return response(200, request.substr(request.find("\r\n\r\n") + 4)); }});
  AttackOptions o = trusting(roots, 2, 4);
  Ran r = attack(o, std::vector{post(server.url(), large)});
  EXPECT_EQ(r.books().ok, 4u);
  for (const Kept& k : r.results) EXPECT_EQ(k.bytes_in, large.size());
  o.max_body = -1;
  r = attack(o, std::vector{post(server.url(), large)});
  for (const Kept& k : r.results) EXPECT_EQ(k.body, large);
}

struct Refused {
  const char* name;
  Pem identity;
  bool is_trusted;
  const char* words;
};

class RefusedCertificates : public testing::TestWithParam<Refused> {};

TEST_P(RefusedCertificates, FailTheirHitsUnlessNobodyChecks) {
  const Refused& c = GetParam();
  const File roots(c.is_trusted ? c.identity.certificate : make_certificate({"other.test"}).certificate);
  TlsServer server(c.identity);
  const Ran r = attack(trusting(roots, 2, 6), server.url());
  EXPECT_EQ(r.books().failed, 6u);
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.outcome, Outcome::tls);
    EXPECT_THAT(k.error, testing::StartsWith("tls: certificate"));
    EXPECT_THAT(k.error, HasSubstr(c.words));
    EXPECT_THAT(k.error, HasSubstr("-insecure"));
  }
  EXPECT_EQ(server.requests(), 0u) << "nothing is said to a server that isn't trusted";
  EXPECT_EQ(r.summary->connections.opened, 0u);
  AttackOptions insecure = closed_attack(2, 6);
  insecure.tls.verify = false;
  EXPECT_EQ(attack(insecure, server.url()).books().ok, 6u);
}

INSTANTIATE_TEST_SUITE_P(Table, RefusedCertificates,
                         testing::Values(Refused{"unknown_authority", make_certificate({"127.0.0.1"}), false, "-root-certs"},
                                         Refused{"expired", make_certificate({"127.0.0.1"}, -20, -10), true, "expired"},
                                         Refused{"not_yet", make_certificate({"127.0.0.1"}, 10, 20), true, "not yet valid"},
                                         Refused{"other_name", make_certificate({"other.test", "127.0.0.2"}), true,
                                                 "not valid for 127.0.0.1"}),
                         [](const auto& i) { return i.param.name; });

// Without close_notify a body that only the end delimits may have been cut short by anybody.
TEST(Tls, AnswersUntilTheEndMustEndProperly) {
  const Pem identity = make_certificate({"127.0.0.1"});
  const File roots(identity.certificate);
  for (const bool politely : {true, false}) {
    TlsServer server(identity, {.answer = [](const std::string&) { return "HTTP/1.1 200 OK\r\n\r\nhello"; },
                                .ends_after_answer = true,
                                .ends_politely = politely});
    const Ran r = attack(trusting(roots, 1, 4), server.url());
    for (const Kept& k : r.results) {
      EXPECT_EQ(k.outcome, politely ? Outcome::ok : Outcome::truncated) << k.error;
      EXPECT_EQ(k.bytes_in, politely ? 5u : 0u);
      EXPECT_TRUE(politely || k.error.find("close_notify") != std::string::npos) << k.error;
    }
  }
}

// A server that hangs up after each answer without a word, TLS's or HTTP's: kept connections are stale, GETs are retried.
TEST(Tls, StaleConnectionsAreRetried) {
  const Pem identity = make_certificate({"127.0.0.1"});
  const File roots(identity.certificate);
  for (const bool politely : {true, false}) {
    TlsServer server(identity, {.answer = {}, .ends_after_answer = true, .ends_politely = politely});
    const Ran r = attack(trusting(roots, 1, 20), server.url());
    EXPECT_EQ(r.books().ok, 20u);
    EXPECT_EQ(server.handshakes(), 20u);
  }
}

TEST(Tls, IsNotSpokenByEveryServer) {
  support::ScriptedServer plain(support::Script().bytes("HTTP/1.1 400 This is plain\r\nContent-Length: 0\r\n\r\n"));
  AttackOptions o = closed_attack(1, 3);
  o.tls.verify = false;
  for (const Kept& k : attack(o, "https://" + plain.authority() + "/").results) {
    EXPECT_EQ(k.outcome, Outcome::tls);
    EXPECT_THAT(k.error, HasSubstr("not TLS"));
  }
  support::ScriptedServer closing(support::Script().close());
  for (const Kept& k : attack(o, "https://" + closing.authority() + "/").results) EXPECT_EQ(k.outcome, Outcome::tls) << k.error;
  support::RefusingPort nobody;
  for (const Kept& k : attack(o, "https://127.0.0.1:" + std::to_string(nobody.port()) + "/").results) {
    EXPECT_EQ(k.outcome, Outcome::connect);
  }
}

}  // namespace
}  // namespace thrum::load
