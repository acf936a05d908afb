// Links over TLS against a server made of our own streams: versions, names, certificates, endings.
#include "net/tls.hpp"

#include <gmock/gmock.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <list>
#include <thread>

#include "certificates.hpp"
#include "net/tls_files.hpp"
#include "peers.hpp"

namespace thrum::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Address kV4 = Address::v4(0x7f000001);

// Accepts TLS and echoes, or does what `when_bytes` says.
struct TlsPeers : ListenHandler {
  struct Peer : SocketHandler, TlsStream::Owner {
    void on_connected(int) override {}
    void on_received(std::span<char> b) override { stream->received(b); }
    void on_skipped(std::size_t) override {}
    void on_sent() override { stream->sent(); }
    void on_end(int e) override { stream->ended(e); }
    void on_tls_up() override { up = true; }
    void on_tls_bytes(std::span<const char> b) override {
      bytes.append(b.begin(), b.end());
      if (all->when_bytes) all->when_bytes(*this);
    }
    void on_tls_sent() override { ++sents; }
    void on_tls_down(const Fault& f) override {
      down = true;
      fault = f;
      all->reactor.close(socket);
    }
    void close(bool politely) {
      stream->end(politely);
      all->reactor.close(socket);
    }
    TlsPeers* all = nullptr;
    SocketId socket;
    std::unique_ptr<TlsStream> stream;
    std::string bytes;
    bool up = false, down = false;
    int sents = 0;
    Fault fault;
  };

  TlsPeers(OwnNetwork& own, const TlsIdentity& identity) : reactor(own.network().reactor) {
    auto made = TlsServer::create(identity);
    EXPECT_TRUE(made) << made.error().text;
    server = std::move(*made);
    auto socket = listen_on(kV4, 0);
    port = local_port(socket->get());
    listener = reactor.listen(std::move(*socket), *this);
  }
  ~TlsPeers() override {
    reactor.close(listener);
    for (const Peer& p : peers) reactor.close(p.socket);
  }
  TlsPeers(const TlsPeers&) = delete;
  TlsPeers& operator=(const TlsPeers&) = delete;
  void on_accepted(Fd socket) override {
    Peer& p = peers.emplace_back();
    p.all = this;
    p.socket = reactor.adopt(std::move(socket), p, false);
    p.stream = server->open(reactor, p.socket, p);
    p.stream->start();
  }
  void on_accept_error(int) override {}

  Reactor& reactor;
  std::unique_ptr<TlsServer> server;
  SocketId listener;
  std::uint16_t port = 0;
  std::list<Peer> peers;
  std::function<void(Peer&)> when_bytes;
};

std::unique_ptr<OwnNetwork> with(const TlsOptions& tls) {
  NetworkOptions options;
  options.tls = tls;
  return make_network(options);
}

std::unique_ptr<OwnNetwork> trusting(const std::string& root) {
  TlsOptions tls;
  tls.root_cert_files = {root};
  return with(tls);
}

