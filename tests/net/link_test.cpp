// Links over plain TCP, end to end on the reactor: literals and local names, both families, what breaks and how it is told.
#include "net/link.hpp"

#include <gmock/gmock.h>

#include "peers.hpp"

namespace thrum::net {
namespace {

const Address kV4 = Address::v4(0x7f000001), kV6 = Address::loopback_v6();

class LinkTest : public testing::Test {
 protected:
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

}  // namespace
}  // namespace thrum::net
