// TLS by OpenSSL for one thread: the contexts that its connections share. Nothing here is touched by two threads.
//
// The client's side loads nothing until the first TLS link needs it: the system's roots cost milliseconds and megabytes.
// An attack that will need them calls load() before it starts, and learns there what is wrong with its files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/fault.hpp"
#include "net/tls_stream.hpp"
#include "thrum/attacker.hpp"  // TlsOptions
#include "thrum/error.hpp"

struct ssl_ctx_st;
struct ssl_session_st;

namespace thrum::net {

struct SslContextDelete {
  void operator()(ssl_ctx_st* context) const;
};
using SslContext = std::unique_ptr<ssl_ctx_st, SslContextDelete>;
struct SslSessionDelete {
  void operator()(ssl_session_st* session) const;
};
using SslSession = std::unique_ptr<ssl_session_st, SslSessionDelete>;

class TlsClient {
 public:
  explicit TlsClient(TlsOptions options);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  // What is wrong with the files that `options` names, if anything is: for before an attack. Looks closer than load() does.
  static Expected<void> check(const TlsOptions& options);
  // Loads roots and certificates, once; later calls give the first one's outcome.
  Expected<void> load();
  // What to offer in ALPN, dearest first; none: no ALPN. Before the first connection. "http/1.1" unless set.
  void offer(std::vector<std::string> protocols) { protocols_ = std::move(protocols); }

  // The stream of a connected socket whose peer is `endpoint`; null when load() fails. The handshake begins with start().
  std::unique_ptr<TlsStream> open(Reactor& reactor, SocketId socket, const Endpoint& endpoint, TlsStream::Owner& owner);
  // The same with a proxy, to which HTTP/1.1 is spoken: the stream to the endpoint lies within it.
  std::unique_ptr<TlsStream> open_outer(Reactor& reactor, SocketId socket, const Endpoint& proxy, TlsStream::Owner& owner);

 private:
  std::unique_ptr<TlsStream> open(Reactor& reactor, SocketId socket, const Endpoint& endpoint, TlsStream::Owner& owner,
                                  const std::vector<std::string>& protocols, TlsBuffers& buffers);
  void set_up_sessions();
  void resume_session(ssl_st* ssl, const std::string& peer);
  static int on_new_session(ssl_st* ssl, ssl_session_st* session);

  TlsOptions options_;
  std::vector<std::string> protocols_{"http/1.1"};
  bool is_loaded_ = false;
  Expected<SslContext> context_;
  TlsBuffers buffers_;
  TlsBuffers outer_buffers_;                    // a stream's own while that within it is at work
  std::map<std::string, SslSession> sessions_;  // by name and port; only with session tickets
};

// A certificate with its chain, and its key, in PEM.
struct TlsIdentity {
  std::string certificate, key;

  // `key_file` empty: the key is in `cert_file`.
  static Expected<TlsIdentity> load(const std::string& cert_file, const std::string& key_file);
  // Made here and now: ECDSA P-256, valid for 30 days, for these names and IP addresses, signed by itself.
  static Expected<TlsIdentity> self_signed(const std::vector<std::string>& names);
};

class TlsServer {
 public:
  // Takes the first protocol of `protocols` that the client offers in ALPN.
  static Expected<std::unique_ptr<TlsServer>> create(const TlsIdentity& identity, const std::vector<std::string>& protocols = {"http/1.1"});
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  // The stream of an accepted socket; null when there is no memory. The handshake begins with start().
  std::unique_ptr<TlsStream> open(Reactor& reactor, SocketId socket, TlsStream::Owner& owner);
  ssl_ctx_st* native() { return context_.get(); }

 private:
  TlsServer(SslContext context, std::string protocols);

  SslContext context_;
  std::string protocols_;  // as ALPN's wire format has them
  TlsBuffers buffers_;
};

}  // namespace thrum::net