// A server written with the library's own sockets on a thread of its own: what it does owes nothing to our streams. One
// connection; `act` has it once it is accepted, before any handshake.
class ForeignServer {
 public:
  ForeignServer(const TlsIdentity& identity, std::function<void(SSL*)> act, const std::function<void(SSL_CTX*)>& set_up = {})
      : context_(made_context(identity)), listener_(std::move(*listen_on(kV4, 0))), port(local_port(listener_.get())) {
    if (set_up) set_up(context_.get());
    thread_ = std::thread([this, act = std::move(act)] {
      pollfd ready{listener_.get(), POLLIN, 0};
      while (::poll(&ready, 1, 10'000) == 1 && !stop_) {
        const Fd socket(::accept(listener_.get(), nullptr, nullptr));
        SSL* ssl = SSL_new(context_.get());
        SSL_set_fd(ssl, socket.get());
        act(ssl);
        SSL_free(ssl);
        ERR_clear_error();
      }
    });
  }
  ~ForeignServer() {
    stop_ = true;
    const Fd last = start_connect(kV4, port).socket;  // ends the accepting
    thread_.join();
  }
  ForeignServer(const ForeignServer&) = delete;
  ForeignServer& operator=(const ForeignServer&) = delete;

 private:
  static SslContext made_context(const TlsIdentity& identity) {
    auto context = make_ssl_context(TLS_server_method());
    EXPECT_TRUE(use_identity(context->get(), identity, "", ""));
    return std::move(*context);
  }
  SslContext context_;
  Fd listener_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;

 public:
  const std::uint16_t port;
};

// Dials and waits for what comes of it.
struct Dialled {
  Dialled(OwnNetwork& network, const Endpoint& to) : own(network), endpoint(to) {
    link.dial(to);
    run_until(own, [&] { return owner.ups + owner.downs > 0; });
  }
  std::string text() const { return describe(owner.fault, endpoint); }
  void until_down() {
    run_until(own, [&] { return owner.downs > 0; });
  }
  OwnNetwork& own;
  Endpoint endpoint;
  Owner owner;
  Link link{own.network(), owner};
};

TlsOptions insecure() {
  TlsOptions tls;
  tls.verify = false;
  return tls;
}

TEST(Tls, VerifiesNamesAndAddressesAndCarriesBytes) {
  const Folder folder;
  const TlsIdentity identity = identity_for({"localhost", "127.0.0.1", "::1"});
  const auto own = trusting(folder.write("root.pem", identity.certificate));
  TlsPeers server(*own, identity);
  server.when_bytes = [](TlsPeers::Peer& p) {
    p.stream->send(span_of(p.bytes));
    p.bytes.clear();
  };
  for (const std::string host : {"127.0.0.1", "localhost", "LOCALHOST."}) {
    Dialled d(*own, {host, server.port, true});
    ASSERT_EQ(d.owner.ups, 1) << d.text();
    EXPECT_EQ(d.link.protocol(), "http/1.1");
    EXPECT_FALSE(d.link.can_skip());
    EXPECT_LE(d.link.times().connect_end, d.link.times().tls_start);
    EXPECT_LE(d.link.times().tls_start, d.link.times().tls_end);
    EXPECT_EQ(d.link.send(span_of("head"), span_of("body")).state, SendOutcome::State::done);
    run_until(*own, [&] { return d.owner.bytes == "headbody"; });
    d.link.close();
    run_until(*own, [&] { return server.peers.back().down; });
    EXPECT_EQ(server.peers.back().fault, Fault{}) << "closed without close_notify";
  }
}

TEST(Tls, AnUnknownAuthorityIsRefusedWithTheCureInTheText) {
  const auto own = make_network();
  const TlsIdentity identity = identity_for({"127.0.0.1"});
  TlsPeers server(*own, identity);
  Dialled d(*own, {"127.0.0.1", server.port, true});
  EXPECT_EQ(d.owner.ups, 0);
  EXPECT_EQ(d.owner.fault.source, Fault::Source::certificate);
  EXPECT_THAT(d.text(), AllOf(HasSubstr("tls: certificate signed by unknown authority (x509: "), HasSubstr("-root-certs FILE"),
                              HasSubstr("-insecure")));
  run_until(*own, [&] { return server.peers.back().down; });
  EXPECT_THAT(describe(server.peers.back().fault, {}), HasSubstr("tls: remote error: unknown CA"));
}

TEST(Tls, InsecureTakesWhatItGets) {
  const auto own = with(insecure());
  TlsPeers server(*own, identity_for({"elsewhere.test"}));
  Dialled d(*own, {"127.0.0.1", server.port, true});
  EXPECT_EQ(d.owner.ups, 1) << d.text();
}

TEST(Tls, ANameOrAddressThatTheCertificateLacksIsRefused) {
  const Folder folder;
  const TlsIdentity identity = identity_for({"elsewhere.test", "127.0.0.9"});
  const auto own = trusting(folder.write("root.pem", identity.certificate));
  TlsPeers server(*own, identity);
  Dialled name(*own, {"localhost", server.port, true});
  EXPECT_THAT(name.text(), AllOf(HasSubstr("tls: certificate is not valid for localhost"), HasSubstr("x509")));
  Dialled ip(*own, {"127.0.0.1", server.port, true});
  EXPECT_THAT(ip.text(), AllOf(HasSubstr("tls: certificate is not valid for 127.0.0.1"), HasSubstr("x509")));
  Dialled as(*own, {"127.0.0.1", server.port, true, "elsewhere.test"});
  EXPECT_EQ(as.owner.ups, 1) << as.text();
}

TEST(Tls, DatesAreHeeded) {
  const Folder folder;
  for (const auto& [from, to, words] :
       {std::tuple{-20, -10, "tls: certificate has expired (x509"}, {10, 20, "tls: certificate is not yet valid (x509"}}) {
    const TlsIdentity identity = dated(identity_for({"127.0.0.1"}), from, to);
    const auto own = trusting(folder.write("root.pem", identity.certificate));
    TlsPeers server(*own, identity);
    Dialled d(*own, {"127.0.0.1", server.port, true});
    EXPECT_THAT(d.text(), HasSubstr(words));
  }
}

TEST(Tls, AChainIsFollowedToAnyCertificateOfAnyRootFile) {
  const Folder folder;
  const Authority root("root"), other("other");
  const TlsIdentity leaf = root.sign(identity_for({"127.0.0.1"}));
  const std::string two = folder.write("two.pem", "a comment\n" + other.pem() + "\nmore\n" + root.pem());
  TlsOptions tls;
  tls.root_cert_files = {folder.write("other.pem", other.pem()), two};
  const auto own = with(tls);
  TlsPeers server(*own, leaf);
  Dialled d(*own, {"127.0.0.1", server.port, true});
  EXPECT_EQ(d.owner.ups, 1) << d.text();
  tls.root_cert_files.pop_back();
  const auto without = with(tls);
  TlsPeers again(*without, leaf);
  EXPECT_THAT(Dialled(*without, {"127.0.0.1", again.port, true}).text(), HasSubstr("unknown authority"));
}

TEST(Tls, SpeaksTls12And13AndNothingOlder) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const auto own = with(insecure());
    std::atomic<int> seen = 0;
    ForeignServer server(
        identity_for({"x"}),
        [&](SSL* ssl) {
          if (SSL_accept(ssl) != 1) return;
          seen = SSL_version(ssl);
          SSL_write(ssl, "hi", 2);
          SSL_shutdown(ssl);
        },
        [&](SSL_CTX* c) { SSL_CTX_set_max_proto_version(c, version); });
    Dialled d(*own, {"127.0.0.1", server.port, true});
    EXPECT_EQ(d.owner.ups, 1) << d.text();
    d.until_down();
    EXPECT_EQ(d.owner.bytes, "hi");
    EXPECT_EQ(d.owner.fault, Fault{});
    EXPECT_EQ(seen, version);
  }
  const auto own = with(insecure());
  ForeignServer old(
      identity_for({"x"}), [](SSL* ssl) { SSL_accept(ssl); },
      [](SSL_CTX* c) {
        SSL_CTX_set_security_level(c, 0);
        SSL_CTX_set_min_proto_version(c, TLS1_VERSION);
        SSL_CTX_set_max_proto_version(c, TLS1_1_VERSION);
      });
  EXPECT_EQ(Dialled(*own, {"127.0.0.1", old.port, true}).text(), "tls: remote error: protocol version");
}

