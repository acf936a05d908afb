// Links over plain TCP, end to end on the reactor: literals and local names, both families, what breaks and how it is told.
#include "net/link.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "peers.hpp"
#include "system_calls.hpp"

namespace thrum::net {
namespace {

const Address kV4 = Address::v4(0x7f000001), kV6 = Address::loopback_v6();

class LinkTest : public testing::Test {
 protected:
  // Dials, and returns what comes of it.
  Fault fault_of(const Endpoint& to) {
    link.dial(to);
    EXPECT_EQ(owner.downs, 0) << "told from within dial()";
    run_until(*own, [&] { return owner.ups + owner.downs > 0; });
    return owner.fault;
  }
  HookedCalls hooks;
  std::unique_ptr<OwnNetwork> own = make_network();
  Owner owner;
  Link link{own->network(), owner};
};

TEST_F(LinkTest, CarriesBytesBothWays) {
  Server server(*own, kV4);
  server.echo = true;
  link.dial({"127.0.0.1", server.port});
  EXPECT_EQ(owner.ups + owner.downs, 0);
  run_until(*own, [&] { return owner.ups == 1; });
  EXPECT_TRUE(link.is_up());
  EXPECT_EQ(link.send(span_of("head"), span_of("body")).state, SendOutcome::State::done);
  run_until(*own, [&] { return owner.bytes == "headbody"; });
  EXPECT_EQ(link.times().dns_start, kNever);
  EXPECT_LE(link.times().connect_start, link.times().connect_end);
  link.close();
  run_until(*own, [&] { return server.peers[0].ended; });
  EXPECT_EQ(server.peers[0].error, 0);
  EXPECT_EQ(owner.downs, 0);
}

TEST_F(LinkTest, AbortResetsTheConnection) {
  Server server(*own, kV4);
  link.dial({"127.0.0.1", server.port});
  run_until(*own, [&] { return owner.ups == 1 && !server.peers.empty(); });
  link.close(true);
  run_until(*own, [&] { return server.peers[0].ended; });
  EXPECT_EQ(server.peers[0].error, ECONNRESET);
}

TEST_F(LinkTest, TellsARefusalFromTheLoopOnly) {
  link.dial({"127.0.0.1", free_port(kV4)});
  EXPECT_EQ(owner.downs, 0);
  run_until(*own, [&] { return owner.downs == 1; });
  EXPECT_EQ(owner.fault, Fault::os(Fault::Phase::connect, ECONNREFUSED));
  EXPECT_EQ(describe(owner.fault, {"127.0.0.1", 1}), "connect: connection refused");
  EXPECT_EQ(owner.ups, 0);
}

TEST_F(LinkTest, ReachesLocalhostOnEitherFamily) {
  for (const Address& at : {kV6, kV4}) {
    Server server(*own, at);
    Owner o;
    Link l(own->network(), o);
    l.dial({"localhost", server.port});
    run_until(*own, [&] { return o.ups == 1; });
    EXPECT_EQ(o.downs, 0);
  }
}

TEST_F(LinkTest, TheOwnerMayDestroyItFromAnyCall) {
  Server server(*own, kV4);
  server.echo = true;
  for (int when = 0; when < 3; ++when) {
    Owner o;
    bool gone = false;
    auto l = std::make_unique<Link>(own->network(), o);
    const auto destroy = [&] {
      l.reset();
      gone = true;
    };
    o.when_up = [&] {
      if (when == 0) return destroy();
      l->send(span_of("x"));
    };
    if (when == 1) o.when_bytes = destroy;
    o.when_down = destroy;
    if (when == 2) o.when_bytes = [&] { own->network().reactor.close(server.peers.back().id); };
    l->dial({"127.0.0.1", server.port});
    run_until(*own, [&] { return gone; });
  }
}

TEST_F(LinkTest, ANameThatCannotBeIsRefusedWithoutAsking) {
  for (const std::string host : {"", "127.1", "a..b", ".a", "a b"}) {
    Owner o;
    Link l(own->network(), o);
    l.dial({host, 80});
    EXPECT_EQ(o.downs, 0);
    run_until(*own, [&] { return o.downs == 1; });
    EXPECT_EQ(o.fault.phase, Fault::Phase::dns);
    EXPECT_EQ(describe(o.fault, {host, 80}), "dns: not a host name: " + host);
  }
}

TEST_F(LinkTest, AWantOfDescriptorsIsOurs) {
  for (const int error : {EMFILE, ENFILE}) {
    system_calls.socket = fail_with(error);
    Owner o;
    Link l(own->network(), o);
    l.dial({"localhost", 80});
    run_until(*own, [&] { return o.downs == 1; });
    EXPECT_EQ(o.fault, Fault::os(Fault::Phase::client, error));
    EXPECT_THAT(describe(o.fault, {"localhost", 80}), testing::StartsWith("client: too many open files"));
  }
}

TEST_F(LinkTest, AWantOfLocalPortsIsOurs) {
  system_calls.connect = fail_with(EADDRNOTAVAIL);  // the next one, which looks for a route, succeeds
  const Fault fault = fault_of({"127.0.0.1", 80});
  EXPECT_EQ(fault, Fault::os(Fault::Phase::client, EADDRNOTAVAIL));
  EXPECT_THAT(describe(fault, {"127.0.0.1", 80}), testing::StartsWith("client: no local port left"));
}

TEST_F(LinkTest, AFamilyThatThisHostLacksIsNotAWantOfPorts) {
  system_calls.connect = fail_with(EADDRNOTAVAIL, 2);
  EXPECT_EQ(fault_of({"::1", 80}), Fault::os(Fault::Phase::connect, EADDRNOTAVAIL));
}

TEST_F(LinkTest, AnErrorOfConnectItselfIsToldFromTheLoop) {
  system_calls.connect = fail_with(ENETUNREACH);
  const Fault fault = fault_of({"127.0.0.1", 80});
  EXPECT_EQ(describe(fault, {"127.0.0.1", 80}), "connect: network is unreachable");
}

TEST_F(LinkTest, OtherLinksAreServedWhileOneDialsAnewAgainAndAgain) {
  Server server(*own, kV4);
  Owner eager, other;
  std::unique_ptr<Link> again;
  int dials = 0;
  const auto dial = [&] {
    ++dials;
    system_calls.connect = fail_with(ENETUNREACH);
    again = std::make_unique<Link>(own->network(), eager);
    again->dial({"127.0.0.1", 80});
  };
  eager.when_down = dial;
  Link second(own->network(), other);
  second.dial({"127.0.0.1", server.port});
  dial();
  run_until(*own, [&] { return other.ups == 1; });
  EXPECT_LT(dials, 1'000);
  system_calls = {};
  again.reset();
}

// Where nobody listens, the kernel may pick the very port that is asked for as the local one: the connection is with itself.
TEST_F(LinkTest, AConnectionWithItselfIsARefusal) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage at;
  socklen_t size = fill_sockaddr(kV4, 0, at);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
  const std::uint16_t port = local_port(socket.get());
  size = fill_sockaddr(kV4, port, at);
  ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
  EXPECT_TRUE(is_connected_to_itself(socket.get(), kV4, port));
  Server server(*own, kV4);
  Connecting usual = start_connect(kV4, server.port);
  EXPECT_FALSE(is_connected_to_itself(usual.socket.get(), kV4, server.port));
  const std::uint16_t nobody = free_port(kV4);
  system_calls.connect = [&](int fd) -> std::optional<ssize_t> {
    const socklen_t length = fill_sockaddr(kV4, nobody, at);
    EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&at), length), 0);
    return std::nullopt;
  };
  EXPECT_EQ(fault_of({"127.0.0.1", nobody}), Fault::os(Fault::Phase::connect, ECONNREFUSED));
  EXPECT_EQ(owner.ups, 0);
}

