// Tokens that prove themselves: the user's name and a keyed hash of it (HMAC-SHA-256). Nothing is remembered but the key,
// which is drawn at start: tokens of an earlier run are refused.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace thrum::serve {

inline constexpr std::size_t kMaxUserName = 256;

class TokenMint {
 public:
  TokenMint();
  // `user`: 1 to kMaxUserName bytes.
  std::string issue(std::string_view user) const;
  // The user it was issued to; none if it is not one of ours.
  std::optional<std::string> verify(std::string_view token) const;

 private:
  std::string seal(std::string_view user) const;
  std::array<unsigned char, 32> key_;
};

}  // namespace thrum::serve
