// Links that do not go straight to their endpoint: over a unix socket, to another place, from an address of our choice.
#include "net/way.hpp"

#include <gmock/gmock.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "net/link.hpp"
#include "net/tls.hpp"
#include "peers.hpp"
#include "system_calls.hpp"

namespace thrum::net {
namespace {

const Address kV4 = Address::v4(0x7f000001), kV6 = Address::loopback_v6();
const Endpoint kNowhere{"no.such.name.invalid", 80};

// A folder for sockets, gone when the test is over.
struct Folder {
  Folder() { EXPECT_NE(mkdtemp(path.data()), nullptr); }
  ~Folder() {
    for (const std::string& name : made) ::unlink(name.c_str());
    ::rmdir(path.c_str());
  }
  std::string operator/(const std::string& name) { return made.emplace_back(path + "/" + name); }
  std::string path = "/tmp/thrum-way-XXXXXX";
  std::vector<std::string> made;
};

Fd listen_on_path(const std::string& path, int backlog) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  socklen_t size = sizeof at;
  if (path.starts_with('@')) {
    at.sun_path[0] = '\0';
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  }
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&at), size), 0) << path;
  EXPECT_EQ(::listen(fd.get(), backlog), 0);
  return fd;
}

class WayTest : public testing::Test {
 protected:
  void dial(const Endpoint& to, std::uint32_t turn = 0) {
    link.dial(to, &way, turn);
    EXPECT_EQ(owner.ups + owner.downs, 0) << "told from within dial()";
    run_until(*own, [&] { return owner.ups + owner.downs > 0; });
  }
  std::string words(const Endpoint& to) { return describe(owner.fault, to, &way); }

  HookedCalls hooks;
  Folder folder;
  std::unique_ptr<OwnNetwork> own = make_network();
  Owner owner;
  Way way;
  Link link{own->network(), owner};
};

TEST_F(WayTest, AUnixSocketCarriesBytesAndNoNameIsLookedUp) {
  Server server(*own, kV4);
  server.echo = true;
  for (const std::string& path : {folder / "s", "@thrum-way-test-" + std::to_string(::getpid())}) {
    const SocketId listener = own->network().reactor.listen(listen_on_path(path, 8), server);
    way.unix_path = path;
    Owner o;
    Link l(own->network(), o);
    l.dial(kNowhere, &way);
    run_until(*own, [&] { return o.ups + o.downs > 0; });
    ASSERT_EQ(o.ups, 1) << path << ": " << describe(o.fault, kNowhere, &way);
    EXPECT_FALSE(l.can_skip()) << "a unix socket can't drop bytes unread";
    EXPECT_EQ(l.times().dns_start, kNever);
    EXPECT_NE(l.times().connect_end, kNever);
    EXPECT_NE(l.send(span_of("hello")).state, SendOutcome::State::failed);
    run_until(*own, [&] { return o.bytes == "hello"; });
    own->network().reactor.close(listener);
  }
}

TEST_F(WayTest, AUnixSocketThatIsMissingOrForbiddenOrDeafIsNamed) {
  way.unix_path = folder / "none";
  dial(kNowhere);
  EXPECT_EQ(words(kNowhere), "connect: no such file or directory: " + way.unix_path);

  way.unix_path = folder / "deaf";
  listen_on_path(way.unix_path, 1).reset();
  Owner deaf;
  Link to_deaf(own->network(), deaf);
  to_deaf.dial(kNowhere, &way);
  run_until(*own, [&] { return deaf.downs == 1; });
  EXPECT_EQ(describe(deaf.fault, kNowhere, &way), "connect: connection refused, nobody listens on this socket: " + way.unix_path);

  system_calls.connect = fail_with(EACCES);  // root may connect to anything
  Owner forbidden;
  Link to_forbidden(own->network(), forbidden);
  to_forbidden.dial(kNowhere, &way);
  run_until(*own, [&] { return forbidden.downs == 1; });
  EXPECT_EQ(describe(forbidden.fault, kNowhere, &way), "connect: permission denied: " + way.unix_path);
}

// TCP would send its SYN again; a unix socket says EAGAIN and leaves it to us.
TEST_F(WayTest, AUnixSocketWithAFullQueueIsTriedAgain) {
  Server server(*own, kV4);
  way.unix_path = folder / "full";
  Fd listener = listen_on_path(way.unix_path, 0);
  std::vector<Fd> fillers;
  for (int error = 0; error == 0;) {
    Connecting filler = start_connect(way.unix_path);
    error = filler.error;
    if (error == 0) fillers.push_back(std::move(filler.socket));
    ASSERT_TRUE(error == 0 || error == EAGAIN);
  }
  link.dial(kNowhere, &way);
  for (int i = 0; i < 3; ++i) own->turn(own->network().timers.next());
  EXPECT_EQ(owner.ups + owner.downs, 0);
  const SocketId id = own->network().reactor.listen(std::move(listener), server);
  run_until(*own, [&] { return owner.ups == 1; });
  own->network().reactor.close(id);
}

