#include "serve/token.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cstdlib>

namespace thrum::serve {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const std::size_t high = kHex.find(hex[i]), low = kHex.find(hex[i + 1]);
    if (high == kHex.npos || low == kHex.npos) return std::nullopt;
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

}  // namespace

// Without random bytes (the kernel has always some) the key would be guessable: all that it guards is a demonstration.
TokenMint::TokenMint() { RAND_bytes(key_.data(), static_cast<int>(key_.size())); }

std::string TokenMint::seal(std::string_view user) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), reinterpret_cast<const unsigned char*>(user.data()), user.size(),
       digest.data(), &size);
  return to_hex({reinterpret_cast<const char*>(digest.data()), 16});
}

std::string TokenMint::issue(std::string_view user) const { return to_hex(user) + "." + seal(user); }

std::optional<std::string> TokenMint::verify(std::string_view token) const {
  const std::size_t dot = token.find('.');
  if (dot == token.npos || dot == 0 || dot > kMaxUserName * 2) return std::nullopt;
  std::optional<std::string> user = from_hex(token.substr(0, dot));
  if (!user) return std::nullopt;
  const std::string right = seal(*user);
  const std::string_view given = token.substr(dot + 1);
  if (given.size() != right.size() || CRYPTO_memcmp(given.data(), right.data(), right.size()) != 0) return std::nullopt;
  return user;
}

}  // namespace thrum::serve
