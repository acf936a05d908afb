// Reading follows Go's net/url step by step, because targets files are written against it: what it accepts is accepted, the
// request target on the wire is the same bytes. Stricter where Go only fails once it dials: scheme, host and port.
#include "http/url.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <expected>
#include <utility>

#include "base/text.hpp"

namespace thrum::http {
namespace {

template <class T>
using Checked = std::expected<T, std::string>;  // the error is the reason alone; parse_url puts the URL in front

std::unexpected<std::string> because(std::string reason) { return std::unexpected(std::move(reason)); }

enum class Part : std::uint8_t { host, zone, user_info, path, fragment };

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// RFC 3986's unreserved characters and those that stand for themselves in a host: sub-delims, and what Go lets pass besides.
constexpr bool stands_in_host(char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "-_.~!$&'()*+,;=:[]<>\""); }
// What net/url's default encoding of a path leaves alone; the rest of sub-delims is kept only when the whole path is clean.
constexpr bool stands_in_path(char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "-_.~$&+,/:;=@"); }
constexpr bool is_clean_in_path(char c) { return stands_in_path(c) || is_one_of(c, "!'()*[]%"); }
constexpr bool stands_in_user_info(char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "-._:~!$&'()*+,;=%@"); }
// A name that a Host header may hold (RFC 9110 section 7.2, RFC 3986 section 3.2.2), once unescaped.
constexpr bool stands_in_name(char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "-._~!$&'()*+,;="); }

Checked<std::string> unescape(std::string_view s, Part part) {
  const bool in_host = part == Part::host || part == Part::zone;
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '%') {
      if (in_host && static_cast<unsigned char>(s[i]) < 0x80 && !stands_in_host(s[i]))
        return because("invalid character \"" + printable(s.substr(i, 1)) + "\" in host name");
      out += s[i];
      continue;
    }
    const int high = i + 1 < s.size() ? hex_value(s[i + 1]) : -1, low = i + 2 < s.size() ? hex_value(s[i + 2]) : -1;
    if (high < 0 || low < 0)
      return because("invalid escape \"" + printable(s.substr(i, 3)) + "\"" +
                     (part == Part::zone || part == Part::host ? "" : ", a % itself is written %25"));
    const char c = static_cast<char>(high * 16 + low);
    // A host has escapes only for bytes that are not ASCII; a zone also for what could not stand there (RFC 6874).
    const bool host_may = high >= 8 || c == '%', zone_may = c == '%' || c == ' ' || stands_in_host(c);
    if ((part == Part::host && !host_may) || (part == Part::zone && !zone_may))
      return because("invalid escape \"" + printable(s.substr(i, 3)) + "\" in host name");
    out += c;
    i += 2;
  }
  return out;
}

