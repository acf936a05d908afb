#include "http/connect_tunnel.hpp"

#include <gmock/gmock.h>

namespace thrum::http {
namespace {

using State = net::Tunnel::State;

net::Tunnel::Step answered(std::string_view answer, std::size_t piece) {
  const auto tunnel = make_connect_tunnel("shop.test:443", "");
  tunnel->begin();
  net::Tunnel::Step step;
  std::size_t used = 0;
  while (step.state == State::talking && used < answer.size()) {
    step = tunnel->received(answer.substr(used, piece));
    used += step.used;
  }
  step.used = used;
  step.say = {};
  return step;
}

TEST(ConnectTunnel, SaysWhomItWants) {
  EXPECT_EQ(make_connect_tunnel("[::1]:443", "X-A: 1\r\nX-B: 2\r\n")->begin().say,
            "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\nX-A: 1\r\nX-B: 2\r\n\r\n");
}

TEST(ConnectTunnel, IsOpenAfterTheHeadOfA2xx) {
  for (const std::string_view head :
       {"HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200\r\nVia: p\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 204 x\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"}) {
    for (const std::size_t piece : {1u, 7u, 1000u}) {
      const auto step = answered(std::string(head) + "rest", piece);
      EXPECT_EQ(step.state, State::open) << head;
      EXPECT_EQ(step.used, head.size()) << head;
    }
  }
}

TEST(ConnectTunnel, AnythingElseIsRefused) {
  for (const int status : {301, 403, 407, 502}) {
    const auto step = answered("HTTP/1.1 " + std::to_string(status) + " Word\r\nContent-Length: 2\r\n\r\nno", 1000);
    EXPECT_EQ(step.state, State::refused);
    EXPECT_EQ(step.fault, (net::Fault{net::Fault::Phase::proxy, net::Fault::Source::answer, status}));
  }
  for (const std::string_view garbage : {"SSH-2.0-x\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "\5\0\0\0\0\0\0\0\0\0\0\0\r\n"})
    EXPECT_EQ(answered(garbage, 1000).fault, net::Fault::other(net::Fault::Phase::proxy, net::Fault::kNoProxyAnswer)) << garbage;
}

}  // namespace
}  // namespace thrum::http
