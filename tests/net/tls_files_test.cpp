// Certificates and keys from files: what is taken, what is refused and in which words; where systems keep their roots.
#include "net/tls_files.hpp"

#include <gmock/gmock.h>
#include <openssl/x509v3.h>

#include "certificates.hpp"

namespace thrum::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TlsFilesTest : public testing::Test {
 protected:
  std::string error_of(const TlsOptions& options) {
    const auto checked = TlsClient::check(options);
    return checked ? "" : checked.error().text;
  }
  TlsOptions roots(const std::string& file) {
    TlsOptions o;
    o.root_cert_files = {file};
    return o;
  }
  TlsOptions pair(const std::string& cert, const std::string& key = {}) {
    TlsOptions o;
    o.cert_file = cert;
    o.key_file = key;
    return o;
  }
  Folder folder;
  TlsIdentity one = identity_for({"one.test", "127.0.0.1", "::1"}), two = identity_for({"two.test"});
};

TEST_F(TlsFilesTest, WrongRootFilesAreNamed) {
  EXPECT_EQ(error_of(roots(folder.write("good.pem", one.certificate))), "");
  EXPECT_THAT(error_of(roots(folder.path("god.pem"))),
              AllOf(HasSubstr("god.pem: no such file"), HasSubstr("did you mean"), HasSubstr("good.pem")));
  EXPECT_THAT(error_of(roots(folder.write("empty.pem", ""))), HasSubstr("empty.pem: no certificate in it"));
  EXPECT_THAT(error_of(roots(folder.write("key.pem", one.key))), HasSubstr("key.pem: no certificate in it"));
  EXPECT_THAT(error_of(roots(folder.write("der.pem", std::string("\x30\x82\x01\x00", 4)))), HasSubstr("der.pem: no certificate in it"));
  std::string broken = one.certificate + two.certificate;
  broken[one.certificate.size() + 100] = '!';
  EXPECT_THAT(error_of(roots(folder.write("broken.pem", broken))), HasSubstr("broken.pem: certificate 2 can't be read"));
  EXPECT_THAT(error_of(roots(folder.path())), HasSubstr("is a directory"));
  TlsOptions insecure = roots("/nonexistent/x.pem");
  insecure.verify = false;
  EXPECT_THAT(error_of(insecure), HasSubstr("/nonexistent/x.pem"));
}