TEST(Tls, ThePeerIsNamedWithoutPortAndAddressesAreNot) {
  const auto own = with(insecure());
  for (const auto& [host, name, sni] : {std::tuple{"localhost", "", "localhost"},
                                        {"localhost.", "", "localhost"},
                                        {"127.0.0.1", "", ""},
                                        {"localhost", "api.test", "api.test"},
                                        {"localhost", "api.test:8443", "api.test"},
                                        {"127.0.0.1", "api.test", "api.test"},
                                        {"localhost", "[::1]:8443", ""}}) {
    std::string seen = "?";
    ForeignServer server(identity_for({"x"}), [&](SSL* ssl) {
      if (SSL_accept(ssl) != 1) return;
      const char* text = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
      seen = text == nullptr ? "" : text;
      SSL_shutdown(ssl);
    });
    Dialled d(*own, {host, server.port, true, name});
    d.until_down();
    EXPECT_EQ(seen, sni) << host << ' ' << name;
  }
}

TEST(Tls, HowTheStreamEndsIsTold) {
  const auto own = with(insecure());
  enum class End { in_order, cut, reset };
  for (const End end : {End::in_order, End::cut, End::reset}) {
    ForeignServer server(identity_for({"x"}), [&](SSL* ssl) {
      if (SSL_accept(ssl) != 1) return;
      char byte;
      SSL_read(ssl, &byte, 1);
      SSL_write(ssl, "body", 4);
      if (end == End::in_order) SSL_shutdown(ssl);
      if (end == End::reset) {
        SSL_read(ssl, &byte, 1);
        const linger hard{1, 0};
        setsockopt(SSL_get_fd(ssl), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
      }
    });
    Dialled d(*own, {"127.0.0.1", server.port, true});
    ASSERT_EQ(d.owner.ups, 1) << d.text();
    d.link.send(span_of("x"));
    if (end == End::reset) {
      run_until(*own, [&] { return d.owner.bytes == "body"; });
      d.link.send(span_of("y"));
    }
    d.until_down();
    EXPECT_EQ(d.owner.bytes, "body");
    switch (end) {
      case End::in_order:
        EXPECT_EQ(d.owner.fault, Fault{});
        break;
      case End::cut:
        EXPECT_EQ(d.owner.fault, Fault::other(Fault::Phase::receive, Fault::kTruncated));
        EXPECT_EQ(d.text(), "receive: connection closed without TLS close_notify");
        break;
      case End::reset:
        EXPECT_EQ(d.owner.fault, Fault::os(Fault::Phase::receive, ECONNRESET));
        break;
    }
  }
}

TEST(Tls, AHandshakeThatBreaksIsTold) {
  const auto own = with(insecure());
  {
    ForeignServer server(identity_for({"x"}), [](SSL* ssl) {
      char hello[5];
      EXPECT_EQ(::recv(SSL_get_fd(ssl), hello, sizeof hello, MSG_WAITALL), 5);
      ::shutdown(SSL_get_fd(ssl), SHUT_WR);
      while (::recv(SSL_get_fd(ssl), hello, sizeof hello, 0) > 0) {
      }
    });
    EXPECT_EQ(Dialled(*own, {"127.0.0.1", server.port, true}).text(), "tls: connection closed during the handshake");
  }
  {
    ForeignServer server(identity_for({"x"}), [](SSL* ssl) {
      const linger hard{1, 0};
      setsockopt(SSL_get_fd(ssl), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
      char hello[5];
      EXPECT_EQ(::recv(SSL_get_fd(ssl), hello, sizeof hello, MSG_WAITALL), 5);
    });
    EXPECT_EQ(Dialled(*own, {"127.0.0.1", server.port, true}).text(), "tls: connection reset by peer");
  }
  {
    ForeignServer server(identity_for({"x"}), [](SSL* ssl) {
      const std::string plain = "HTTP/1.1 400 Bad Request\r\n\r\n";
      EXPECT_EQ(::send(SSL_get_fd(ssl), plain.data(), plain.size(), MSG_NOSIGNAL), static_cast<ssize_t>(plain.size()));
      char rest[100];
      while (::recv(SSL_get_fd(ssl), rest, sizeof rest, 0) > 0) {
      }
    });
    EXPECT_THAT(Dialled(*own, {"127.0.0.1", server.port, true}).text(), HasSubstr("not TLS (does the server speak plain http"));
  }
}

TEST(Tls, AClientCertificateIsGivenWhenAsked) {
  const Folder folder;
  const Authority root("clients");
  const TlsIdentity client = root.sign(identity_for({"me"}));
  const std::string cert = folder.write("cert.pem", client.certificate), key = folder.write("key.pem", client.key);
  const std::string both = folder.write("both.pem", client.key + client.certificate);
  const auto demand = [&](SSL_CTX* c) {
    EXPECT_EQ(SSL_CTX_load_verify_locations(c, folder.write("clients.pem", root.pem()).c_str(), nullptr), 1);
    SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  };
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ForeignServer server(
        identity_for({"x"}),
        [](SSL* ssl) {
          if (SSL_accept(ssl) != 1) return;
          SSL_write(ssl, "welcome", 7);
          SSL_shutdown(ssl);
        },
        [&](SSL_CTX* c) {
          demand(c);
          SSL_CTX_set_max_proto_version(c, version);
        });
    for (const auto& [cert_file, key_file] : {std::pair{cert, key}, {both, std::string()}}) {
      TlsOptions tls = insecure();
      tls.cert_file = cert_file;
      tls.key_file = key_file;
      const auto own = with(tls);
      Dialled d(*own, {"127.0.0.1", server.port, true});
      d.until_down();
      EXPECT_EQ(d.owner.bytes, "welcome") << d.text();
    }
    const auto own = with(insecure());
    Dialled d(*own, {"127.0.0.1", server.port, true});
    d.until_down();
    EXPECT_EQ(d.owner.bytes, "");
    EXPECT_EQ(d.text(), version == TLS1_3_VERSION ? "tls: remote error: certificate required (give one with -cert)"
                                                  : "tls: remote error: handshake failure");
  }
}

TEST(Tls, AKeyUpdateIsAnswered) {
  const auto own = with(insecure());
  ForeignServer server(identity_for({"x"}), [](SSL* ssl) {
    if (SSL_accept(ssl) != 1) return;
    for (int i = 0; i < 3; ++i) {
      SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED);
      SSL_write(ssl, "ping", 4);
      char word[4];
      EXPECT_EQ(SSL_read(ssl, word, 4), 4);
      EXPECT_EQ(std::string(word, 4), "pong");
    }
    SSL_shutdown(ssl);
  });
  Owner owner;
  Link link(own->network(), owner);
  owner.when_bytes = [&] {
    if (owner.bytes.size() % 4 == 0) link.send(span_of("pong"));
  };
  link.dial({"127.0.0.1", server.port, true});
  run_until(*own, [&] { return owner.downs > 0; });
  EXPECT_EQ(owner.bytes, "pingpingping");
  EXPECT_EQ(owner.fault, Fault{}) << describe(owner.fault, {});
}

