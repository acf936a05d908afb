// Names: what needs no DNS, what DNS says, how often it is asked, and what links make of several addresses.
#include "net/resolver.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "dns_server.hpp"
#include "system_calls.hpp"

namespace thrum::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Address kV4 = Address::v4(INADDR_LOOPBACK), kV6 = Address::loopback_v6();

Address address(const char* text) { return *parse_address(text); }

std::vector<std::string> texts(const Resolver::Answer& answer) {
  std::vector<std::string> out;
  for (const Address& a : answer.addresses) out.push_back(format_address(a));
  return out;
}

struct Waiting : Resolver::Lookup {
  void on_lookup(Resolver::Answer a) override {
    ++calls;
    answer = std::move(a);
    if (then) then();
  }
  int calls = 0;
  Resolver::Answer answer;
  std::function<void()> then;
};

class ResolverTest : public testing::Test {
 protected:
  void make(ResolverOptions options) { resolver.emplace(own->network().reactor, own->network().timers, std::move(options)); }
  void make() { make(dns.options()); }
  // Looks up and waits for the answer.
  Resolver::Answer get(const std::string& host) {
    Waiting w;
    if (auto known = resolver->lookup(host, w)) return *known;
    run_until(*own, [&] { return w.calls > 0; });
    return w.answer;
  }
  std::string text(const Fault& f, const std::string& host = "name.test") { return describe(f, {host, 80}); }

  HookedCalls hooks;
  std::unique_ptr<OwnNetwork> own = make_network();
  DnsServer dns{*own};
  std::optional<Resolver> resolver;
};

TEST_F(ResolverTest, LiteralsAreTheirOwnAnswer) {
  make();
  Waiting w;
  for (const char* literal : {"127.0.0.1", "::1", "fe80::1%lo", "fe80::1%1", "::ffff:1.2.3.4"}) {
    const auto known = resolver->lookup(literal, w);
    ASSERT_TRUE(known) << literal;
    EXPECT_EQ(known->addresses.size(), 1u);
  }
  EXPECT_EQ(resolver->lookup("fe80::1%lo", w)->addresses[0].zone, 1u);
  EXPECT_THAT(dns.asked, IsEmpty());
}

TEST_F(ResolverTest, LocalNamesNeedNoDnsAtAll) {
  ResolverOptions nothing;
  nothing.resolv_conf = nothing.hosts_file = "/nonexistent";
  make(nothing);
  Waiting w;
  for (const char* name : {"localhost", "LocalHost", "localhost.", "api.localhost"}) {
    const auto known = resolver->lookup(name, w);
    ASSERT_TRUE(known) << name;
    EXPECT_THAT(texts(*known), ElementsAre("::1", "127.0.0.1"));
  }
}

TEST_F(ResolverTest, TheHostsFileComesFirst) {
  const std::string file = testing::TempDir() + "thrum-hosts";
  std::ofstream(file) << "# comment\n127.0.0.7 Alpha beta # 127.0.0.8 gamma\n::7\talpha.\r\nnonsense alpha\n127.0.0.9 alpha";
  auto options = dns.options();
  options.hosts_file = file;
  make(options);
  Waiting w;
  EXPECT_THAT(texts(*resolver->lookup("ALPHA", w)), ElementsAre("::7", "127.0.0.7", "127.0.0.9"));
  EXPECT_THAT(texts(*resolver->lookup("beta.", w)), ElementsAre("127.0.0.7"));
  EXPECT_FALSE(resolver->lookup("gamma", w));
  w.leave();
  std::filesystem::remove(file);
}

TEST_F(ResolverTest, SeveralAddressesTakeTurns) {
  dns.zones["name.test"].addresses = {address("127.0.0.1"), address("127.0.0.2"), address("127.0.0.3"), address("127.0.0.4")};
  make();
  std::map<std::string, int> first;
  for (int i = 0; i < 40; ++i) {
    const auto answer = get("name.test");
    ASSERT_EQ(answer.addresses.size(), 4u);
    ++first[texts(answer)[0]];
  }
  EXPECT_THAT(first, ElementsAre(testing::Pair("127.0.0.1", 10), testing::Pair("127.0.0.2", 10), testing::Pair("127.0.0.3", 10),
                                 testing::Pair("127.0.0.4", 10)));
  EXPECT_EQ(dns.asked.size(), 2u);  // A and AAAA, once
  auto options = dns.options();
  options.first_turn = 6;
  make(options);
  EXPECT_EQ(texts(get("name.test"))[0], "127.0.0.3");
}