TEST_F(WayTest, ConnectionsGoToEachPlaceInTurn) {
  Server a(*own, kV4), b(*own, kV6);
  way.places = {{"127.0.0.1", a.port}, {"::1", b.port}};
  std::deque<Owner> owners(4);
  std::deque<Link> links;
  for (std::uint32_t turn = 0; turn < 4; ++turn) links.emplace_back(own->network(), owners[turn]).dial(kNowhere, &way, turn);
  run_until(*own,
            [&] { return std::ranges::all_of(owners, [](const Owner& o) { return o.ups == 1; }) && a.peers.size() + b.peers.size() == 4; });
  EXPECT_EQ(a.peers.size(), 2u);
  EXPECT_EQ(b.peers.size(), 2u);
}

TEST_F(WayTest, ANameThatFailsIsThePlacesOwn) {
  way.places = {{"a..b", 1}, {"c..d", 2}};
  dial(kNowhere, 3);
  EXPECT_EQ(words(kNowhere), "dns: not a host name: c..d");
}

TEST(LinkFrom, LeavesFromTheGivenAddressesInTurn) {
  const auto own =
      make_network({.dns = {}, .tls = {}, .local_addresses = {Address::v4(0x7f000002), Address::v4(0x7f000003)}, .first_turn = 1});
  Server server(*own, kV4);
  std::deque<Owner> owners(4);
  std::deque<Link> links;
  std::vector<std::string> from;
  server.when_accepted = [&](Server::Peer& p) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    getpeername(own->network().reactor.descriptor(p.id), reinterpret_cast<sockaddr*>(&peer), &size);
    from.push_back(format_address(*address_of(reinterpret_cast<sockaddr*>(&peer))));
  };
  for (Owner& o : owners) {
    links.emplace_back(own->network(), o).dial({"127.0.0.1", server.port});
    run_until(*own, [&] { return o.ups == 1; });
  }
  run_until(*own, [&] { return from.size() == 4; });
  EXPECT_EQ(from, (std::vector<std::string>{"127.0.0.3", "127.0.0.2", "127.0.0.3", "127.0.0.2"}));
}

TEST(LinkFrom, NoAddressOfTheTargetsFamilyIsSaid) {
  const auto own = make_network({.dns = {}, .tls = {}, .local_addresses = {kV6}});
  Owner owner;
  Link link(own->network(), owner);
  const Endpoint to{"127.0.0.1", 80};
  link.dial(to);
  run_until(*own, [&] { return owner.downs == 1; });
  EXPECT_EQ(describe(owner.fault, to), "connect: no IPv4 address to send from among those of -laddr");
}

// The ports of one address are used up: the next address has its own.
TEST(LinkFrom, AnAddressWithoutPortsIsPassedOver) {
  const HookedCalls hooks;
  const auto own = make_network({.dns = {}, .tls = {}, .local_addresses = {Address::v4(0x7f000002), Address::v4(0x7f000003)}});
  Server server(*own, kV4);
  system_calls.connect = fail_with(EADDRNOTAVAIL);
  Owner owner;
  Link link(own->network(), owner);
  link.dial({"127.0.0.1", server.port});
  run_until(*own, [&] { return owner.ups + owner.downs > 0; });
  EXPECT_EQ(owner.ups, 1);
  Owner none;
  Link last(own->network(), none);
  system_calls.connect = fail_with(EADDRNOTAVAIL, 2);
  last.dial({"127.0.0.1", server.port});
  run_until(*own, [&] { return none.downs == 1; });
  EXPECT_EQ(none.fault, Fault::os(Fault::Phase::client, EADDRNOTAVAIL));
}

// A proxy of its own language: it wants to hear "in?\n" and says "yes\n".
class PolitelyAsking final : public Tunnel {
 public:
  Step begin() override { return {State::talking, "in?\n"}; }
  Step received(std::span<const char> bytes) override {
    std::size_t used = 0;
    while (used < bytes.size() && (heard_.empty() || heard_.back() != '\n')) heard_ += bytes[used++];
    if (heard_ == "yes\n") return {State::open, {}, used};
    if (heard_.ends_with('\n')) return Step::refused(Fault{Fault::Phase::proxy, Fault::Source::answer, 403});
    return {State::talking, {}, used};
  }

 private:
  std::string heard_;
};

