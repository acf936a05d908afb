// Links that do not go straight to their endpoint: over a unix socket, to another place, from an address of our choice.
#include "net/way.hpp"

#include <gmock/gmock.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>

#include "net/link.hpp"
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

}  // namespace
}  // namespace thrum::net