TEST_F(ResolverTest, FamiliesAreInterleavedAndTheOneThatWorkedLeads) {
  dns.zones["name.test"].addresses = {address("10.0.0.1"), address("10.0.0.2"), address("10.0.0.3"), address("fd00::1"),
                                      address("fd00::2")};
  make();
  EXPECT_THAT(texts(get("name.test")), ElementsAre("fd00::1", "10.0.0.1", "fd00::2", "10.0.0.2", "10.0.0.3"));
  EXPECT_THAT(texts(get("name.test")), ElementsAre("fd00::2", "10.0.0.2", "fd00::1", "10.0.0.3", "10.0.0.1"));
  resolver->worked("NAME.test", address("10.0.0.1"));
  EXPECT_THAT(texts(get("name.test")), ElementsAre("10.0.0.3", "fd00::1", "10.0.0.1", "fd00::2", "10.0.0.2"));
  resolver->worked("name.test", address("fd00::1"));
  EXPECT_EQ(texts(get("name.test"))[0], "fd00::2");
}

TEST_F(ResolverTest, LookupsThatOverlapShareOneQueryFirstComeFirstServed) {
  dns.zones["name.test"] = {.addresses = {kV4}, .is_held = true};
  make();
  std::deque<Waiting> all(10);
  std::vector<int> order;
  for (int i = 0; i < 10; ++i) {
    all[static_cast<std::size_t>(i)].then = [&, i] { order.push_back(i); };
    EXPECT_FALSE(resolver->lookup("name.test", all[static_cast<std::size_t>(i)]));
  }
  run_until(*own, [&] { return dns.held.size() == 2; });
  all[3].leave();
  all.pop_back();
  dns.release();
  run_until(*own, [&] { return order.size() == 8; });
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(all[3].calls, 0);
  EXPECT_EQ(dns.asked.size(), 2u);
}

TEST_F(ResolverTest, WhoeverIsToldMayLeaveOthersAndAskAgain) {
  dns.zones["name.test"] = {.addresses = {kV4}, .is_held = true};
  auto options = dns.options();
  options.ttl = Nanos(-1);
  make(options);
  std::deque<Waiting> all(4);
  Waiting again;
  all[0].then = [&] {
    all[1].leave();
    all[3].leave();
    EXPECT_FALSE(resolver->lookup("name.test", again));
  };
  for (Waiting& w : all) EXPECT_FALSE(resolver->lookup("name.test", w));
  run_until(*own, [&] { return dns.held.size() == 2; });
  dns.release();
  run_until(*own, [&] { return dns.held.size() == 2; });
  EXPECT_EQ(all[0].calls + all[1].calls * 100 + all[2].calls + all[3].calls * 100, 2);
  EXPECT_EQ(again.calls, 0);
  dns.release();
  run_until(*own, [&] { return again.calls == 1; });
}

TEST_F(ResolverTest, AnswersServeAsLongAsTheyAreToldTo) {
  dns.zones["name.test"].addresses = {kV4};
  for (const auto& [ttl, queries] : {std::pair{Nanos(0), 2u}, {Nanos(-1), 6u}, {Nanos(1), 6u}, {Nanos(3'600'000'000'000), 2u}}) {
    auto options = dns.options();
    options.ttl = ttl;
    make(options);
    dns.asked.clear();
    for (int i = 0; i < 3; ++i) EXPECT_THAT(texts(get("name.test")), ElementsAre("127.0.0.1"));
    EXPECT_EQ(dns.asked.size(), queries) << ttl.count();
  }
}