class TunnelTest : public WayTest {
 protected:
  TunnelTest() {
    way.is_proxied = true;
    way.tunnel = [](const Endpoint&, const Address*) { return std::make_unique<PolitelyAsking>(); };
  }
};

TEST_F(TunnelTest, LeadsToTheEndpointWhoseNameTheProxyKnows) {
  Server proxy(*own, kV4);
  way.places = {{"127.0.0.1", proxy.port}};
  link.dial(kNowhere, &way);
  run_until(*own, [&] { return proxy.peers.size() == 1 && proxy.peers[0].bytes == "in?\n"; });
  EXPECT_EQ(owner.ups, 0);
  EXPECT_NE(link.times().proxy_start, kNever);
  EXPECT_EQ(link.times().connect_end, kNever);
  Server::Peer& peer = proxy.peers[0];
  own->network().reactor.send(peer.id, span_of("ye"));
  settle(*own);
  own->network().reactor.send(peer.id, span_of("s\n"));
  run_until(*own, [&] { return owner.ups == 1; });
  EXPECT_TRUE(link.can_skip());
  EXPECT_EQ(link.times().dns_start, kNever);
  EXPECT_GE(link.times().connect_end, link.times().proxy_start);
  link.send(span_of("hello"));
  run_until(*own, [&] { return peer.bytes == "in?\nhello"; });
  own->network().reactor.send(peer.id, span_of("world"));
  run_until(*own, [&] { return owner.bytes == "world"; });
  own->network().reactor.close(peer.id);
  run_until(*own, [&] { return owner.downs == 1; });
  EXPECT_EQ(owner.fault, Fault{}) << "what happens behind an open tunnel is the endpoint's";
}

struct Unwilling {
  const char* name;
  std::string answer;
  bool ends;
  std::string words;
};

TEST_F(TunnelTest, AProxyThatIsUnwillingIsSaidToBe) {
  const Unwilling cases[] = {
      {"refuses", "no\n", false, "proxy: answered with status 403"},
      {"says more than it was asked", "yes\nand more", false, "proxy: the answer is not one of an HTTP proxy"},
      {"hangs up", "", true, "proxy: connection closed before the proxy let it through"},
      {"hangs up half-way", "ye", true, "proxy: connection closed before the proxy let it through"},
  };
  for (const Unwilling& c : cases) {
    Server proxy(*own, kV4);
    proxy.when_accepted = [&](Server::Peer& p) {
      own->network().reactor.send(p.id, span_of(c.answer));
      if (c.ends) own->network().reactor.close(p.id);
    };
    way.places = {{"127.0.0.1", proxy.port}};
    Owner o;
    Link l(own->network(), o);
    l.dial(kNowhere, &way);
    run_until(*own, [&] { return o.downs == 1; });
    EXPECT_EQ(o.ups, 0) << c.name;
    EXPECT_EQ(describe(o.fault, kNowhere, &way), c.words) << c.name;
  }
}

TEST_F(TunnelTest, WhatFailsOnTheWayToTheProxyIsTheProxys) {
  way.places = {{"127.0.0.1", free_port(kV4)}};
  dial(kNowhere);
  EXPECT_TRUE(owner.fault.at_proxy);
  EXPECT_EQ(words(kNowhere), "proxy: connect: connection refused");
  way.places = {{"a..b", 1}};
  Owner unknown;
  Link to_unknown(own->network(), unknown);
  to_unknown.dial(kNowhere, &way);
  run_until(*own, [&] { return unknown.downs == 1; });
  EXPECT_EQ(describe(unknown.fault, kNowhere, &way), "proxy: dns: not a host name: a..b");
}

TEST_F(TunnelTest, GetsTheEndpointsAddressIfItNeedsOne) {
  Server proxy(*own, kV4);
  way.places = {{"127.0.0.1", proxy.port}};
  way.needs_address = true;
  std::optional<Address> asked_for;
  way.tunnel = [&](const Endpoint&, const Address* address) {
    if (address != nullptr) asked_for = *address;
    return std::make_unique<PolitelyAsking>();
  };
  link.dial({"::1", 80}, &way);
  run_until(*own, [&] { return asked_for.has_value(); });
  EXPECT_EQ(asked_for, kV6);
  Owner o;
  Link unknown(own->network(), o);
  const Endpoint nobody{"a..b", 80};
  unknown.dial(nobody, &way);
  run_until(*own, [&] { return o.downs == 1; });
  EXPECT_EQ(describe(o.fault, nobody, &way), "dns: not a host name: a..b") << "the target's name, not the proxy's";
}

