#include "net/tls_files.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/text.hpp"

namespace thrum::net {
namespace {

namespace fs = std::filesystem;

struct BioDelete {
  void operator()(BIO* b) const { BIO_free(b); }
};
using Bio = std::unique_ptr<BIO, BioDelete>;
struct X509Delete {
  void operator()(X509* x) const { X509_free(x); }
};
using Certificate = std::unique_ptr<X509, X509Delete>;
struct KeyDelete {
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
};
using Key = std::unique_ptr<EVP_PKEY, KeyDelete>;

// Where distributions keep one file with all roots; the first that is there is taken.
constexpr const char* kBundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Alpine, Arch
    "/etc/pki/tls/certs/ca-bundle.crt",                   // Red Hat, Fedora
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Red Hat, newer
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",                                  // Alpine, BSDs
};
// Where they keep one file for each.
constexpr const char* kFolders[] = {"/etc/ssl/certs", "/etc/pki/tls/certs"};
constexpr std::uintmax_t kMaxFile = 64 << 20;

Bio open_memory(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// No prompt on a terminal: an encrypted key is an error.
int no_password(char*, int, int, void*) { return -1; }

Expected<void> add_folder(RootIndex& index, const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    if (!entry.is_regular_file(ignored) || entry.file_size(ignored) > kMaxFile) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    (void)index.add(text, entry.path(), RootIndex::Care::index);  // what else lies there is none of our business
  }
  if (error) return failure(folder + ": " + lower(error.message()));
  return {};
}

}  // namespace

bool is_end_of_pem() {
  const unsigned long e = ERR_peek_last_error();
  const bool is_end = ERR_GET_LIB(e) == ERR_LIB_PEM && ERR_GET_REASON(e) == PEM_R_NO_START_LINE;
  if (is_end) ERR_clear_error();
  return is_end;
}

std::string library_text(const std::string& what) {
  const unsigned long code = ERR_peek_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return what + ": " + (reason == nullptr ? "not readable as PEM" : reason);
}

Expected<std::string> read_pem(const std::string& file, const std::string& what) {
  const auto fail = [&](const std::string& why) {
    const std::string near = nearest_file(file);
    return failure(what + " " + printable(file) + ": " + why + (near.empty() ? "" : "; did you mean " + printable(near) + "?"));
  };
  std::error_code error;
  if (fs::is_directory(file, error)) return failure(what + " " + printable(file) + ": is a directory, not a PEM file");
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(lower(std::strerror(errno)));
  std::string text;
  char part[16 * 1024];
  while (in.read(part, sizeof part) || in.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFile) return failure(what + " " + printable(file) + ": too large to be a PEM file");
  }
  return text;
}

RootPlaces RootPlaces::of_environment() { return {std::getenv("SSL_CERT_FILE"), std::getenv("SSL_CERT_DIR"), {}}; }

Expected<void> add_roots(RootIndex& index, const std::string& file, RootIndex::Care care) {
  const auto text = read_pem(file, "root certificates");
  if (!text) return std::unexpected(text.error());
  const auto count = index.add(*text, "root certificates " + printable(file), care);
  if (!count) return std::unexpected(count.error());
  if (*count == 0) return failure("root certificates " + printable(file) + ": no certificate in it (PEM with BEGIN CERTIFICATE is needed)");
  return {};
}

Expected<void> add_system_roots(RootIndex& index, const RootPlaces& places) {
  const auto is_set = [](const char* s) { return s != nullptr && *s != '\0'; };
  if (is_set(places.file)) {
    if (auto ok = add_roots(index, places.file, RootIndex::Care::index); !ok) return failure("SSL_CERT_FILE: " + ok.error().text);
  }
  if (is_set(places.directories)) {
    for (std::string_view list = places.directories; !list.empty();) {
      const std::size_t end = std::min(list.find(':'), list.size());
      if (end > 0) {
        if (auto ok = add_folder(index, std::string(list.substr(0, end))); !ok) return failure("SSL_CERT_DIR: " + ok.error().text);
      }
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }
  if (is_set(places.file) || is_set(places.directories)) return {};
  for (const char* bundle : kBundles) {
    const std::string path = places.root + bundle;
    if (std::error_code error; fs::exists(path, error)) {
      if (add_roots(index, path, RootIndex::Care::index)) return {};
    }
  }
  for (const char* folder : kFolders) (void)add_folder(index, places.root + folder);
  return {};
}

Expected<void> use_identity(SSL_CTX* context, const TlsIdentity& identity, const std::string& cert_name, const std::string& key_name) {
  ERR_clear_error();
  const Bio certs = open_memory(identity.certificate);
  const Certificate own(PEM_read_bio_X509_AUX(certs.get(), nullptr, no_password, nullptr));
  if (own == nullptr) {
    if (is_end_of_pem()) return failure("certificate " + cert_name + ": no certificate in it (PEM with BEGIN CERTIFICATE is needed)");
    return failure(library_text("certificate " + cert_name));
  }
  if (SSL_CTX_use_certificate(context, own.get()) != 1) return failure(library_text("certificate " + cert_name));
  for (;;) {
    const Certificate next(PEM_read_bio_X509(certs.get(), nullptr, no_password, nullptr));
    if (next == nullptr) break;
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) return failure(library_text("certificate " + cert_name));
  }
  ERR_clear_error();
  const Bio keys = open_memory(identity.key);
  const Key key(PEM_read_bio_PrivateKey(keys.get(), nullptr, no_password, nullptr));
  if (key == nullptr) {
    if (identity.key.find("PRIVATE KEY-----") == std::string::npos)
      return failure("key " + key_name + ": no private key in it (PEM with BEGIN PRIVATE KEY is needed)");
    if (identity.key.find("ENCRYPTED") != std::string::npos) {
      ERR_clear_error();
      return failure("key " + key_name + ": is encrypted; a key without a password is needed (openssl pkey -in FILE -out PLAIN)");
    }
    return failure(library_text("key " + key_name));
  }
  if (X509_check_private_key(own.get(), key.get()) != 1 || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    ERR_clear_error();
    return failure("key " + key_name + ": does not belong to the certificate in " + cert_name);
  }
  return {};
}

}  // namespace thrum::net