TEST_F(ResolverTest, FailuresAreToldInWordsAndServeForAMoment) {
  dns.zones["name.test"].rcode = 3;
  auto options = dns.options();
  options.ttl = Nanos(-1);
  make(options);
  EXPECT_EQ(text(get("name.test").fault), "dns: no such host: name.test");
  const std::size_t queries = dns.asked.size();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(get("name.test").fault.phase, Fault::Phase::dns);
  EXPECT_LE(dns.asked.size(), queries + 4);  // a hundred in less than a few times 100 ms
}

TEST_F(ResolverTest, AnEmptyAnswerIsNoAddress) {
  dns.zones["name.test"].addresses = {};
  make();
  EXPECT_EQ(text(get("name.test").fault), "dns: no address for host: name.test");
}

TEST_F(ResolverTest, AServerThatFailsRefusesOrLiesIsAFault) {
  auto options = dns.options();
  options.timeout = Nanos(20'000'000);
  options.tries = 2;
  make(options);
  dns.zones["fails.test"].rcode = 2;
  dns.zones["refuses.test"].rcode = 5;
  dns.zones["silent.test"].is_silent = true;
  EXPECT_EQ(get("fails.test").fault.phase, Fault::Phase::dns);
  EXPECT_EQ(get("refuses.test").fault.phase, Fault::Phase::dns);
  EXPECT_EQ(text(get("silent.test").fault, "silent.test"), "dns: timed out looking up silent.test");
  int n = 0;
  for (const std::string& garbage :
       {std::string("\x81"), std::string("\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00\xc0\x0c", 12), std::string(10, '\xff'),
        std::string(400, '\0'), std::string("\x81\x80\x00\x00\x00\x09\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01", 16)}) {
    const std::string name = "lies" + std::to_string(n++) + ".test";
    dns.zones[name].garbage = garbage;
    EXPECT_EQ(get(name).fault.phase, Fault::Phase::dns) << name;
  }
}

TEST_F(ResolverTest, ATruncatedAnswerIsAskedForByTcp) {
  dns.zones["name.test"] = {.addresses = {address("10.0.0.1"), address("fd00::1")}, .is_truncated = true};
  make();
  EXPECT_THAT(texts(get("name.test")), ElementsAre("fd00::1", "10.0.0.1"));
  EXPECT_FALSE(dns.tcp->peers.empty());
}

TEST_F(ResolverTest, TheSearchListOfResolvConfIsHeeded) {
  const std::string file = testing::TempDir() + "thrum-resolv";
  std::ofstream(file) << "search one.test two.test\noptions ndots:1\n";
  dns.zones["short.one.test"].rcode = 3;
  dns.zones["short.two.test"].addresses = {kV4};
  auto options = dns.options();
  options.resolv_conf = file;
  make(options);
  EXPECT_THAT(texts(get("short")), ElementsAre("127.0.0.1"));
  std::filesystem::remove(file);
}

TEST_F(ResolverTest, WithoutDescriptorsTheFaultIsOurs) {
  auto options = dns.options();
  make(options);
  system_calls.socket = fail_with(EMFILE, 1000);
  const Fault fault = get("name.test").fault;
  EXPECT_EQ(fault, Fault::os(Fault::Phase::client, EMFILE));
  EXPECT_THAT(text(fault), testing::HasSubstr("ulimit -n"));
}

TEST_F(ResolverTest, MayEndWithQuestionsOpen) {
  dns.zones["name.test"].is_silent = true;
  make();
  Waiting w;
  EXPECT_FALSE(resolver->lookup("name.test", w));
  run_until(*own, [&] { return dns.asked.size() == 2; });
  resolver.reset();
  settle(*own);
  EXPECT_EQ(w.calls, 0);
}

// Each thread has a resolver and a TLS client of its own, and they begin at the same time.
TEST(Resolver, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      const auto own = make_network();
      DnsServer dns(*own);
      dns.zones["name.test"].addresses = {kV4};
      Resolver resolver(own->network().reactor, own->network().timers, dns.options());
      Waiting w;
      EXPECT_FALSE(resolver.lookup("name.test", w));
      EXPECT_TRUE(own->network().tls.load());
      run_until(*own, [&] { return w.calls > 0; });
      EXPECT_THAT(texts(w.answer), ElementsAre("127.0.0.1"));
    });
  for (auto& t : threads) t.join();
}

