// Certificates and keys from files into OpenSSL's contexts, with errors that name the file and what would be right.
#pragma once

#include <openssl/ssl.h>

#include <string>

#include "net/root_index.hpp"
#include "net/tls.hpp"

namespace thrum::net {

// Where a system keeps the roots that it trusts. Paths are taken below `root`, which only tests set.
struct RootPlaces {
  const char* file = nullptr;         // SSL_CERT_FILE: one bundle
  const char* directories = nullptr;  // SSL_CERT_DIR: a list, parted by colons
  std::string root;
  static RootPlaces of_environment();
};

// The bytes of a PEM file; `what` it is for goes into the error.
Expected<std::string> read_pem(const std::string& file, const std::string& what);
// Every certificate of the file; one without any is an error.
Expected<void> add_roots(RootIndex& index, const std::string& file, RootIndex::Care care);
// What the places hold. Nowhere a root is no error: every certificate is then signed by an unknown authority.
Expected<void> add_system_roots(RootIndex& index, const RootPlaces& places);
// The certificate that proves who we are, its chain and its key. The names are for errors: the files that they came from.
Expected<void> use_identity(SSL_CTX* context, const TlsIdentity& identity, const std::string& cert_name, const std::string& key_name);

// True if the library's last error is that a PEM text has nothing more to give; it is forgotten then.
bool is_end_of_pem();
// "<what>: <the library's reason>", and the library's errors are forgotten.
std::string library_text(const std::string& what);
// A context for `method` with what holds for both sides: TLS 1.2 and up, few buffers, no renegotiation.
Expected<SslContext> make_ssl_context(const SSL_METHOD* method);
TlsBuffers make_tls_buffers();
// ALPN's wire format (RFC 7301 section 3.1); names that are empty or too long are left out.
std::string alpn_list(const std::vector<std::string>& protocols);

}  // namespace thrum::net
