// Any bytes as a certificate, and any text as a file of them: indexed, or refused in one line. What decodes whole is indexed, too.
#include <openssl/pem.h>

#include <cstdint>
#include <string_view>

#include "net/root_index.hpp"
#include "net/tls_files.hpp"
#include "require.hpp"

using thrum::fuzz::require;

namespace {

using thrum::net::RootIndex;

bool is_taken(std::string_view pem, RootIndex::Care care) {
  RootIndex index;
  const auto count = index.add(pem, "x", care);
  require(count ? *count == index.size() : !count.error().text.empty() && count.error().text.find('\n') == std::string::npos);
  return count.has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto context = thrum::net::make_ssl_context(TLS_method());  // the library's start-up is not what is tested
  require(context.has_value());
  is_taken({reinterpret_cast<const char*>(data), size}, RootIndex::Care::index);
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio(out, PEM_STRING_X509, "", data, static_cast<long>(size));
  char* text = nullptr;
  const long length = BIO_get_mem_data(out, &text);
  const std::string_view pem(text, static_cast<std::size_t>(length));
  if (is_taken(pem, RootIndex::Care::decode)) require(is_taken(pem, RootIndex::Care::index));
  BIO_free(out);
  return 0;
}