TEST(Resolver, WrongServersAreToldBeforehand) {
  ResolverOptions options;
  options.servers = {"127.0.0.1", "[::1]:5353", "10.0.0.1:53"};
  EXPECT_TRUE(Resolver::check(options));
  options.servers.push_back("ns.example.com");
  const auto checked = Resolver::check(options);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().text, testing::HasSubstr("ns.example.com"));
}

// Links over names: the two families are raced.
class RaceTest : public testing::Test {
 protected:
  void make() {
    NetworkOptions options;
    options.dns = dns.options();
    own = make_network(options);
  }
  // The name server has a loop of its own: both turn.
  void up(Owner& owner) {
    const Instant limit = now() + std::chrono::seconds(10);
    while (owner.ups + owner.downs == 0) {
      ASSERT_LT(now(), limit);
      stub->turn(now());
      own->turn(now() + std::chrono::milliseconds(1));
    }
  }

  HookedCalls hooks;
  std::unique_ptr<OwnNetwork> stub = make_network();
  DnsServer dns{*stub};
  std::unique_ptr<OwnNetwork> own;
};

TEST_F(RaceTest, ARefusalMovesOnAtOnce) {
  dns.zones["name.test"].addresses = {kV4, kV6};
  make();
  Server server(*own, kV4);
  Owner owner;
  Link link(own->network(), owner);
  link.dial({"name.test", server.port});
  up(owner);
  EXPECT_EQ(owner.ups, 1);
  EXPECT_LE(link.times().dns_start, link.times().dns_end);
  EXPECT_LE(link.times().dns_end, link.times().connect_start);
}

// A listener whose queue is full drops what comes: the first address hangs.
TEST_F(RaceTest, AnAddressThatHangsIsOvertakenAndTheOtherRemembered) {
  dns.zones["name.test"].addresses = {kV4, kV6};
  make();
  Server server(*own, kV4);
  const auto full = listen_on(kV6, server.port);
  ASSERT_TRUE(full) << full.error().text;
  ::listen(full->get(), 0);
  std::vector<Fd> fillers;
  for (int i = 0; i < 3; ++i) fillers.push_back(start_connect(kV6, server.port).socket);
  int connects = 0;
  system_calls.connect = [&](int) -> std::optional<ssize_t> {
    ++connects;
    return std::nullopt;
  };
  const Instant start = now();
  Owner owner;
  Link link(own->network(), owner);
  link.dial({"name.test", server.port});
  up(owner);
  EXPECT_EQ(owner.ups, 1);
  EXPECT_GE(now() - start, std::chrono::milliseconds(250));
  connects = 0;
  Owner next;
  Link second(own->network(), next);
  second.dial({"name.test", server.port});
  up(next);
  EXPECT_EQ(next.ups, 1);
  EXPECT_EQ(connects, 1);  // IPv4 first: it came up at once
}

TEST_F(RaceTest, TheTellingErrorIsToldWhenAllFail) {
  dns.zones["name.test"].addresses = {kV6, kV4};
  make();
  int connects = 0;
  system_calls.connect = [&](int) -> std::optional<ssize_t> {
    if (++connects != 3) return std::nullopt;  // the third: the name server's, the first attempt's, the second's
    errno = ENETUNREACH;
    return -1;
  };
  Owner owner;
  Link link(own->network(), owner);
  link.dial({"name.test", free_port(kV4)});
  up(owner);
  EXPECT_EQ(owner.fault, Fault::os(Fault::Phase::connect, ECONNREFUSED));
}

TEST_F(RaceTest, ALinkMayCloseWhileItLooksUp) {
  dns.zones["name.test"].is_held = true;
  make();
  Owner owner;
  {
    Link link(own->network(), owner);
    link.dial({"name.test", 80});
    EXPECT_FALSE(link.is_up());
  }
  Link link(own->network(), owner);
  link.dial({"name.test", 80});
  link.close();
  run_until(*stub, [&] { return dns.held.size() == 2; });
  dns.release();
  for (int i = 0; i < 10; ++i) settle(*own);
  EXPECT_EQ(owner.ups + owner.downs, 0);
}

}  // namespace
}  // namespace thrum::net
