#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <string>
#include <utility>

#include "base/text.hpp"
#include "net/address.hpp"
#include "net/tls.hpp"
#include "net/tls_files.hpp"

namespace thrum::net {
namespace {

constexpr std::size_t kMaxSessions = 10'000;

// The name to be proven by the peer: without a port, a final dot or a zone, none of which a certificate knows.
std::string peer_name(const Endpoint& endpoint) {
  std::string name = endpoint.server_name.empty() ? endpoint.host : endpoint.server_name;
  if (name.starts_with('[') && name.find(']') != name.npos) name = name.substr(1, name.find(']') - 1);
  if (const std::size_t colon = name.find(':'); colon != name.npos && name.find(':', colon + 1) == name.npos) name.resize(colon);
  if (const std::size_t percent = name.find('%'); percent != name.npos) name.resize(percent);
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool expect_peer(SSL* ssl, const std::string& name) {
  if (parse_address(name)) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1;
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, name.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

Expected<SslContext> make_client_context(const TlsOptions& options, RootIndex::Care care) {
  auto made = make_ssl_context(TLS_client_method());
  if (!made) return made;
  SSL_CTX* context = made->get();
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  // Any certificate that is trusted ends a chain, not only one signed by itself: what a person puts into -root-certs may be
  // the server's own.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  auto roots = std::make_unique<RootIndex>();
  // Files that were asked for are read even if nothing is verified: a wrong name is a mistake in either case.
  for (const auto& file : options.root_cert_files)
    if (auto ok = add_roots(*roots, file, care); !ok) return std::unexpected(ok.error());
  if (options.verify && options.root_cert_files.empty())
    if (auto ok = add_system_roots(*roots, RootPlaces::of_environment()); !ok) return std::unexpected(ok.error());
  if (!RootIndex::attach(std::move(roots), store)) return failure(library_text("can't start TLS"));
  if (options.cert_file.empty() && !options.key_file.empty())
    return failure("key " + printable(options.key_file) + ": a key without a certificate (-cert)");
  if (!options.cert_file.empty()) {
    const std::string& key_file = options.key_file.empty() ? options.cert_file : options.key_file;
    const auto identity = TlsIdentity::load(options.cert_file, options.key_file);
    if (!identity) return std::unexpected(identity.error());
    if (auto ok = use_identity(context, *identity, printable(options.cert_file), printable(key_file)); !ok)
      return std::unexpected(ok.error());
  }
  SSL_CTX_set_verify(context, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  return made;
}

}  // namespace

TlsClient::TlsClient(TlsOptions options) : options_(std::move(options)) {}
TlsClient::~TlsClient() = default;

Expected<void> TlsClient::check(const TlsOptions& options) {
  const auto made = make_client_context(options, RootIndex::Care::decode);
  if (!made) return std::unexpected(made.error());
  return {};
}

Expected<void> TlsClient::load() {
  if (!is_loaded_) {
    is_loaded_ = true;
    context_ = make_client_context(options_, RootIndex::Care::index);
    buffers_ = make_tls_buffers();
    if (context_) set_up_sessions();
  }
  if (!context_) return std::unexpected(context_.error());
  return {};
}

void TlsClient::set_up_sessions() {
  if (options_.session_tickets) {
    SSL_CTX_set_session_cache_mode(context_->get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context_->get(), on_new_session);
  } else {
    SSL_CTX_set_session_cache_mode(context_->get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context_->get(), SSL_OP_NO_TICKET);
  }
}

std::unique_ptr<TlsStream> TlsClient::open(Reactor& reactor, SocketId socket, const Endpoint& endpoint, TlsStream::Owner& owner) {
  if (!load()) return nullptr;
  return open(reactor, socket, endpoint, owner, protocols_, buffers_);
}

std::unique_ptr<TlsStream> TlsClient::open_outer(Reactor& reactor, SocketId socket, const Endpoint& proxy, TlsStream::Owner& owner) {
  if (!load()) return nullptr;
  if (outer_buffers_.plain == nullptr) outer_buffers_ = make_tls_buffers();
  return open(reactor, socket, proxy, owner, {"http/1.1"}, outer_buffers_);
}

std::unique_ptr<TlsStream> TlsClient::open(Reactor& reactor, SocketId socket, const Endpoint& endpoint, TlsStream::Owner& owner,
                                           const std::vector<std::string>& protocols, TlsBuffers& buffers) {
  ERR_clear_error();
  Ssl ssl(SSL_new(context_->get()));
  const std::string name = peer_name(endpoint);
  if (ssl == nullptr || !expect_peer(ssl.get(), name)) return nullptr;
  if (const std::string list = alpn_list(protocols); !list.empty())
    SSL_set_alpn_protos(ssl.get(), reinterpret_cast<const unsigned char*>(list.data()), static_cast<unsigned>(list.size()));
  SSL_set_connect_state(ssl.get());
  if (options_.session_tickets) resume_session(ssl.get(), name + ':' + std::to_string(endpoint.port));
  return std::make_unique<TlsStream>(std::move(ssl), reactor, socket, buffers, owner);
}

// A place for the peer's next ticket is the SSL's application data; what lies there is used. A TLS 1.3 ticket serves once
// (RFC 8446 appendix C.4).
void TlsClient::resume_session(SSL* ssl, const std::string& peer) {
  auto at = sessions_.find(peer);
  if (at == sessions_.end()) {
    if (sessions_.size() >= kMaxSessions) return;
    at = sessions_.emplace(peer, nullptr).first;
  }
  SSL_set_app_data(ssl, &at->second);
  if (at->second == nullptr) return;
  SSL_set_session(ssl, at->second.get());
  if (SSL_SESSION_get_protocol_version(at->second.get()) >= TLS1_3_VERSION) at->second.reset();
}

int TlsClient::on_new_session(SSL* ssl, SSL_SESSION* session) {
  auto* place = static_cast<SslSession*>(SSL_get_app_data(ssl));
  if (place == nullptr) return 0;
  place->reset(session);
  return 1;  // the reference is ours now
}

}  // namespace thrum::net
