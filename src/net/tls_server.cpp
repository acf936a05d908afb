#include <openssl/err.h>

#include "net/tls.hpp"
#include "net/tls_files.hpp"

namespace thrum::net {
namespace {

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered, unsigned offered_size,
                    void* ours) {
  const auto& list = *static_cast<const std::string*>(ours);
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(list.data()), static_cast<unsigned>(list.size()), offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;  // go on without: an HTTP/1.1 client that offers something else still means HTTP/1.1
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

Expected<std::unique_ptr<TlsServer>> TlsServer::create(const TlsIdentity& identity, const std::vector<std::string>& protocols) {
  auto context = make_ssl_context(TLS_server_method());
  if (!context) return std::unexpected(context.error());
  if (auto ok = use_identity(context->get(), identity, "of the server", "of the server"); !ok) return std::unexpected(ok.error());
  return std::unique_ptr<TlsServer>(new TlsServer(std::move(*context), alpn_list(protocols)));
}

TlsServer::TlsServer(SslContext context, std::string protocols)
    : context_(std::move(context)), protocols_(std::move(protocols)), buffers_(make_tls_buffers()) {
  if (!protocols_.empty()) SSL_CTX_set_alpn_select_cb(context_.get(), choose_protocol, &protocols_);
}

TlsServer::~TlsServer() = default;

std::unique_ptr<TlsStream> TlsServer::open(Reactor& reactor, SocketId socket, TlsStream::Owner& owner) {
  ERR_clear_error();
  Ssl ssl(SSL_new(context_.get()));
  if (ssl == nullptr) return nullptr;
  SSL_set_accept_state(ssl.get());
  return std::make_unique<TlsStream>(std::move(ssl), reactor, socket, buffers_, owner);
}

}  // namespace thrum::net