// The path as it goes on the wire: as written if every character may stand there, else decoded and encoded again.
Checked<std::string> encode_path(std::string_view path) {
  Checked<std::string> decoded = unescape(path, Part::path);
  if (!decoded) return decoded;
  bool clean = true;
  for (char c : path) clean = clean && is_clean_in_path(c);
  if (clean) return std::string(path);
  std::string out;
  for (char c : *decoded) {
    if (stands_in_path(c)) {
      out += c;
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

// The text between "//" and the path, taken apart but for unescaping.
struct Authority {
  std::string_view user_info, host, port;  // port: what follows the colon
  bool has_user = false, is_literal = false;
};

Checked<Authority> split_authority(std::string_view text) {
  Authority a;
  if (const std::size_t at = text.rfind('@'); at != text.npos) {
    a.has_user = true;
    a.user_info = text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  std::string_view tail;  // "" or ":port"
  if (text.starts_with('[')) {
    const std::size_t end = text.rfind(']');
    if (end == text.npos) return because("missing ']' in host");
    a.is_literal = true;
    a.host = text.substr(1, end - 1);
    tail = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.rfind(':'), text.size());
    a.host = text.substr(0, colon);
    tail = text.substr(colon);
  }
  if (!tail.empty()) {
    a.port = tail.substr(1);
    bool good = tail.front() == ':';
    for (char c : a.port) good = good && is_digit(c);
    if (!good) return because("invalid port \"" + printable(tail) + "\" after host");
  }
  return a;
}

// "user:password" for RFC 7617: the first colon written parts the two, both unescaped.
Checked<std::string> read_user_info(std::string_view text) {
  for (char c : text)
    if (!stands_in_user_info(c)) return because("invalid character in the user name or password, escape it as %XX");
  const std::size_t colon = std::min(text.find(':'), text.size());
  Checked<std::string> user = unescape(text.substr(0, colon), Part::user_info);
  if (!user) return user;
  Checked<std::string> password = unescape(text.substr(std::min(colon + 1, text.size())), Part::user_info);
  if (!password) return password;
  return *user + ':' + *password;
}

// An IPv6 literal without its brackets; the zone, after "%25", is for our own socket only and never sent (RFC 6874).
Checked<void> read_literal(std::string_view text, Url& url) {
  const std::size_t zone_at = std::min(text.find("%25"), text.size());
  Checked<std::string> address = unescape(text.substr(0, zone_at), Part::host);
  if (!address) return because(std::move(address.error()));
  Checked<std::string> zone = unescape(text.substr(zone_at), Part::zone);
  if (!zone) return because(std::move(zone.error()));
  in6_addr parsed{};
  if (inet_pton(AF_INET6, address->c_str(), &parsed) != 1 || zone->size() == 1)
    return because("\"" + printable(text) + "\" is not an IPv6 address");
  url.host = *address + *zone;
  url.authority = "[" + *address + "]";
  return {};
}

Checked<void> read_name(std::string_view text, Url& url) {
  Checked<std::string> name = unescape(text, Part::host);
  if (!name) return because(std::move(name.error()));
  if (name->empty()) return because("no host");
  for (char c : *name) {
    if (static_cast<unsigned char>(c) >= 0x80) return because("a host name outside ASCII must be written in its xn-- form");
    if (c == ':') return because("an IPv6 address needs brackets, as in http://[::1]/");
    if (!stands_in_name(c)) return because("invalid character \"" + printable({&c, 1}) + "\" in host name");
  }
  url.host = url.authority = std::move(*name);
  return {};
}

Checked<void> read_port(std::string_view digits, Url& url) {
  const std::uint16_t standard = url.tls ? 443 : 80;
  url.port = standard;
  if (digits.empty()) return {};
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), url.port);
  if (failed != std::errc() || url.port == 0) return because("port " + std::string(digits.substr(0, 20)) + " is not within 1 to 65535");
  if (url.port != standard) url.authority.append(":").append(digits);
  return {};
}

// Takes "http:" or "https:" off the front of `text`.
Checked<void> take_scheme(std::string_view& text, Url& url) {
  if (text.starts_with(':')) return because("missing protocol scheme, it should start with http:// or https://");
  std::size_t n = 0;
  while (n < text.size() && (is_letter(text[n]) || (n > 0 && (is_digit(text[n]) || is_one_of(text[n], "+-."))))) ++n;
  if (n == 0 || n == text.size() || text[n] != ':') return because("it should start with http:// or https://");
  const std::string scheme = lower(text.substr(0, n));
  text.remove_prefix(n + 1);
  url.tls = scheme == "https";
  if (url.tls || scheme == "http") return {};
  // localhost:8080/x reads as a scheme named localhost
  const bool looks_like_host = !text.empty() && is_digit(text.front());
  return because(looks_like_host ? "it should start with http:// or https://"
                                 : "unsupported protocol scheme \"" + printable_prefix(scheme, 40) + "\", only http and https are sent");
}

Checked<Url> read(std::string_view text) {
  for (char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return because("invalid control character");
  Url url;
  if (Checked<void> ok = take_scheme(text, url); !ok) return because(std::move(ok.error()));

  if (const std::size_t hash = text.find('#'); hash != text.npos) {
    if (Checked<std::string> fragment = unescape(text.substr(hash + 1), Part::fragment); !fragment)
      return because(std::move(fragment.error()));
    text = text.substr(0, hash);
  }
  const std::size_t query_at = std::min(text.find('?'), text.size());
  const std::string_view query = text.substr(query_at);  // with its '?'
  text = text.substr(0, query_at);
  if (!text.starts_with("//")) return because("no host");
  text.remove_prefix(2);
  const std::size_t path_at = std::min(text.find('/'), text.size());

  Checked<Authority> authority = split_authority(text.substr(0, path_at));
  if (!authority) return because(std::move(authority.error()));
  Checked<void> host = authority->is_literal ? read_literal(authority->host, url) : read_name(authority->host, url);
  if (!host) return because(std::move(host.error()));
  if (Checked<void> ok = read_port(authority->port, url); !ok) return because(std::move(ok.error()));
  if (authority->has_user) {
    Checked<std::string> user_info = read_user_info(authority->user_info);
    if (!user_info) return because(std::move(user_info.error()));
    url.user_info = std::move(*user_info);
  }
  Checked<std::string> path = encode_path(text.substr(path_at));
  if (!path) return because(std::move(path.error()));
  url.has_path = !path->empty();
  url.target = url.has_path ? std::move(*path) : "/";
  url.target += query;
  return url;
}

}  // namespace

Expected<Url> parse_url(std::string_view text) {
  Checked<Url> url = read(text);
  if (!url) return failure("bad URL \"" + printable_prefix(text, 120) + "\": " + url.error());
  return std::move(*url);
}

}  // namespace thrum::http
