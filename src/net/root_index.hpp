// Trusted roots by subject, decoded when a handshake asks for them. A system trusts about 150; the library takes 0.7 ms to
// decode one (its key, above all) and an attack needs one or two, in each of its threads: an index of the bundle takes 2 ms, the
// whole of it would take 100.
#pragma once

#include <openssl/x509_vfy.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "thrum/error.hpp"

namespace thrum::net {

class RootIndex {
 public:
  // How closely to look at a certificate that is added: enough to find it, or all of it, to tell a person what is wrong.
  enum class Care : bool { index, decode };

  // Adds every certificate of a PEM text; returns how many. The error names the first that can't be read; `name` leads it.
  Expected<int> add(std::string_view pem, const std::string& name, Care care);
  int size() const { return static_cast<int>(ders_.size()); }

  // Makes `store` look here; the index belongs to it from then on.
  static bool attach(std::unique_ptr<RootIndex> index, X509_STORE* store);

 private:
  bool add_der(std::string der, Care care);
  int find(X509_STORE* store, const X509_NAME* name, X509_OBJECT* found);
  static int by_subject(X509_LOOKUP* lookup, X509_LOOKUP_TYPE type, const X509_NAME* name, X509_OBJECT* found);

  std::vector<std::string> ders_;
  std::unordered_multimap<unsigned long, std::size_t> by_hash_;  // of the subject's canonical form, to a place in ders_
};

}  // namespace thrum::net