TEST_F(TlsFilesTest, WrongPairsAreNamed) {
  const std::string cert = folder.write("cert.pem", one.certificate), key = folder.write("key.pem", one.key);
  const std::string other = folder.write("other.pem", two.key), both = folder.write("both.pem", one.certificate + one.key);
  EXPECT_EQ(error_of(pair(cert, key)), "");
  EXPECT_EQ(error_of(pair(both)), "");
  EXPECT_EQ(error_of(pair(cert, other)), "key " + other + ": does not belong to the certificate in " + cert);
  EXPECT_THAT(error_of(pair(cert)), HasSubstr("key " + cert + ": no private key in it"));
  EXPECT_THAT(error_of(pair(key, key)), HasSubstr("certificate " + key + ": no certificate in it"));
  EXPECT_THAT(error_of(pair(cert, folder.path("absent.pem"))), HasSubstr("absent.pem: no such file"));
  EXPECT_THAT(error_of(pair("", key)), HasSubstr("a key without a certificate (-cert)"));
  // The password is "secret": nobody is asked for it.
  const Parts parts(one);
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(out, parts.key.get(), EVP_aes_128_cbc(), "secret", 6, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  const std::string locked = folder.write("locked.pem", std::string(data, static_cast<std::size_t>(size)));
  BIO_free(out);
  EXPECT_THAT(error_of(pair(cert, locked)), HasSubstr("locked.pem: is encrypted"));
}

TEST_F(TlsFilesTest, EnvironmentVariablesReplaceTheSystemsPlaces) {
  const std::string file = folder.write("a.pem", one.certificate);
  const std::string directory = folder.write("dir/b.pem", two.certificate);
  folder.write("dir/readme", "nothing to see");
  folder.write("etc/ssl/certs/ca-certificates.crt", one.certificate + two.certificate);
  const auto count = [&](const char* f, const char* d) {
    RootIndex index;
    const auto ok = add_system_roots(index, {f, d, folder.path()});
    return ok ? index.size() : -1;
  };
  const std::string list = ":" + folder.path("dir") + "::" + folder.path("dir");
  EXPECT_EQ(count(nullptr, nullptr), 2);
  EXPECT_EQ(count("", ""), 2);
  EXPECT_EQ(count(file.c_str(), nullptr), 1);
  EXPECT_EQ(count(nullptr, list.c_str()), 2);
  EXPECT_EQ(count(file.c_str(), list.c_str()), 3);
  EXPECT_EQ(count("/nonexistent", nullptr), -1);
  EXPECT_EQ(count(nullptr, "/nonexistent"), -1);
  RootIndex index;
  EXPECT_THAT(add_system_roots(index, {"/nonexistent", nullptr, {}}).error().text,
              HasSubstr("SSL_CERT_FILE: root certificates /nonexistent"));
}

TEST_F(TlsFilesTest, EverySystemsRootsAreFound) {
  for (const char* place :
       {"etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt", "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem", "etc/ssl/certs/2e5ac55d.0", "etc/pki/tls/certs/own.pem"}) {
    const Folder root;
    root.write(place, one.certificate);
    RootIndex index;
    EXPECT_TRUE(add_system_roots(index, {nullptr, nullptr, root.path()}));
    EXPECT_EQ(index.size(), 1) << place;
  }
  const Folder bare;
  RootIndex index;
  EXPECT_TRUE(add_system_roots(index, {nullptr, nullptr, bare.path()}));
  EXPECT_EQ(index.size(), 0);
}

TEST_F(TlsFilesTest, WhatIsNoCertificateIsNotIndexed) {
  const Parts parts(one);
  unsigned char* data = nullptr;
  const int size = i2d_X509(parts.certificate.get(), &data);
  const std::string whole(reinterpret_cast<char*>(data), static_cast<std::size_t>(size));
  OPENSSL_free(data);
  const auto is_taken = [&](const std::string& der, RootIndex::Care care) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio(bio, PEM_STRING_X509, "", reinterpret_cast<const unsigned char*>(der.data()), static_cast<long>(der.size()));
    char* text = nullptr;
    const long length = BIO_get_mem_data(bio, &text);
    RootIndex index;
    const bool ok = index.add({text, static_cast<std::size_t>(length)}, "x", care).has_value();
    BIO_free(bio);
    return ok;
  };
  EXPECT_TRUE(is_taken(whole, RootIndex::Care::index));
  EXPECT_TRUE(is_taken(whole, RootIndex::Care::decode));
  for (std::size_t n = 1; n < whole.size(); ++n) {
    EXPECT_FALSE(is_taken(whole.substr(0, n), RootIndex::Care::index)) << n;
    EXPECT_FALSE(is_taken(whole.substr(0, n), RootIndex::Care::decode)) << n;
  }
}

TEST_F(TlsFilesTest, TheMadeCertificateSaysWhatItShould) {
  const Parts parts(one);
  X509* x = parts.certificate.get();
  EXPECT_EQ(X509_check_host(x, "one.test", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(x, "two.test", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(x, "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(x, "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(x, "::2", 0), 0);
  EXPECT_EQ(X509_check_ca(x), 0);
  EXPECT_EQ(X509_self_signed(x, 1), 1);
  int days = 0, seconds = 0;
  EXPECT_EQ(ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(x)), 1);
  EXPECT_EQ((days * 24 * 3600 + seconds + 60) / (24 * 3600), 30);
  EXPECT_NE(X509_get_serialNumber(x), nullptr);
  EXPECT_NE(one.certificate, identity_for({"one.test"}).certificate);
  EXPECT_TRUE(TlsIdentity::self_signed({}));
  EXPECT_TRUE(TlsIdentity::self_signed({std::string(200, 'x') + ".test"}));
}

TEST_F(TlsFilesTest, ALoadedIdentityServes) {
  const std::string cert = folder.write("cert.pem", one.certificate + two.certificate), key = folder.write("key.pem", one.key);
  const auto loaded = TlsIdentity::load(cert, key);
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_TRUE(TlsServer::create(*loaded));
  EXPECT_FALSE(TlsIdentity::load(cert, folder.write("k2.pem", two.key)));
  EXPECT_FALSE(TlsIdentity::load(folder.path("no"), key));
}

}  // namespace
}  // namespace thrum::net
