// Attacks whose connections do not go where their URLs say: unix socket, mapped places, local addresses, name servers.
#include <gmock/gmock.h>
#include <unistd.h>

#include <map>

#include "attack_run.hpp"
#include "scripted_source.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using support::answering;
using support::ScriptedServer;
using testing::HasSubstr;

std::string refusal(const AttackOptions& options) {
  const auto made = Attacker::create(options, get({"http://shop.invalid/"}));
  if (made) return "";
  EXPECT_EQ(made.error().kind, ErrorKind::usage);
  return made.error().text;
}

TEST(UnixSocket, TakesEveryTargetAndLooksNoNameUp) {
  const std::string path = "@thrum-attack-ways-" + std::to_string(::getpid());
  const ScriptedServer server(answering(), {.unix_path = path});
  AttackOptions o = closed_attack(1, 4);
  o.unix_socket = path;
  const Ran r = attack(o, get({"http://no.such.name.invalid/a", "http://[::1]:7/b"}));
  EXPECT_EQ(r.books().ok, 4u);
  EXPECT_EQ(server.accepted(), 2u) << "one for each host";
  const auto seen = server.seen();
  EXPECT_EQ(seen[0].header("Host"), "no.such.name.invalid");
  EXPECT_EQ(seen[1].header("Host"), "[::1]:7");
  EXPECT_EQ(r.results[0].dns, Result::kNone);
}

TEST(UnixSocket, ThatIsMissingIsNamed) {
  AttackOptions o = closed_attack(1, 1);
  o.unix_socket = "/nonexistent/thrum.sock";
  const Ran r = attack(o, "http://shop.invalid/");
  EXPECT_EQ(r.results[0].error, "connect: no such file or directory: /nonexistent/thrum.sock");
  EXPECT_EQ(r.results[0].outcome, Outcome::connect);
}

TEST(UnixSocket, ExcludesWhatItHasNoUseFor) {
  AttackOptions o = closed_attack(1, 1);
  o.unix_socket = "/s";
  AttackOptions mapped = o, from = o, asking = o;
  mapped.connect_to = {{"a", 1, "b", 2}};
  from.local_addresses = {"127.0.0.1"};
  asking.resolvers = {"127.0.0.1"};
  EXPECT_THAT(refusal(mapped), HasSubstr("-unix-socket and -connect-to"));
  EXPECT_THAT(refusal(from), HasSubstr("-unix-socket and -laddr"));
  EXPECT_THAT(refusal(asking), HasSubstr("-unix-socket and -resolvers"));
  o.unix_socket = "/" + std::string(107, 's');
  EXPECT_THAT(refusal(o), HasSubstr("longer than the 107 bytes"));
}

TEST(ConnectTo, SharesConnectionsAmongThePlacesOfATarget) {
  const ScriptedServer a(answering()), b(answering(), {.ipv6 = true}), c(answering());
  AttackOptions o = closed_attack(1, 30);
  o.keep_alive = false;
  o.shards = 1;
  o.connect_to = {
      {"Shop.invalid", 8080, "127.0.0.1", a.port()}, {"other.invalid", 0, "127.0.0.1", c.port()}, {"shop.invalid", 8080, "::1", b.port()}};
  const Ran r = attack(o, get({"http://shop.invalid:8080/", "http://shop.INVALID:8080/", "http://other.invalid/"}));
  EXPECT_EQ(r.books().ok, 30u) << r.results[0].error;
  EXPECT_EQ(a.accepted(), 10u);
  EXPECT_EQ(b.accepted(), 10u);
  EXPECT_EQ(c.accepted(), 10u);
  EXPECT_EQ(a.seen()[0].header("Host"), "shop.invalid:8080");
  ASSERT_EQ(r.summary->addresses.size(), 2u);
  EXPECT_EQ(r.summary->addresses[0].address, "127.0.0.1");
  EXPECT_EQ(r.summary->addresses[0].connections, 20u);
  EXPECT_EQ(r.summary->addresses[1].address, "::1");
  EXPECT_EQ(r.summary->addresses[1].connections, 10u);
}

TEST(ConnectTo, TakesTheFirstEntryThatFitsAndLeavesTheRestAlone) {
  const ScriptedServer a(answering()), b(answering());
  AttackOptions o = closed_attack(1, 3);
  o.connect_to = {{"", a.port(), "127.0.0.1", 0}, {"shop.invalid", 0, "127.0.0.1", b.port()}};
  const Ran r = attack(o, get({"http://shop.invalid:" + std::to_string(a.port()) + "/", "http://shop.invalid/", b.url()}));
  EXPECT_EQ(r.books().ok, 3u) << r.results[0].error << r.results[1].error;
  EXPECT_EQ(a.requests(), 1u) << "the first entry fits its port";
  EXPECT_EQ(b.requests(), 2u);
}

TEST(LocalAddress, ConnectionsAreSpreadEvenly) {
  const ScriptedServer server(answering());
  AttackOptions o = closed_attack(2, 40);
  o.keep_alive = false;
  o.shards = 1;
  o.local_addresses = {"127.0.0.1", "127.0.0.8-127.0.0.10"};
  EXPECT_EQ(attack(o, server.url()).books().ok, 40u);
  std::map<std::string, int> from;
  for (const auto& seen : server.seen()) ++from[seen.peer];
  EXPECT_EQ(from, (std::map<std::string, int>{{"127.0.0.1", 10}, {"127.0.0.8", 10}, {"127.0.0.9", 10}, {"127.0.0.10", 10}}));
}

