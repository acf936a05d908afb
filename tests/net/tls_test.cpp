// Links over TLS against a server made of our own streams: versions, names, certificates, endings.
#include "net/tls.hpp"

#include <gmock/gmock.h>
#include <openssl/ssl.h>

#include <filesystem>
#include <fstream>
#include <list>

#include "peers.hpp"

namespace thrum::net {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const Address kV4 = Address::v4(0x7f000001);

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "thrum-tls-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

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

TlsIdentity identity_for(const std::vector<std::string>& names) {
  auto made = TlsIdentity::self_signed(names);
  EXPECT_TRUE(made) << made.error().text;
  return *made;
}

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

TEST(Tls, VerifiesAnAddressAndCarriesBytes) {
  const Folder folder;
  const TlsIdentity identity = identity_for({"localhost", "127.0.0.1", "::1"});
  const auto own = trusting(folder.write("root.pem", identity.certificate));
  TlsPeers server(*own, identity);
  server.when_bytes = [](TlsPeers::Peer& p) {
    p.stream->send(span_of(p.bytes));
    p.bytes.clear();
  };
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    Owner owner;
    Link link(own->network(), owner);
    link.dial({host, server.port, true});
    run_until(*own, [&] { return owner.ups + owner.downs > 0; });
    ASSERT_EQ(owner.ups, 1) << describe(owner.fault, {host, server.port, true});
    EXPECT_EQ(link.protocol(), "http/1.1");
    EXPECT_FALSE(link.can_skip());
    EXPECT_LE(link.times().connect_end, link.times().tls_start);
    EXPECT_LE(link.times().tls_start, link.times().tls_end);
    EXPECT_EQ(link.send(span_of("head"), span_of("body")).state, SendOutcome::State::done);
    run_until(*own, [&] { return owner.bytes == "headbody"; });
  }
}

}  // namespace
}  // namespace thrum::net
