#include "http/proxy.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "base/version.hpp"
#include "http/connect_tunnel.hpp"
#include "http/request.hpp"
#include "http/syntax.hpp"
#include "net/address.hpp"
#include "net/socks.hpp"

namespace thrum::http {
namespace {

using Kind = Proxy::Kind;

struct Scheme {
  std::string_view name;
  Kind kind;
  std::uint16_t port;
};
constexpr std::array<Scheme, 4> kSchemes{
    {{"http", Kind::http, 80}, {"https", Kind::https, 443}, {"socks5", Kind::socks5, 1080}, {"socks5h", Kind::socks5h, 1080}}};

// Without user and password, for messages: whatever stands before the last @ of the authority.
std::string without_secrets(std::string_view text) {
  const std::size_t scheme = text.find("://");
  const std::size_t begin = scheme == text.npos ? 0 : scheme + 3;
  const std::size_t at = text.substr(0, text.find('/', begin)).rfind('@');
  if (at == text.npos || at < begin) return printable_prefix(text, 80);
  return printable_prefix(std::string(text.substr(0, begin)) + "***" + std::string(text.substr(at)), 80);
}

std::unexpected<Error> bad_proxy(std::string_view text, std::string_view why) {
  return usage_error("proxy \"" + without_secrets(text) + "\": " + std::string(why));
}

bool is_loopback(std::string_view host) {
  if (const std::string name = lower(host); name == "localhost" || name.ends_with(".localhost")) return true;
  const auto address = net::parse_address(host);
  if (!address) return false;
  return address->is_v6 ? address->bytes == net::Address::loopback_v6().bytes : address->bytes[0] == 127;
}

bool is_in_network(const net::Address& a, std::string_view network) {
  const std::size_t slash = network.find('/');
  const auto base = net::parse_address(network.substr(0, slash));
  if (!base || base->is_v6 != a.is_v6) return false;
  const std::size_t width = a.is_v6 ? 128 : 32;
  std::size_t bits = width;
  if (slash != network.npos) {
    const std::string_view digits = network.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc() || end != digits.data() + digits.size() || bits > width) return false;
  }
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> bit % 8;
    if ((a.bytes[bit / 8] & mask) != (base->bytes[bit / 8] & mask)) return false;
  }
  return true;
}

bool is_name_within(std::string_view host, std::string_view domain) {
  const std::string name = lower(host.ends_with('.') ? host.substr(0, host.size() - 1) : host), whole = lower(domain);
  if (whole.starts_with("*.")) return name.ends_with(whole.substr(1));
  if (whole.starts_with('.')) return name.ends_with(whole);
  return name == whole || name.ends_with("." + whole);
}

bool fits(std::string_view entry, const Url& url) {
  if (entry == "*") return true;
  std::string_view host = entry, port;
  if (entry.starts_with('[')) {
    const std::size_t close = entry.find(']');
    if (close == entry.npos) return false;
    host = entry.substr(1, close - 1);
    if (entry.substr(close + 1).starts_with(':')) port = entry.substr(close + 2);
  } else if (const std::size_t colon = entry.find(':'); colon != entry.npos && entry.find(':', colon + 1) == entry.npos) {
    host = entry.substr(0, colon);
    port = entry.substr(colon + 1);
  }
  if (host.empty() || (!port.empty() && port != std::to_string(url.port))) return false;
  if (const auto address = net::parse_address(url.host)) return is_in_network(*address, host);
  return is_name_within(url.host, host);
}

Expected<std::optional<Proxy>> parse_if_any(std::string_view text) {
  if (text.empty()) return std::optional<Proxy>();
  auto proxy = parse_proxy(text);
  if (!proxy) return std::unexpected(std::move(proxy.error()));
  return std::optional(std::move(*proxy));
}

std::optional<net::SocksLogin> login_of(const Proxy& proxy) {
  if (proxy.user_info.empty()) return std::nullopt;
  const std::size_t colon = std::min(proxy.user_info.find(':'), proxy.user_info.size());
  return net::SocksLogin{proxy.user_info.substr(0, colon), proxy.user_info.substr(std::min(colon + 1, proxy.user_info.size()))};
}

bool fits_socks(const net::SocksLogin& login) {
  const auto fits_in = [](const std::string& s) { return !s.empty() && s.size() <= net::kLongestSocksText; };
  return fits_in(login.user) && fits_in(login.password);
}

std::string with_brackets(const std::string& host) { return host.find(':') == host.npos ? host : "[" + host + "]"; }

}  // namespace

