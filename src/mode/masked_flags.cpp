#include "mode/masked_flags.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace thrum::mode {
namespace {

bool is_secret(std::string_view header) {
  static constexpr std::array<std::string_view, 6> kSecret{"authorization", "proxy-authorization", "cookie",
                                                           "x-api-key",     "x-auth-token",        "api-key"};
  return std::find(kSecret.begin(), kSecret.end(), lower(trim(header))) != kSecret.end();
}

}  // namespace

std::string masked_url(std::string_view url) {
  std::string value(url);
  const std::size_t scheme = value.find("://"), from = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(value.find_first_of("/?#", from), value.size());
  const std::size_t at = value.rfind('@', end == 0 ? 0 : end - 1);
  if (at != std::string::npos && at >= from && at < end) value.replace(from, at - from, "***");
  return value;
}

TypedFlags masked(TypedFlags typed) {
  for (auto& [flag, value] : typed) {
    if (flag == "proxy") value = masked_url(value);
    const std::size_t colon = value.find(':');
    if ((flag == "header" || flag == "proxy-header") && colon != std::string::npos && is_secret(value.substr(0, colon)))
      value.replace(colon, std::string::npos, ": ***");
  }
  return typed;
}

}  // namespace thrum::mode
