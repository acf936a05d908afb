#include "tls_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "script.hpp"

namespace thrum::support {
namespace {

void must(bool fine, const char* what) {
  if (!fine) throw std::runtime_error(std::string("a test's TLS server: ") + what);
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

}  // namespace

Pem make_certificate(const std::vector<std::string>& names, int from_day, int to_day) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* x = X509_new();
  must(key != nullptr && x != nullptr, "no key");
  constexpr long kDay = 24 * 60 * 60;
  X509_set_version(x, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x), std::rand() + 1);
  X509_gmtime_adj(X509_getm_notBefore(x), from_day * kDay);
  X509_gmtime_adj(X509_getm_notAfter(x), to_day * kDay);
  X509_set_pubkey(x, key);
  X509_NAME* subject = X509_get_subject_name(x);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("thrum test"), -1, -1, 0);
  X509_set_issuer_name(x, subject);
  std::string list;
  for (const std::string& name : names) {
    const bool is_address = name.find_first_not_of("0123456789.") == std::string::npos;
    list += (list.empty() ? "" : ",") + std::string(is_address ? "IP:" : "DNS:") + name;
  }
  X509_EXTENSION* alternatives = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, list.c_str());
  must(alternatives != nullptr && X509_add_ext(x, alternatives, -1) == 1 && X509_sign(x, key, EVP_sha256()) > 0, "no certificate");
  X509_EXTENSION_free(alternatives);
  BIO* certificate_out = BIO_new(BIO_s_mem());
  BIO* key_out = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(certificate_out, x);
  PEM_write_bio_PrivateKey(key_out, key, nullptr, nullptr, 0, nullptr, nullptr);
  X509_free(x);
  EVP_PKEY_free(key);
  return {text_of(certificate_out), text_of(key_out)};
}

void show_identity(ssl_ctx_st* context, const Pem& identity) {
  BIO* in = BIO_new_mem_buf(identity.certificate.data(), static_cast<int>(identity.certificate.size()));
  X509* x = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  in = BIO_new_mem_buf(identity.key.data(), static_cast<int>(identity.key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  must(SSL_CTX_use_certificate(context, x) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1, "certificate and key don't fit");
  X509_free(x);
  EVP_PKEY_free(key);
}

int listen_on_loopback(std::uint16_t& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  must(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener, 1024) == 0, "no port");
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return listener;
}

TlsServer::TlsServer(const Pem& identity, TlsServerOptions options) : options_(std::move(options)) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's socket BIO knows no other way
  context_ = SSL_CTX_new(TLS_server_method());
  show_identity(context_, identity);
  listener_ = listen_on_loopback(port_);
  accepting_ = std::thread([this] { accept_all(); });
}

TlsServer::~TlsServer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (std::thread& t : threads_) t.join();
  ::close(listener_);
  SSL_CTX_free(context_);
}

std::vector<std::string> TlsServer::names() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

void TlsServer::accept_all() {
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (ending_ || fd < 0) {
      if (fd >= 0) ::close(fd);
      if (ending_) return;
      continue;
    }
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void TlsServer::serve(int fd) {
  SSL* ssl = SSL_new(context_);
  SSL_set_fd(ssl, fd);
  if (SSL_accept(ssl) == 1) {
    ++handshakes_;
    {
      const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
      const std::lock_guard lock(mutex_);
      names_.emplace_back(name == nullptr ? "" : name);
    }
    std::string in;
    char buffer[16 * 1024];
    for (bool goes_on = true; goes_on;) {
      const std::size_t end = in.find("\r\n\r\n");
      Seen seen;
      if (end != std::string::npos) seen.raw = in.substr(0, end + 4);
      const std::size_t size = end + 4 + std::strtoull(seen.header("Content-Length").c_str(), nullptr, 10);
      if (end == std::string::npos || in.size() < size) {
        const int n = SSL_read(ssl, buffer, sizeof buffer);
        if (n <= 0) break;
        in.append(buffer, static_cast<std::size_t>(n));
        continue;
      }
      ++requests_;
      const std::string answer = options_.answer ? options_.answer(in.substr(0, size)) : response(200, "ok");
      in.erase(0, size);
      if (SSL_write(ssl, answer.data(), static_cast<int>(answer.size())) <= 0) break;
      goes_on = !options_.ends_after_answer;
    }
    if (options_.ends_politely) SSL_shutdown(ssl);
  }
  SSL_free(ssl);
  ERR_clear_error();
  const std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  shutdown(fd, SHUT_WR);
  ::close(fd);
}

}  // namespace thrum::support
