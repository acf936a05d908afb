#include "settings/masking.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace thrum::settings {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, lower(word)) != words.end();
}

constexpr auto kSecretHeaders =
    std::to_array<std::string_view>({"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token", "api-key",
                                     "x-access-token", "x-csrf-token", "x-xsrf-token", "x-amz-security-token", "private-token"});

// Parts of a parameter's name, as in api_key, accessToken, X-Amz-Signature.
constexpr auto kSecretParts = std::to_array<std::string_view>({"token", "secret", "password", "passwd", "pwd", "signature", "sig", "key",
                                                               "apikey", "auth", "credential", "session", "sid", "jwt", "code"});

constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool is_secret_parameter(std::string_view name) {
  if (is_one_of(name, kSecretParts)) return true;
  std::size_t from = 0;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    const bool is_end = at == name.size() || std::string_view("-_.[]").find(name[at]) != std::string_view::npos;
    const bool is_hump = !is_end && at > 0 && is_capital(name[at]) && !is_capital(name[at - 1]);
    if (!is_end && !is_hump) continue;
    if (is_one_of(name.substr(from, at - from), kSecretParts)) return true;
    from = is_end ? at + 1 : at;
  }
  return false;
}

std::string masked_query(std::string_view query) {
  std::string out;
  for (;;) {
    const std::size_t end = std::min(query.find_first_of("&;"), query.size());
    const std::string_view one = query.substr(0, end);
    const std::size_t equals = one.find('=');
    if (equals != one.npos && equals + 1 < one.size() && is_secret_parameter(one.substr(0, equals)))
      out.append(one.substr(0, equals + 1)).append(kMasked);
    else
      out += one;
    if (end == query.size()) return out;
    out += query[end];
    query.remove_prefix(end + 1);
  }
}

std::string masked_cookies(std::string_view value) {
  std::string out;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(';'), value.size());
    const std::string_view one = value.substr(0, end);
    const std::size_t equals = one.find('=');
    out.append(equals == one.npos ? std::string_view() : one.substr(0, equals + 1)).append(kMasked);
    if (end < value.size()) out += ';';
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return out;
}

// "Name: value"
std::string masked_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_secret_header(line.substr(0, colon))) return std::string(line);
  return std::string(line.substr(0, colon)) + ": " + masked_header_value(line.substr(0, colon), line.substr(colon + 1));
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A slash that nobody has escaped in a password must not show what follows it.
std::size_t end_of_authority(std::string_view url, std::size_t from) {
  const std::size_t end = std::min(url.find_first_of("/?#", from), url.size());
  const std::string_view authority = url.substr(from, end - from);
  const std::size_t colon = authority.rfind(':'), at = url.rfind('@');
  const bool is_port = colon == authority.npos || authority.ends_with(']') || std::ranges::all_of(authority.substr(colon + 1), is_digit);
  if (authority.find('@') != authority.npos || is_port || at == url.npos || at < end) return end;
  return std::min(url.find_first_of("/?#", at), url.size());
}

}  // namespace

bool is_secret_header(std::string_view name) { return is_one_of(trim(name), kSecretHeaders); }

std::string masked_header_value(std::string_view name, std::string_view value) {
  name = trim(name);
  value = trim(value);
  if (!is_secret_header(name) || value.empty()) return std::string(value);
  if (equal_ignoring_case(name, "cookie") || equal_ignoring_case(name, "set-cookie")) return masked_cookies(value);
  const std::size_t blank = value.find(' ');
  const bool has_scheme = lower(name).ends_with("authorization") && blank != value.npos;
  return std::string(has_scheme ? value.substr(0, blank + 1) : std::string_view()).append(kMasked);
}

std::string masked_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t from = scheme == url.npos ? 0 : scheme + 3;
  const std::size_t end = end_of_authority(url, from);
  const std::size_t at = url.substr(0, end).rfind('@');
  std::string out(url.substr(0, from));
  if (at != url.npos && at >= from) {
    const std::string_view user_info = url.substr(from, at - from);
    const std::size_t colon = user_info.find(':');
    out.append(user_info.substr(0, colon));
    if (colon != user_info.npos) out.append(":").append(kMasked);
    out.append(url.substr(at, end - at));
  } else {
    out.append(url.substr(from, end - from));
  }
  const std::size_t query = std::min(url.find('?', end), url.size());
  const std::size_t fragment = std::min(url.find('#', end), url.size());
  if (query >= fragment) return out.append(url.substr(end));
  out.append(url.substr(end, query + 1 - end)).append(masked_query(url.substr(query + 1, fragment - query - 1)));
  return out.append(url.substr(fragment));
}

std::string masked_flag(std::string_view flag, std::string_view value) {
  if (flag == "header" || flag == "proxy-header" || flag == "H") return masked_line(value);
  if (flag == "proxy" || flag == "url") return masked_url(value);
  if (flag == "user") return std::string(value.substr(0, value.find(':'))).append(":").append(kMasked);
  return std::string(value);
}

}  // namespace thrum::settings
