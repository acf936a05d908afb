// What both sides' contexts have in common.
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/tls.hpp"
#include "net/tls_files.hpp"

namespace thrum::net {

void SslContextDelete::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
void SslSessionDelete::operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }

Expected<SslContext> make_ssl_context(const SSL_METHOD* method) {
  // Without the machine's openssl.cnf: the same everywhere, and a static binary can't load what it may name. Without the exit
  // handler: other threads may still be at work.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, nullptr);
  ERR_clear_error();
  SslContext context(SSL_CTX_new(method));
  if (context == nullptr) return failure(library_text("can't start TLS"));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // In the order of Go's and the browsers', where the library's own begins with AES-256: as safe for traffic, and cheaper.
  SSL_CTX_set_ciphersuites(context.get(), "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  return context;
}

TlsBuffers make_tls_buffers() {
  return {std::unique_ptr<char[]>(new char[2 * TlsBuffers::kPlain]), std::unique_ptr<char[]>(new char[TlsBuffers::kPlain]), {}};
}

std::string alpn_list(const std::vector<std::string>& protocols) {
  std::string list;
  for (const auto& name : protocols) {
    if (name.empty() || name.size() > 255) continue;
    list += static_cast<char>(name.size());
    list += name;
  }
  return list;
}

}  // namespace thrum::net
