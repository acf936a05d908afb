// Attacks within bounds: neither a redirect nor a name that resolves elsewhere leads out of them.
#include <gmock/gmock.h>

#include "attack_run.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using support::response;
using support::Script;
using support::ScriptedServer;

class Bounds final : public Boundary {
 public:
  std::string host;  // the only one; empty: any
  bool allows_loopback = true;

  std::string host_fault(std::string_view asked) const override {
    return host.empty() || asked == host ? "" : "host " + std::string(asked) + " is out of bounds";
  }
  bool allows_address(std::span<const unsigned char> address) const override { return allows_loopback || address[0] != 127; }
};

TEST(AttackBoundary, ARedirectToAnotherHostIsNotFollowed) {
  ScriptedServer other(Script().answer(200, "ok").again());
  const std::string elsewhere = "http://localhost:" + std::to_string(other.port()) + "/x";
  ScriptedServer server(Script()
                            .request()
                            .reply([&](const support::Seen& seen) {
                              if (seen.target() == "/near") return response(200, "ok");
                              return response(302, "", "Location: " + (seen.target() == "/a" ? elsewhere : "/near") + "\r\n");
                            })
                            .again());
  Bounds bounds;
  bounds.host = "127.0.0.1";
  AttackOptions o = closed_attack(1, 4);
  o.boundary = &bounds;
  const Ran r = attack(o, get({server.url("/a"), server.url("/b")}));
  ASSERT_EQ(r.results.size(), 4U);
  EXPECT_EQ(r.results[0].outcome, Outcome::redirect);
  EXPECT_EQ(r.results[0].error, "redirect: host localhost is out of bounds");
  EXPECT_EQ(r.results[1].code, 200);
  EXPECT_EQ(r.results[3].code, 200);
  EXPECT_EQ(other.accepted(), 0U);
}

TEST(AttackBoundary, AnAddressOutOfBoundsIsNotConnectedTo) {
  ScriptedServer server(Script().answer(200, "ok").again());
  Bounds bounds;
  bounds.allows_loopback = false;
  AttackOptions o = closed_attack(1, 2);
  o.boundary = &bounds;
  const Ran r = attack(o, server.url("/"));
  ASSERT_EQ(r.results.size(), 2U);
  EXPECT_EQ(r.results[0].outcome, Outcome::connect);
  EXPECT_EQ(r.results[0].error, "connect: its address is outside of -allow-net");
  EXPECT_EQ(server.accepted(), 0U);
  bounds.allows_loopback = true;
  EXPECT_EQ(attack(o, server.url("/")).books().ok, 2U);
}

}  // namespace
}  // namespace thrum::load