// A proxy that speaks TLS, and behind it an endpoint that does, in one: it echoes what comes through both.
struct TlsInTls : ListenHandler {
  struct Peer : SocketHandler, TlsStream::Owner {
    struct Inner : TlsStream::Owner {
      void on_tls_up() override {}
      void on_tls_bytes(std::span<const char> b) override {
        waiting.append(b.begin(), b.end());
        if (!stream->is_sending()) on_tls_sent();
      }
      void on_tls_sent() override {
        const std::string next = std::exchange(waiting, {});
        if (!next.empty()) stream->send(next);
      }
      void on_tls_down(const Fault&) override { down = true; }
      std::unique_ptr<TlsStream> stream;
      std::string waiting;
      bool down = false;
    };
    void on_connected(int) override {}
    void on_received(std::span<char> b) override { outer->received(b); }
    void on_skipped(std::size_t) override {}
    void on_sent() override { outer->sent(); }
    void on_end(int e) override { outer->ended(e); }
    void on_tls_up() override {}
    void on_tls_bytes(std::span<const char> b) override {
      if (inner.stream) return inner.stream->received(b);
      asked.append(b.begin(), b.end());
      if (asked != "in?\n") return;
      inner.stream = all->server_inside->open(all->reactor, socket, inner);
      inner.stream->lie_within(*outer);
      outer->send(span_of("yes\n"));
      inner.stream->start();
    }
    void on_tls_sent() override {
      if (inner.stream) inner.stream->sent();
    }
    void on_tls_down(const Fault&) override { all->reactor.close(socket); }
    TlsInTls* all = nullptr;
    SocketId socket;
    std::unique_ptr<TlsStream> outer;
    Inner inner;
    std::string asked;
  };
  explicit TlsInTls(OwnNetwork& own) : reactor(own.network().reactor) {
    server = std::move(*TlsServer::create(*TlsIdentity::self_signed({"127.0.0.1"})));
    server_inside = std::move(*TlsServer::create(*TlsIdentity::self_signed({"shop.test"}), {"h2"}));
    auto socket = listen_on(kV4, 0);
    port = local_port(socket->get());
    listener = reactor.listen(std::move(*socket), *this);
  }
  ~TlsInTls() override {
    reactor.close(listener);
    for (const Peer& p : peers) reactor.close(p.socket);
  }
  void on_accepted(Fd socket) override {
    Peer& p = peers.emplace_back();
    p.all = this;
    p.socket = reactor.adopt(std::move(socket), p, false);
    p.outer = server->open(reactor, p.socket, p);
    p.outer->start();
  }
  void on_accept_error(int) override {}
  Reactor& reactor;
  std::unique_ptr<TlsServer> server, server_inside;
  SocketId listener;
  std::uint16_t port = 0;
  std::deque<Peer> peers;
};

TEST(TunnelTls, CarriesTlsWithinTls) {
  NetworkOptions options;
  options.tls.verify = false;
  const auto own = make_network(options);
  own->network().tls.offer({"h2", "http/1.1"});
  TlsInTls proxy(*own);
  Way way;
  way.is_proxied = way.proxy_tls = true;
  way.places = {{"127.0.0.1", proxy.port}};
  way.tunnel = [](const Endpoint&, const Address*) { return std::make_unique<PolitelyAsking>(); };
  const Endpoint shop{"shop.test", 443, true, {}};
  Owner owner;
  Link link(own->network(), owner);
  link.dial(shop, &way);
  run_until(*own, [&] { return owner.ups + owner.downs > 0; });
  ASSERT_EQ(owner.ups, 1) << describe(owner.fault, shop, &way);
  EXPECT_EQ(link.protocol(), "h2") << "the endpoint's, not the proxy's";
  EXPECT_FALSE(link.can_skip());
  const std::string big(3 << 20, 'x');  // more than sockets hold
  ASSERT_NE(link.send(span_of("head"), span_of(big)).state, SendOutcome::State::failed);
  run_until(*own, [&] { return owner.bytes.size() == 4 + big.size(); });
  EXPECT_EQ(owner.bytes, "head" + big);
  link.close();
  run_until(*own, [&] { return proxy.peers[0].inner.down; });
  EXPECT_EQ(owner.downs, 0);
}

TEST(TunnelTls, ACertificateOfTheProxysIsTheProxys) {
  const auto own = make_network();
  TlsInTls proxy(*own);
  Way way;
  way.is_proxied = way.proxy_tls = true;
  way.places = {{"127.0.0.1", proxy.port}};
  Owner owner;
  Link link(own->network(), owner);
  link.dial(kNowhere, &way);
  run_until(*own, [&] { return owner.downs == 1; });
  EXPECT_THAT(describe(owner.fault, kNowhere, &way), testing::StartsWith("proxy: tls: certificate signed by unknown authority"));
}

}  // namespace
}  // namespace thrum::net
