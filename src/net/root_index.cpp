#include "net/root_index.hpp"

#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <optional>
#include <utility>

#include "net/tls_files.hpp"

namespace thrum::net {
namespace {

struct X509Delete {
  void operator()(X509* x) const { X509_free(x); }
};
using Certificate = std::unique_ptr<X509, X509Delete>;
struct NameDelete {
  void operator()(X509_NAME* n) const { X509_NAME_free(n); }
};

// One element of DER: what is in it, and what follows it.
struct Element {
  int tag = 0, of_class = 0;
  std::string_view whole, content, rest;
};
std::optional<Element> take(std::string_view der) {
  const auto* begin = reinterpret_cast<const unsigned char*>(der.data());
  const unsigned char* at = begin;
  Element e;
  long length = 0;
  if (der.empty() || (ASN1_get_object(&at, &length, &e.tag, &e.of_class, static_cast<long>(der.size())) & 0x81) != 0) return std::nullopt;
  const auto header = static_cast<std::size_t>(at - begin), size = static_cast<std::size_t>(length);
  e.whole = der.substr(0, header + size);
  e.content = der.substr(header, size);
  e.rest = der.substr(header + size);
  return e;
}

// RFC 5280 section 4.1: Certificate { TBSCertificate { [0] version, serial, signature, issuer, validity, subject, … } … }
std::string_view subject_of(std::string_view der) {
  const auto certificate = take(der);
  const auto body = certificate ? take(certificate->content) : std::nullopt;
  if (!body) return {};
  auto field = take(body->content);
  if (field && field->of_class == V_ASN1_CONTEXT_SPECIFIC && field->tag == 0) field = take(field->rest);
  for (int i = 0; i < 4 && field; ++i) field = take(field->rest);
  return field ? field->whole : std::string_view{};
}

// The same for names that differ in case or spaces only, as the library's own comparison is.
std::optional<unsigned long> hash_of(const X509_NAME* name) {
  int ok = 0;
  const unsigned long hash = X509_NAME_hash_ex(name, nullptr, nullptr, &ok);
  return ok == 1 ? std::optional(hash) : std::nullopt;
}

Certificate decode(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  return Certificate(d2i_X509_AUX(nullptr, &at, static_cast<long>(der.size())));  // "TRUSTED CERTIFICATE" carries a little more
}

bool is_certificate(std::string_view label) {
  return label == PEM_STRING_X509 || label == PEM_STRING_X509_OLD || label == PEM_STRING_X509_TRUSTED;
}

}  // namespace

Expected<int> RootIndex::add(std::string_view pem, const std::string& name, Care care) {
  ERR_clear_error();
  BIO* in = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  int count = 0;
  bool ok = true;
  char *label = nullptr, *header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  while (ok && PEM_read_bio(in, &label, &header, &data, &size) == 1) {
    if (is_certificate(label)) {
      ok = add_der({reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)}, care);
      count += ok ? 1 : 0;
    }
    OPENSSL_free(label);
    OPENSSL_free(header);
    OPENSSL_free(data);
  }
  BIO_free(in);
  if (ok && is_end_of_pem()) return count;
  return failure(library_text(name + ": certificate " + std::to_string(count + 1) + " can't be read"));
}

bool RootIndex::add_der(std::string der, Care care) {
  if (care == Care::decode && decode(der) == nullptr) return false;
  const std::string_view subject = subject_of(der);
  const auto* at = reinterpret_cast<const unsigned char*>(subject.data());
  const std::unique_ptr<X509_NAME, NameDelete> name(d2i_X509_NAME(nullptr, &at, static_cast<long>(subject.size())));
  const auto hash = name ? hash_of(name.get()) : std::nullopt;
  if (!hash) return false;
  by_hash_.emplace(*hash, ders_.size());
  ders_.push_back(std::move(der));
  return true;
}

// Puts what has this name into the store, and gives what the store then finds. The object refers to the store's own
// certificate without counting as an owner, which is what the caller expects of a lookup.
int RootIndex::find(X509_STORE* store, const X509_NAME* name, X509_OBJECT* found) {
  const auto hash = hash_of(name);
  if (!hash) return 0;
  const auto [first, last] = by_hash_.equal_range(*hash);
  if (first == last) return 0;
  for (auto at = first; at != last; ++at)
    if (const Certificate x = decode(ders_[at->second])) X509_STORE_add_cert(store, x.get());
  if (X509_STORE_lock(store) != 1) return 0;
  X509_OBJECT* object = X509_OBJECT_retrieve_by_subject(X509_STORE_get0_objects(store), X509_LU_X509, name);
  X509* x = object == nullptr ? nullptr : X509_OBJECT_get0_X509(object);
  X509_STORE_unlock(store);
  if (x == nullptr || X509_OBJECT_set1_X509(found, x) != 1) return 0;
  X509_free(x);
  return 1;
}

int RootIndex::by_subject(X509_LOOKUP* lookup, X509_LOOKUP_TYPE type, const X509_NAME* name, X509_OBJECT* found) {
  auto* index = static_cast<RootIndex*>(X509_LOOKUP_get_method_data(lookup));
  return index == nullptr || type != X509_LU_X509 ? 0 : index->find(X509_LOOKUP_get_store(lookup), name, found);
}

bool RootIndex::attach(std::unique_ptr<RootIndex> index, X509_STORE* store) {
  static X509_LOOKUP_METHOD* const method = [] {
    X509_LOOKUP_METHOD* m = X509_LOOKUP_meth_new("roots by subject");
    if (m == nullptr) return m;
    X509_LOOKUP_meth_set_get_by_subject(m, by_subject);
    X509_LOOKUP_meth_set_free(m, [](X509_LOOKUP* lookup) { delete static_cast<RootIndex*>(X509_LOOKUP_get_method_data(lookup)); });
    return m;
  }();
  X509_LOOKUP* lookup = method == nullptr ? nullptr : X509_STORE_add_lookup(store, method);
  return lookup != nullptr && X509_LOOKUP_set_method_data(lookup, index.release()) == 1;
}

}  // namespace thrum::net