TEST_F(LinkTest, AZoneIsHeeded) {
  Server server(*own, kV6);
  link.dial({"::1%lo", server.port});
  run_until(*own, [&] { return owner.ups + owner.downs > 0; });
  EXPECT_EQ(owner.ups, 1) << describe(owner.fault, {"::1%lo", server.port});
}

TEST_F(LinkTest, TheSocketHasNoDelayAndNothingElseSet) {
  const Connecting made = start_connect(kV4, free_port(kV4));
  const Fd plain(::socket(AF_INET, SOCK_STREAM, 0));
  const auto option = [](int fd, int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    getsockopt(fd, level, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(made.socket.get(), IPPROTO_TCP, TCP_NODELAY), 1);
  for (const int name : {SO_KEEPALIVE, SO_REUSEADDR, SO_SNDBUF, SO_RCVBUF, SO_LINGER})
    EXPECT_EQ(option(made.socket.get(), SOL_SOCKET, name), option(plain.get(), SOL_SOCKET, name)) << name;
  EXPECT_NE(fcntl(made.socket.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(fcntl(made.socket.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(LinkTest, AResetIsToldAndBytesBeforeItAreNotLost) {
  Server server(*own, kV4);
  link.dial({"127.0.0.1", server.port});
  run_until(*own, [&] { return owner.ups == 1 && server.peers.size() == 1; });
  own->network().reactor.send(server.peers[0].id, span_of("last words"));
  own->network().reactor.close(server.peers[0].id, true);
  run_until(*own, [&] { return owner.downs == 1; });
  EXPECT_EQ(owner.bytes, "last words");
  EXPECT_EQ(owner.fault, Fault::os(Fault::Phase::receive, ECONNRESET));
  EXPECT_EQ(describe(owner.fault, {}), "receive: connection reset by peer");
  EXPECT_FALSE(link.is_up());
  EXPECT_EQ(link.send(span_of("x")).state, SendOutcome::State::failed);
}

TEST_F(LinkTest, EveryPhaseHasWords) {
  using Phase = Fault::Phase;
  for (const auto& [phase, error, words] : {std::tuple{Phase::connect, ETIMEDOUT, "connect: connection timed out"},
                                            {Phase::connect, EHOSTUNREACH, "connect: no route to host"},
                                            {Phase::send, EPIPE, "send: broken pipe"},
                                            {Phase::receive, ECONNRESET, "receive: connection reset by peer"},
                                            {Phase::tls, ECONNRESET, "tls: connection reset by peer"},
                                            {Phase::client, EADDRINUSE, "client: address already in use"},
                                            {Phase::receive, EIO, "receive: input/output error"},
                                            {Phase::connect, 9999, "connect: error 9999"}})
    EXPECT_EQ(describe(Fault::os(phase, error), {"h", 1}), words);
}

TEST(Address, TextIsReadStrictlyAndWrittenBack) {
  for (const char* good : {"127.0.0.1", "0.0.0.0", "::", "::1", "fe80::1%lo", "2001:db8::8:800:200c:417a", "::ffff:10.0.0.1"})
    EXPECT_EQ(format_address(parse_address(good).value()), good);
  EXPECT_EQ(parse_address("fe80::1%1"), parse_address("fe80::1%lo"));
  for (const std::string bad : {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4%lo", "[::1]", "::1%", "::1%nosuch0", "::1%0",
                                ":::", "localhost", "1.2.3.4 ", "::1%lo%lo"})
    EXPECT_FALSE(parse_address(bad)) << bad;
  EXPECT_FALSE(parse_address(std::string_view("127.0.0.1\0x", 11)));
}

}  // namespace
}  // namespace thrum::net
