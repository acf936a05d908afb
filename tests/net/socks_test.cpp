// The conversation with a SOCKS 5 server, whole and in single bytes; what is refused, and in which words.
#include "net/socks.hpp"

#include <gmock/gmock.h>

namespace thrum::net {
namespace {

using namespace std::string_literals;
using State = Tunnel::State;

struct Talk {
  State state = State::talking;
  std::string said;
  Fault fault;
  std::size_t left = 0;
};

// Feeds the server's bytes in pieces of `size`; stops when the tunnel is open or refused.
Talk talk(Tunnel& tunnel, std::string_view server, std::size_t size) {
  Talk t;
  Tunnel::Step step = tunnel.begin();
  t.said += step.say;
  t.state = step.state, t.fault = step.fault;
  while (t.state == State::talking && !server.empty()) {
    step = tunnel.received(std::span(server.data(), std::min(size, server.size())));
    t.said += step.say;
    t.state = step.state, t.fault = step.fault;
    server.remove_prefix(step.used);
    if (step.used == 0 && step.state == State::talking) ADD_FAILURE() << "it is stuck";
  }
  t.left = server.size();
  return t;
}

const Endpoint kShop{"shop.test", 8080, false, {}};
const std::string kOpen = "\5\0\0\1\1\2\3\4\0\x50"s;

TEST(Socks, AsksByNameOrByAddress) {
  const Address v4 = Address::v4(0x0a000007), v6 = Address::loopback_v6();
  for (const std::size_t size : {1u, 2u, 100u}) {
    const Talk name = talk(*make_socks_tunnel(kShop, nullptr, {}), "\5\0"s + kOpen, size);
    EXPECT_EQ(name.state, State::open);
    EXPECT_EQ(name.said, "\5\1\0"s + "\5\1\0\3\x9shop.test\x1f\x90"s);
    EXPECT_EQ(talk(*make_socks_tunnel(kShop, &v4, {}), "\5\0"s + kOpen, size).said, "\5\1\0"s + "\5\1\0\1\x0a\0\0\7\x1f\x90"s);
    EXPECT_EQ(talk(*make_socks_tunnel(kShop, &v6, {}), "\5\0"s + kOpen, size).said,
              "\5\1\0"s + "\5\1\0\4"s + std::string(15, '\0') + "\1\x1f\x90"s);
  }
}

TEST(Socks, LogsInWhenItIsAsked) {
  const SocksLogin login{"me", "secret"};
  for (const std::size_t size : {1u, 100u}) {
    EXPECT_EQ(talk(*make_socks_tunnel(kShop, nullptr, login), "\5\2\1\0"s + kOpen, size).said,
              "\5\2\0\2"s + "\1\2me\6secret"s + "\5\1\0\3\x9shop.test\x1f\x90"s);
    EXPECT_EQ(talk(*make_socks_tunnel(kShop, nullptr, login), "\5\0"s + kOpen, size).said, "\5\2\0\2"s + "\5\1\0\3\x9shop.test\x1f\x90"s);
  }
}

TEST(Socks, RepliesOfEachLengthLeaveWhatFollows) {
  for (const std::string& reply :
       {"\5\0\0\1\1\2\3\4\0\x50"s, "\5\0\0\3\3abc\0\x50"s, "\5\0\0\3\0\0\x50"s, "\5\0\0\4"s + std::string(18, 'x')}) {
    const auto tunnel = make_socks_tunnel(kShop, nullptr, {});
    const Talk t = talk(*tunnel, "\5\0"s + reply + "rest", 1000);
    EXPECT_EQ(t.state, State::open);
    EXPECT_EQ(t.left, 4u);
  }
}

TEST(Socks, RefusalsHaveWords) {
  const struct {
    std::string server;
    bool has_login;
    std::string_view words;
  } cases[] = {
      {"\5\xff"s, false, "proxy: the SOCKS server wants a user and a password, or another way to log in"},
      {"\5\2"s, false, "proxy: the SOCKS server wants a user and a password, or another way to log in"},
      {"\5\2\1\1"s, true, "proxy: the SOCKS server refused user and password"},
      {"\5\2\5\0"s, true, "proxy: the answer is not SOCKS 5"},
      {"HTTP/1.1 400 Bad Request\r\n"s, false, "proxy: the answer is not SOCKS 5"},
      {"\4\0"s, false, "proxy: the answer is not SOCKS 5"},
      {"\5\0\5\1\0\1\0\0\0\0\0\0"s, false, "proxy: general failure of the SOCKS server"},
      {"\5\0\5\2\0\1\0\0\0\0\0\0"s, false, "proxy: not allowed by the SOCKS server's rules"},
      {"\5\0\5\4\0\1\0\0\0\0\0\0"s, false, "proxy: host is unreachable for the SOCKS server"},
      {"\5\0\5\5\0\1\0\0\0\0\0\0"s, false, "proxy: the target refused the SOCKS server's connection"},
      {"\5\0\5\x7f\0\1\0\0\0\0\0\0"s, false, "proxy: the answer is not SOCKS 5"},
      {"\5\0\5\0\0\2\0\0\0\0\0\0"s, false, "proxy: the answer is not SOCKS 5"},
      {"\5\0\4\0\0\1\0\0\0\0\0\0"s, false, "proxy: the answer is not SOCKS 5"},
  };
  for (const auto& c : cases) {
    const auto login = c.has_login ? std::optional(SocksLogin{"u", "p"}) : std::nullopt;
    for (const std::size_t size : {1u, 100u}) {
      const Talk t = talk(*make_socks_tunnel(kShop, nullptr, login), c.server, size);
      EXPECT_EQ(t.state, State::refused) << c.words;
      EXPECT_EQ(describe(t.fault, kShop), c.words);
    }
  }
}

TEST(Socks, ANameThatHasNoRoomIsRefusedUnasked) {
  const Endpoint to{std::string(256, 'a'), 80, false, {}};
  const Tunnel::Step step = make_socks_tunnel(to, nullptr, {})->begin();
  EXPECT_EQ(step.state, State::refused);
  EXPECT_TRUE(step.say.empty());
  const Address v4 = Address::v4(1);
  EXPECT_EQ(make_socks_tunnel(to, &v4, {})->begin().state, State::talking);
}

}  // namespace
}  // namespace thrum::net
