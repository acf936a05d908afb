// Certificates that tests make: of another date, of an authority; and a folder to put them into.
#pragma once

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "net/tls.hpp"

namespace thrum::net {

// A folder of its own, gone with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "thrum-tls-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(const std::string& name = {}) const { return path_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline TlsIdentity identity_for(const std::vector<std::string>& names) {
  auto made = TlsIdentity::self_signed(names);
  EXPECT_TRUE(made) << made.error().text;
  return *made;
}

template <class T>
T* from_pem(const std::string& pem, T* (*read)(BIO*, T**, pem_password_cb*, void*)) {
  BIO* in = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  T* made = read(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  return made;
}

// A certificate and its key, taken apart and put together again.
struct Parts {
  explicit Parts(const TlsIdentity& identity)
      : certificate(from_pem(identity.certificate, PEM_read_bio_X509), X509_free),
        key(from_pem(identity.key, PEM_read_bio_PrivateKey), EVP_PKEY_free) {}
  TlsIdentity identity() const {
    BIO* out = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(out, certificate.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(out, &data);
    TlsIdentity made{std::string(data, static_cast<std::size_t>(size)), {}};
    BIO_reset(out);
    PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    made.key.assign(data, static_cast<std::size_t>(BIO_get_mem_data(out, &data)));
    BIO_free(out);
    return made;
  }
  std::unique_ptr<X509, void (*)(X509*)> certificate;
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key;
};

// The same certificate, valid between these days from now.
inline TlsIdentity dated(const TlsIdentity& identity, int from, int to) {
  const Parts parts(identity);
  constexpr long kDay = 24 * 60 * 60;
  X509_gmtime_adj(X509_getm_notBefore(parts.certificate.get()), from * kDay);
  X509_gmtime_adj(X509_getm_notAfter(parts.certificate.get()), to * kDay);
  X509_sign(parts.certificate.get(), parts.key.get(), EVP_sha256());
  return parts.identity();
}

// Signs others' certificates.
class Authority {
 public:
  explicit Authority(const std::string& name) : parts_(identity_for({name})) {
    X509* x = parts_.certificate.get();
    X509_EXTENSION_free(X509_delete_ext(x, X509_get_ext_by_NID(x, NID_basic_constraints, -1)));
    X509_EXTENSION_free(X509_delete_ext(x, X509_get_ext_by_NID(x, NID_key_usage, -1)));
    X509_EXTENSION_free(X509_delete_ext(x, X509_get_ext_by_NID(x, NID_ext_key_usage, -1)));
    X509_EXTENSION* ca = X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE");
    X509_add_ext(x, ca, -1);
    X509_EXTENSION_free(ca);
    X509_sign(x, parts_.key.get(), EVP_sha256());
  }
  std::string pem() const { return parts_.identity().certificate; }
  TlsIdentity sign(const TlsIdentity& identity) const {
    const Parts leaf(identity);
    X509* x = leaf.certificate.get();
    X509_set_issuer_name(x, X509_get_subject_name(parts_.certificate.get()));
    X509_EXTENSION_free(X509_delete_ext(x, X509_get_ext_by_NID(x, NID_ext_key_usage, -1)));  // servers' and clients' alike
    X509_sign(x, parts_.key.get(), EVP_sha256());
    return leaf.identity();
  }

 private:
  Parts parts_;
};

}  // namespace thrum::net
