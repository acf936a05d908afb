#include "targets/url_guess.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace thrum::targets {
namespace {

struct Parts {
  std::string_view host;
  bool has_port = false, is_bare_ip6 = false;
};

// What stands before the path. Several colons without brackets are an address of IPv6.
Parts parts_of(std::string_view word) {
  std::string_view authority = word.substr(0, word.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) authority.remove_prefix(at + 1);
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == authority.npos) return {authority};
    return {authority.substr(1, end - 1), authority.size() > end + 1, false};
  }
  const auto colons = std::ranges::count(authority, ':');
  if (colons > 1) return {authority, false, true};
  return {authority.substr(0, authority.find(':')), colons == 1, false};
}

bool is_this_machine(std::string_view host) {
  const std::string name = lower(host);
  return name == "localhost" || name.ends_with(".localhost") || name == "::1" || name.starts_with("127.");
}

}  // namespace

bool looks_like_url(std::string_view word) {
  if (word.empty() || word.starts_with('-')) return false;
  if (word.find("://") != word.npos) return true;
  const Parts parts = parts_of(word);
  return !parts.host.empty() && (parts.has_port || parts.is_bare_ip6 || word.starts_with('[') || word.find('/') != word.npos ||
                                 parts.host.find('.') != parts.host.npos || is_this_machine(parts.host));
}

std::optional<std::string> guessed_url(std::string_view word) {
  if (word.find("://") != word.npos) return std::nullopt;
  const Parts parts = parts_of(word);
  const std::string scheme = parts.has_port || is_this_machine(parts.host) ? "http://" : "https://";
  if (!parts.is_bare_ip6) return scheme + std::string(word);
  const std::size_t end = word.find_first_of("/?#");
  return scheme + '[' + std::string(parts.host) + ']' + std::string(end == word.npos ? "" : word.substr(end));
}

}  // namespace thrum::targets