TEST(LocalAddress, ThatIsNotOursEndsTheAttackBeforeItBegins) {
  AttackOptions o = closed_attack(1, 1);
  o.local_addresses = {"192.0.2.7"};
  EXPECT_EQ(refusal(o), "-laddr: 192.0.2.7 is not an address of this machine (ip addr shows them)");
}

TEST(Resolvers, AreCheckedBeforeTheAttack) {
  AttackOptions o = closed_attack(1, 1);
  o.resolvers = {":abc"};
  EXPECT_THAT(refusal(o), HasSubstr("(-resolvers)"));
}

// The proxy is a scripted server that answers as a target would: it is asked for whole URLs.
TEST(HttpProxy, IsAskedForWholeUrls) {
  const ScriptedServer proxy(answering());
  AttackOptions o = closed_attack(1, 4);
  o.proxy.url = "http://me:pw@" + proxy.authority();
  o.proxy.headers = {{"X-Via", "thrum"}};
  const Ran r = attack(o, get({"http://shop.invalid/a?b", "http://other.invalid:8080/"}));
  EXPECT_EQ(r.books().ok, 4u) << r.results[0].error;
  EXPECT_EQ(proxy.accepted(), 2u) << "one for each host";
  const auto seen = proxy.seen();
  EXPECT_EQ(seen[0].target(), "http://shop.invalid/a?b");
  EXPECT_EQ(seen[0].header("Host"), "shop.invalid");
  EXPECT_EQ(seen[0].header("Proxy-Authorization"), "Basic bWU6cHc=");
  EXPECT_EQ(seen[0].header("X-Via"), "thrum");
  EXPECT_EQ(seen[1].target(), "http://other.invalid:8080/");
  EXPECT_EQ(r.results[0].url, "http://shop.invalid/a?b");
  EXPECT_EQ(r.summary->proxies, "http://me:***@" + proxy.authority());
}

TEST(HttpProxy, IsGivenTargetsThatAreReadWhileAttacking) {
  const ScriptedServer proxy(answering());
  AttackOptions o = closed_attack(1, kUnlimited);
  o.proxy.url = "http://" + proxy.authority();
  const Ran r = attack(o, std::make_unique<ScriptedSource>([](std::uint64_t i) -> Expected<std::optional<Target>> {
                         if (i == 2) return std::nullopt;
                         return target_of(i == 0 ? "http://a.invalid/" : "http://b.invalid/");
                       }));
  EXPECT_EQ(r.books().ok, 2u);
  EXPECT_EQ(proxy.seen()[1].target(), "http://b.invalid/");
}

TEST(HttpProxy, IsAskedToConnectForTls) {
  const ScriptedServer proxy(support::Script().answer(407, "no").again());
  AttackOptions o = closed_attack(1, 1);
  o.proxy.url = "http://" + proxy.authority();
  const Ran r = attack(o, "https://shop.invalid/");
  EXPECT_EQ(r.results[0].error, "proxy: 407 Proxy Authentication Required");
  EXPECT_EQ(r.results[0].outcome, Outcome::proxy);
  EXPECT_EQ(r.results[0].code, 0);
  EXPECT_EQ(proxy.seen()[0].method(), "CONNECT");
  EXPECT_EQ(proxy.seen()[0].target(), "shop.invalid:443");
  EXPECT_EQ(proxy.seen()[0].header("Proxy-Authorization"), "");
}

TEST(HttpProxy, ThatIsSilentOrGoneIsToBlame) {
  const ScriptedServer silent(support::Script().request());
  AttackOptions o = closed_attack(1, 1);
  o.proxy.url = "http://" + silent.authority();
  o.timeout = Nanos(50'000'000);
  const Ran waited = attack(o, "https://shop.invalid/");
  EXPECT_EQ(waited.results[0].error, "timeout: proxy did not answer within 50ms");
  ScriptedServer gone(answering());
  o.proxy.url = "http://" + gone.authority();
  gone.stop_listening();
  const Ran refused = attack(o, "http://shop.invalid/");
  EXPECT_EQ(refused.results[0].error, "proxy: connect: connection refused");
  EXPECT_EQ(refused.results[0].outcome, Outcome::proxy);
}

TEST(HttpProxy, OfTheEnvironmentIsNotForLoopbackNorForWhatConnectToMoves) {
  const ScriptedServer target(answering()), proxy(answering());
  AttackOptions o = closed_attack(1, 3);
  o.proxy.for_http = "http://" + proxy.authority();
  o.connect_to = {{"moved.invalid", 80, "127.0.0.1", target.port()}};
  const Ran r = attack(o, get({target.url(), "http://moved.invalid/", "http://shop.invalid/"}));
  EXPECT_EQ(r.books().ok, 3u);
  EXPECT_EQ(target.requests(), 2u);
  EXPECT_EQ(target.seen()[1].target(), "/");
  EXPECT_EQ(proxy.requests(), 1u);
}

TEST(Proxy, ThatIsNoneIsRefusedBeforeTheAttack) {
  AttackOptions o = closed_attack(1, 1);
  o.proxy.url = "gopher://me:secret@p";
  EXPECT_EQ(refusal(o), "proxy \"gopher://***@p\": proxies are spoken to by http, https, socks5 or socks5h");
  o.proxy.url = "http://p", o.unix_socket = "/s";
  EXPECT_THAT(refusal(o), HasSubstr("-unix-socket and -proxy"));
  o.unix_socket.clear(), o.connect_to = {{"a", 1, "b", 2}};
  EXPECT_THAT(refusal(o), HasSubstr("-connect-to and -proxy"));
}

}  // namespace
}  // namespace thrum::load