// The refusal is something that reading makes the library say: it leaves though nothing else is sent.
TEST(Tls, ARenegotiationIsRefusedAndHarmless) {
  const auto own = with(insecure());
  ForeignServer server(
      identity_for({"x"}),
      [](SSL* ssl) {
        if (SSL_accept(ssl) != 1) return;
        SSL_renegotiate(ssl);
        SSL_do_handshake(ssl);
        pollfd ready{SSL_get_fd(ssl), POLLIN, 0};
        if (::poll(&ready, 1, 5'000) != 1) return;
        char refusal[100];
        const ssize_t n = ::recv(SSL_get_fd(ssl), refusal, sizeof refusal, MSG_PEEK);
        if (n > 0 && refusal[0] == SSL3_RT_ALERT) SSL_write(ssl, "seen", 4);
      },
      [](SSL_CTX* c) {
        SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION);
        SSL_CTX_clear_options(c, SSL_OP_NO_RENEGOTIATION);
      });
  Dialled d(*own, {"127.0.0.1", server.port, true});
  ASSERT_EQ(d.owner.ups, 1) << d.text();
  d.until_down();
  EXPECT_EQ(d.owner.bytes, "seen") << d.text();
}

TEST(Tls, SessionsAreResumedOnlyWhenAsked) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION})
    for (const bool tickets : {false, true}) {
      TlsOptions tls = insecure();
      tls.session_tickets = tickets;
      const auto own = with(tls);
      std::vector<bool> resumed;
      ForeignServer server(
          identity_for({"x"}),
          [&](SSL* ssl) {
            if (SSL_accept(ssl) != 1) return;
            resumed.push_back(SSL_session_reused(ssl) == 1);
            SSL_write(ssl, "x", 1);  // TLS 1.3 tickets come with it
            SSL_shutdown(ssl);
          },
          [&](SSL_CTX* c) { SSL_CTX_set_max_proto_version(c, version); });
      for (int i = 0; i < 3; ++i) Dialled(*own, {"127.0.0.1", server.port, true}).until_down();
      EXPECT_THAT(resumed, testing::ElementsAre(false, tickets, tickets)) << version;
    }
}

