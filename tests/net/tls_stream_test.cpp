// Two streams joined by a wire that a test can cut anywhere: whatever the pieces and the waits, the same bytes arrive.
#include "net/tls_stream.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "certificates.hpp"

namespace thrum::net {
namespace {

// A reactor of one direction each: what is sent lies on the wire until the test takes it; two sends of three are pending.
class Wire final : public Reactor {
 public:
  explicit Wire(std::mt19937& random) : random_(random) {}

  SendOutcome send(SocketId id, std::span<const char> head, std::span<const char> body) override {
    EXPECT_FALSE(is_sending(id)) << "sent amid a pending send";
    auto& w = ways[id.slot];
    w.bytes.insert(w.bytes.end(), head.begin(), head.end());
    w.bytes.insert(w.bytes.end(), body.begin(), body.end());
    ++w.sends;
    w.is_pending = random_() % 3 != 0;
    return {w.is_pending ? SendOutcome::State::pending : SendOutcome::State::done, 0};
  }
  bool is_sending(SocketId id) const override { return ways[id.slot].is_pending; }

  Io io() const override { return Io::epoll; }
  SocketId adopt(Fd, SocketHandler&, bool) override { return {}; }
  SocketId listen(Fd, ListenHandler&) override { return {}; }
  void skip(SocketId, std::uint64_t) override {}
  void pause(SocketId) override {}
  void resume(SocketId) override {}
  void shutdown_write(SocketId) override {}
  void close(SocketId, bool) override {}
  int descriptor(SocketId) const override { return -1; }
  void watch(int, WatchHandler&, bool, bool) override {}
  int wait(Instant) override { return 0; }
  void wake() override {}

  struct Way {
    std::deque<char> bytes;
    bool is_pending = false;
    int sends = 0;
  };
  Way ways[2];

 private:
  std::mt19937& random_;
};

struct End : TlsStream::Owner {
  void on_tls_up() override { ++ups; }
  void on_tls_bytes(std::span<const char> b) override { bytes.append(b.begin(), b.end()); }
  void on_tls_sent() override {
    EXPECT_FALSE(stream->is_sending());
    EXPECT_FALSE(way->is_pending) << "told before all had left";
    ++sents;
  }
  void on_tls_down(const Fault& f) override {
    ++downs;
    fault = f;
  }
  std::unique_ptr<TlsStream> stream;
  const Wire::Way* way = nullptr;
  std::string bytes;
  int ups = 0, downs = 0, sents = 0;
  Fault fault;
};

class TlsStreamTest : public testing::TestWithParam<unsigned> {
 protected:
  TlsStreamTest() {
    TlsOptions options;
    options.verify = false;
    client_side.emplace(options);
    server_side = std::move(*TlsServer::create(identity_for({"x"})));
    client.stream = client_side->open(wire, {0, 0}, {"x", 1, true}, client);
    server.stream = server_side->open(wire, {1, 0}, server);
    client.way = &wire.ways[0];
    server.way = &wire.ways[1];
    client.stream->start();
    server.stream->start();
  }
  // Moves a piece of what lies on a wire to its other end, or ends a pending send. False: nothing to move.
  bool move(unsigned way) {
    auto& w = wire.ways[way];
    if (w.is_pending && (w.bytes.empty() || random() % 4 == 0)) {
      w.is_pending = false;
      (way == 0 ? client : server).stream->sent();
      return true;
    }
    if (w.bytes.empty()) return false;
    const std::size_t n = std::min<std::size_t>(w.bytes.size(), random() % 3 == 0 ? 1 + random() % 7 : 1 + random() % 40'000);
    const std::vector<char> piece(w.bytes.begin(), w.bytes.begin() + static_cast<std::ptrdiff_t>(n));
    w.bytes.erase(w.bytes.begin(), w.bytes.begin() + static_cast<std::ptrdiff_t>(n));
    (way == 0 ? server : client).stream->received(piece);
    return true;
  }
  void settle() {
    while (move(random() % 2) || move(0) || move(1)) {
    }
  }

  std::mt19937 random{GetParam()};
  Wire wire{random};
  std::optional<TlsClient> client_side;
  std::unique_ptr<TlsServer> server_side;
  End client, server;
};

TEST_P(TlsStreamTest, CarriesTheSameBytesInWhateverPieces) {
  while (client.ups + server.ups < 2) ASSERT_TRUE(move(0) || move(1));  // what follows the handshake is still on its way
  ASSERT_EQ(client.ups, 1);
  ASSERT_EQ(server.ups, 1);
  std::string from_client, from_server;
  int waits = 0;
  for (int i = 0; i < 30; ++i) {
    End& end = random() % 2 == 0 ? client : server;
    std::string head(random() % 3 == 0 ? 0 : random() % 20'000, static_cast<char>('a' + i % 26));
    const std::string body(random() % 3 == 0 ? 0 : random() % 600'000, static_cast<char>('A' + i % 26));
    (&end == &client ? from_client : from_server) += head + body;
    const int before = end.sents;
    const auto outcome = end.stream->send({head.data(), head.size()}, {body.data(), body.size()});
    head.assign(head.size(), '?');  // the head is not ours to keep
    ASSERT_NE(outcome.state, SendOutcome::State::failed);
    if (outcome.state == SendOutcome::State::pending) {
      ++waits;
      EXPECT_TRUE(end.stream->is_sending());
      while (end.stream->is_sending()) ASSERT_TRUE(move(random() % 2) || move(0) || move(1));
      EXPECT_EQ(end.sents, before + 1);
    }
    if (random() % 2 == 0) settle();
  }
  settle();
  EXPECT_GT(waits, 0);
  EXPECT_TRUE(server.bytes == from_client);
  EXPECT_TRUE(client.bytes == from_server);
  client.stream->end(true);
  settle();
  EXPECT_EQ(server.downs, 1);
  EXPECT_EQ(server.fault, Fault{});
  EXPECT_EQ(client.downs, 0);
}

TEST_P(TlsStreamTest, ADamagedByteBreaksItAndNothingElse) {
  settle();
  const std::string words(50'000, 'w');
  const auto outcome = client.stream->send({words.data(), words.size()});
  ASSERT_NE(outcome.state, SendOutcome::State::failed);
  auto& bytes = wire.ways[0].bytes;
  const std::size_t at = random() % bytes.size();
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
  settle();
  server.stream->ended(0);
  client.stream->ended(0);
  EXPECT_EQ(server.downs, 1);
  EXPECT_EQ(client.downs, 1);
  EXPECT_NE(server.fault, Fault{});
  EXPECT_LE(server.bytes.size(), words.size());
  EXPECT_TRUE(words.starts_with(server.bytes));
}

TEST_P(TlsStreamTest, ASmallRequestLeavesInOneSend) {
  settle();
  const int before = wire.ways[0].sends;
  const std::string head = "POST / HTTP/1.1\r\n\r\n", body = "body";
  ASSERT_NE(client.stream->send({head.data(), head.size()}, {body.data(), body.size()}).state, SendOutcome::State::failed);
  EXPECT_EQ(wire.ways[0].sends, before + 1);
  // One record: five bytes of header, the content, its type (TLS 1.3), the tag of sixteen (RFC 8446 section 5.2).
  EXPECT_EQ(wire.ways[0].bytes.size(), 5 + head.size() + body.size() + 1 + 16);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TlsStreamTest, testing::Range(0u, 20u));

}  // namespace
}  // namespace thrum::net