Expected<Proxy> parse_proxy(std::string_view text) {
  const std::size_t mark = text.find("://");
  const std::string scheme = mark == text.npos ? "http" : lower(text.substr(0, mark));
  const auto known = std::ranges::find(kSchemes, scheme, &Scheme::name);
  if (known == kSchemes.end()) return bad_proxy(text, "proxies are spoken to by http, https, socks5 or socks5h");
  // A proxy is written as a URL is, but for its scheme, and but for the ports that stand for one that is left out.
  const std::string rest(mark == text.npos ? text : text.substr(mark + 3));
  const auto url = parse_url("http://" + rest);
  if (!url) return bad_proxy(text, "not a proxy like http://user:password@proxy.test:3128 or socks5://10.0.0.9:1080");
  if (url->port == 0) return bad_proxy(text, "its port is 0");
  if (url->target != "/") return bad_proxy(text, "a proxy has no path");
  Proxy proxy{known->kind, url->host, url->port, url->user_info, {}};
  // A port that is written is the same under any scheme.
  const auto other = parse_url("https://" + rest);
  if (other && other->port != url->port) proxy.port = known->port;
  if (proxy.is_socks() && !proxy.user_info.empty() && !fits_socks(*login_of(proxy)))
    return bad_proxy(text, "SOCKS takes a user and a password of 1 to 255 bytes each");
  if (!is_field_value(proxy.user_info)) return bad_proxy(text, "a control character in user or password");
  const std::string user = proxy.user_info.substr(0, proxy.user_info.find(':'));
  proxy.shown = std::string(known->name) + "://" + (proxy.user_info.empty() ? "" : printable(user) + ":***@") +
                printable(with_brackets(proxy.host)) + ":" + std::to_string(proxy.port);
  return proxy;
}

bool is_excepted(std::string_view no_proxy, const Url& url) {
  while (!no_proxy.empty()) {
    const std::size_t comma = std::min(no_proxy.find(','), no_proxy.size());
    if (fits(trim(no_proxy.substr(0, comma)), url)) return true;
    no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
  }
  return false;
}

Expected<Proxies> Proxies::create(const ProxyOptions& options) {
  Proxies made;
  made.except_ = options.except;
  made.headers_ = options.headers;
  for (const auto& [name, value] : options.headers)
    if (!is_token(name) || !is_field_value(value))
      return usage_error("proxy header \"" + printable_prefix(name, 40) +
                         "\" can't be sent: its name is no token, or its value holds a control character");
  const std::pair<const std::string&, std::optional<Proxy>&> all[] = {
      {options.url, made.always_}, {options.for_http, made.for_http_}, {options.for_https, made.for_https_}};
  for (const auto& [text, proxy] : all) {
    auto parsed = parse_if_any(text);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    proxy = std::move(*parsed);
  }
  if (made.always_ && made.always_->is_socks() && !options.headers.empty())
    return usage_error("-proxy-header and a SOCKS proxy exclude each other: SOCKS has no headers");
  return made;
}

const Proxy* Proxies::of(const Url& url) const {
  if (always_) return &*always_;
  const std::optional<Proxy>& proxy = url.tls ? for_https_ : for_http_;
  if (!proxy || is_loopback(url.host) || is_excepted(except_, url)) return nullptr;
  return &*proxy;
}

std::string Proxies::lines_for(const Proxy& proxy) const {
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(headers_, [&](const auto& header) { return equal_ignoring_case(header.first, name); });
  };
  std::string lines;
  if (!proxy.user_info.empty() && !has("Proxy-Authorization"))
    lines += "Proxy-Authorization: " + basic_credentials(proxy.user_info) + "\r\n";
  for (const auto& [name, value] : headers_) lines += name + ": " + value + "\r\n";
  return lines;
}

net::Way Proxies::way_through(const Proxy& proxy, const Url& url, Through through) const {
  net::Way way;
  way.places = {{proxy.host, proxy.port}};
  way.is_proxied = true;
  way.proxy_tls = proxy.kind == Kind::https;
  if (through == Through::as_requests) return way;
  if (proxy.is_socks()) {
    way.needs_address = proxy.kind == Kind::socks5;
    way.tunnel = [login = login_of(proxy)](const net::Endpoint& to, const net::Address* address) {
      return net::make_socks_tunnel(to, address, login);
    };
    return way;
  }
  const auto has_agent = std::ranges::any_of(headers_, [](const auto& header) { return equal_ignoring_case(header.first, "User-Agent"); });
  const std::string agent = has_agent ? "" : "User-Agent: thrum/" + std::string(kVersion) + "\r\n";
  way.tunnel = [authority = with_brackets(url.host) + ":" + std::to_string(url.port), lines = agent + lines_for(proxy)](
                   const net::Endpoint&, const net::Address*) { return make_connect_tunnel(authority, lines); };
  return way;
}

}  // namespace thrum::http