TEST(Tls, LargeBodiesGoBothWays) {
  const auto own = with(insecure());
  TlsPeers server(*own, identity_for({"x"}));
  std::string body(8'000'000, '\0'), answer(5'000'000, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 7 + i / 1000);
  for (std::size_t i = 0; i < answer.size(); ++i) answer[i] = static_cast<char>(i * 13 + i / 777);
  server.when_bytes = [&](TlsPeers::Peer& p) {
    if (p.bytes.size() == body.size() + 4) p.stream->send({}, span_of(answer));
  };
  Dialled d(*own, {"127.0.0.1", server.port, true});
  ASSERT_EQ(d.link.send(span_of("head"), span_of(body)).state, SendOutcome::State::pending);
  EXPECT_TRUE(d.link.is_sending());
  run_until(*own, [&] { return d.owner.bytes.size() >= answer.size(); });
  EXPECT_EQ(d.owner.sents, 1);
  EXPECT_FALSE(d.link.is_sending());
  EXPECT_TRUE(server.peers.back().bytes == "head" + body);
  EXPECT_TRUE(d.owner.bytes == answer);
  EXPECT_EQ(server.peers.back().sents, 1);
}

TEST(Tls, TheOwnerMayCloseOrDestroyFromAnyCall) {
  const auto own = with(insecure());
  TlsPeers server(*own, identity_for({"x"}));
  server.when_bytes = [](TlsPeers::Peer& p) { p.stream->send(span_of(p.bytes)); };
  for (const bool destroy : {false, true})
    for (const bool at_once : {false, true}) {
      Owner owner;
      auto link = std::make_unique<Link>(own->network(), owner);
      bool over = false;
      const auto end = [&] {
        destroy ? link.reset() : link->close();
        over = true;
      };
      const std::string much(100'000, 'x');  // several records: the rest of them goes nowhere
      owner.when_up = [&] { at_once ? end() : void(link->send(span_of(much))); };
      owner.when_bytes = end;
      link->dial({"127.0.0.1", server.port, true});
      run_until(*own, [&] { return over; });
      const std::size_t got = owner.bytes.size();
      settle(*own);
      EXPECT_EQ(owner.bytes.size(), got);
      EXPECT_EQ(owner.downs, 0);
    }
}

TEST(Tls, AlpnIsOfferedAndChosen) {
  const TlsIdentity identity = identity_for({"x"});
  for (const auto& [offer, chosen] : {std::pair{std::vector<std::string>{"h2", "http/1.1"}, "http/1.1"}, {{"h2"}, ""}, {{}, ""}}) {
    const auto own = with(insecure());
    own->network().tls.offer(offer);
    TlsPeers server(*own, identity);
    Dialled d(*own, {"127.0.0.1", server.port, true});
    EXPECT_EQ(d.owner.ups, 1) << d.text();
    EXPECT_EQ(d.link.protocol(), chosen);
  }
}

}  // namespace
}  // namespace thrum::net
