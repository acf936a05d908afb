#include "targets/curl_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "http/redirect.hpp"
#include "http/url.hpp"

namespace thrum::targets {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
bool is_escape(std::string_view s) { return s.size() >= 3 && s[0] == '%' && hex_value(s[1]) >= 0 && hex_value(s[2]) >= 0; }

// Brackets that hold an IPv6 address, or nothing, are no pattern.
bool is_literal_bracket(std::string_view s) {
  const std::size_t end = s.find(']');
  if (end == s.npos) return false;
  const std::string_view inside = s.substr(1, end - 1);
  return inside.empty() || (inside.find(':') != inside.npos && std::ranges::all_of(inside.substr(0, inside.find('%')), [](char c) {
                              return hex_value(c) >= 0 || c == ':' || c == '.';
                            }));
}

std::unexpected<Error> bad_url(std::string_view text, std::string_view why) {
  return usage_error(fmt::format("the curl command's URL \"{}\": {}", printable_prefix(text, 100), why));
}

// curl sends a request for each URL that a pattern makes. One that makes a single URL is undone.
Expected<std::string> without_patterns(std::string_view text) {
  constexpr std::string_view kSeveral = "{...} and [...] stand for several URLs, and one is sent; -g takes them as they are";
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    if (c == '\\' && rest.size() > 1 && std::string_view("{}[]").find(rest[1]) != std::string_view::npos) {
      out += text[++at];
    } else if (c == '[' && is_literal_bracket(rest)) {
      const std::size_t end = rest.find(']');
      out += rest.substr(0, end + 1);
      at += end;
    } else if (c == '{') {
      const std::size_t end = rest.find('}');
      if (end == rest.npos || end == 1 || rest.substr(1, end - 1).find_first_of(",{[") != rest.npos) return bad_url(text, kSeveral);
      out += rest.substr(1, end - 1);
      at += end;
    } else if (c == '[' || c == ']' || c == '}') {
      return bad_url(text, kSeveral);
    } else {
      out += c;
    }
  }
  return out;
}

bool has_scheme(std::string_view text) {
  const std::size_t mark = text.find("://");
  return mark != text.npos && mark > 0 &&
         std::ranges::all_of(text.substr(0, mark), [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_escape(text.substr(at))) {
      out += static_cast<char>(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string read_user_info(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  return unescape(text.substr(0, colon)) + ":" + unescape(text.substr(std::min(colon + 1, text.size())));
}

// curl writes the digits of escapes in small letters when it appends to a query.
std::string with_small_escapes(std::string query) {
  for (std::size_t at = 0; at < query.size(); ++at)
    if (is_escape(std::string_view(query).substr(at))) {
      query.replace(at + 1, 2, lower(query.substr(at + 1, 2)));
      at += 2;
    }
  return query;
}

// What a URL can hold where curl sends bytes that it can't: the request line has them as they are, by CurlUrl::request_target.
std::string escape_for_url(std::string_view target) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (std::size_t at = 0; at < target.size(); ++at) {
    const auto byte = static_cast<unsigned char>(target[at]);
    if (byte >= 0x7f || (target[at] == '%' && !is_escape(target.substr(at))))
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    else
      out += target[at];
  }
  return out;
}

// curl escapes what is not ASCII in a path, though not in a query.
std::string with_ascii_path(std::string_view path) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      out += c;
    else
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::string base_name(std::string_view file) { return std::string(file.substr(std::min(file.rfind('/') + 1, file.size()))); }

// Path and query as curl asks for them; `text` begins with the path.
std::string target_of(std::string_view text, const CurlUrlRules& rules) {
  text = text.substr(0, text.find('#'));
  const std::size_t mark = text.find('?');
  std::string path(text.substr(0, mark)), query(mark == text.npos ? "" : text.substr(mark + 1));
  if (path.empty()) path = "/";
  path = with_ascii_path(rules.path_as_is ? path : http::without_dots(path));
  if (!rules.file.empty() && path.ends_with('/')) path += escape_all(base_name(rules.file));
  if (rules.has_query) {
    if (!query.empty() && !query.ends_with('&')) query += '&';
    query += with_small_escapes(rules.query);
  }
  return mark == text.npos && query.empty() ? path : path + "?" + query;
}

}  // namespace

std::string escape_all(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~')
      out += c;
    else
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

Expected<CurlUrl> read_curl_url(std::string_view text, const CurlUrlRules& rules) {
  auto plain = rules.globoff ? Expected<std::string>(text) : without_patterns(text);
  if (!plain) return std::unexpected(std::move(plain.error()));
  if (std::ranges::any_of(*plain, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }))
    return bad_url(text, "a blank or control character; curl refuses it too, write %20 for a blank");
  if (!has_scheme(*plain)) plain->insert(0, rules.scheme + "://");
  const std::string_view whole = *plain;
  const std::size_t from = whole.find("://") + 3;
  const std::size_t path_at = std::min(whole.find_first_of("/?#", from), whole.size());
  std::string_view authority = whole.substr(from, path_at - from);
  CurlUrl out;
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    out.user_info = read_user_info(authority.substr(0, at));
    authority.remove_prefix(at + 1);
  }
  const std::string target = target_of(whole.substr(path_at), rules);
  const std::string origin = std::string(whole.substr(0, from)).append(authority);
  out.url = origin + target;
  auto url = http::parse_url(out.url);
  if (!url || url->target != target) {
    out.request_target = target;
    out.url = origin + escape_for_url(target);
    url = http::parse_url(out.url);
  }
  if (!url) return std::unexpected(Error{ErrorKind::usage, std::move(url.error().text)});
  return out;
}

}  // namespace thrum::targets
