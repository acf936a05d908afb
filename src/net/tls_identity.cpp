// Certificates that prove who we are: from files, or made on the spot.
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <memory>
#include <optional>

#include "base/text.hpp"
#include "net/address.hpp"
#include "net/tls.hpp"
#include "net/tls_files.hpp"

namespace thrum::net {
namespace {

constexpr long kDaySeconds = 24 * 60 * 60;
constexpr int kDays = 30;
constexpr std::size_t kMaxCommonName = 64;  // RFC 5280 appendix A.1, ub-common-name

template <auto kFree>
struct Freed {
  template <class T>
  void operator()(T* p) const {
    kFree(p);
  }
};
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;

bool add_alternative(GENERAL_NAMES* list, const std::string& name) {
  std::unique_ptr<GENERAL_NAME, Freed<GENERAL_NAME_free>> entry(GENERAL_NAME_new());
  if (entry == nullptr) return false;
  const auto address = parse_address(name.substr(0, name.find('%')));
  ASN1_STRING* value = ASN1_STRING_type_new(address ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
  if (value == nullptr) return false;
  const int ok = address ? ASN1_STRING_set(value, address->bytes.data(), address->is_v6 ? 16 : 4)
                         : ASN1_STRING_set(value, name.data(), static_cast<int>(name.size()));
  GENERAL_NAME_set0_value(entry.get(), address ? GEN_IPADD : GEN_DNS, value);
  return ok == 1 && sk_GENERAL_NAME_push(list, entry.release()) > 0;
}

bool add_extension(X509* x, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, x, x, nullptr, nullptr, 0);
  const Extension e(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return e != nullptr && X509_add_ext(x, e.get(), -1) == 1;
}

// Not a CA, so that clients that refuse a CA as a server's own certificate take it too.
bool fill(X509* x, EVP_PKEY* key, const std::vector<std::string>& names) {
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof serial) != 1) return false;
  serial[0] &= 0x7f;  // positive (RFC 5280 section 4.1.2.2)
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_bin2bn(serial, sizeof serial, nullptr));
  const std::string common = names.empty() ? std::string("thrum") : names.front().substr(0, kMaxCommonName);
  X509_NAME* subject = X509_get_subject_name(x);
  const Names alternatives(GENERAL_NAMES_new());
  if (number == nullptr || alternatives == nullptr) return false;
  for (const auto& name : names)
    if (!add_alternative(alternatives.get(), name)) return false;
  return X509_set_version(x, X509_VERSION_3) == 1 && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(x)) != nullptr &&
         X509_gmtime_adj(X509_getm_notBefore(x), -60 * 60) != nullptr &&  // a client's clock may be a little behind
         X509_gmtime_adj(X509_getm_notAfter(x), kDays * kDaySeconds) != nullptr && X509_set_pubkey(x, key) == 1 &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1, 0) == 1 &&
         X509_set_issuer_name(x, subject) == 1 && add_extension(x, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(x, NID_key_usage, "critical,digitalSignature") && add_extension(x, NID_ext_key_usage, "serverAuth") &&
         add_extension(x, NID_subject_key_identifier, "hash") &&
         (names.empty() || X509_add1_ext_i2d(x, NID_subject_alt_name, alternatives.get(), 0, X509V3_ADD_DEFAULT) == 1) &&
         X509_sign(x, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Expected<TlsIdentity> TlsIdentity::load(const std::string& cert_file, const std::string& key_file) {
  const std::string& keys = key_file.empty() ? cert_file : key_file;
  auto certificate = read_pem(cert_file, "certificate");
  if (!certificate) return std::unexpected(certificate.error());
  auto key = read_pem(keys, "key");
  if (!key) return std::unexpected(key.error());
  TlsIdentity identity{std::move(*certificate), std::move(*key)};
  auto scratch = make_ssl_context(TLS_method());
  if (!scratch) return std::unexpected(scratch.error());
  if (auto ok = use_identity(scratch->get(), identity, printable(cert_file), printable(keys)); !ok) return std::unexpected(ok.error());
  return identity;
}

Expected<TlsIdentity> TlsIdentity::self_signed(const std::vector<std::string>& names) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate x(X509_new());
  const Bio certificate_out(BIO_new(BIO_s_mem())), key_out(BIO_new(BIO_s_mem()));
  if (key == nullptr || x == nullptr || certificate_out == nullptr || key_out == nullptr || !fill(x.get(), key.get(), names) ||
      PEM_write_bio_X509(certificate_out.get(), x.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return failure(library_text("can't make a certificate"));
  return TlsIdentity{text_of(certificate_out.get()), text_of(key_out.get())};
}

}  // namespace thrum::net
