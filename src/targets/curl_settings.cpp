#include "targets/curl_settings.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "http/connect_to.hpp"
#include "http/proxy.hpp"
#include "targets/curl_url.hpp"

namespace thrum::targets {
namespace {

std::unexpected<Error> bad_value(std::string_view option, std::string_view value, std::string_view right) {
  return usage_error(fmt::format("{} \"{}\" of the curl command is not {}", option, printable_prefix(value, 60), right));
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Expected<void> read_max_time(std::string_view option, std::string_view value, CurlSettings& settings) {
  constexpr double kMost = 1e9;
  const auto seconds = number<double>(value);
  if (!seconds || !(*seconds >= 0 && *seconds <= kMost)) return bad_value(option, value, "a number of seconds, like 2.5");
  settings.timeout = Nanos(std::llround(*seconds * 1e9));
  return {};
}

Expected<void> read_max_redirs(std::string_view option, std::string_view value, CurlSettings& settings) {
  constexpr std::int32_t kEnough = 10'000;  // for "no limit"
  const auto count = number<std::int32_t>(value);
  if (!count || *count < -1) return bad_value(option, value, "a number of redirects");
  settings.max_redirects = *count < 0 ? kEnough : *count;
  return {};
}

// curl's proxies listen on 1080 unless they say otherwise.
std::string with_port(std::string_view proxy, std::string_view scheme) {
  std::string out(proxy);
  if (out.find("://") == out.npos) out.insert(0, std::string(scheme) + "://");
  while (out.ends_with('/')) out.pop_back();
  const std::size_t from = std::max(out.rfind('@') == out.npos ? 0 : out.rfind('@'), out.find("://") + 3);
  const std::size_t bracket = out.rfind(']');
  const std::size_t colon = out.find(':', bracket != out.npos && bracket > from ? bracket : from);
  return colon == out.npos && !out.starts_with("https:") ? out + ":1080" : out;
}

Expected<void> read_proxy(std::string_view option, std::string_view value, std::string_view scheme, CurlSettings& settings) {
  settings.proxy.emplace();
  if (value.empty()) return {};
  const std::string proxy = with_port(value, scheme);
  if (const auto known = http::parse_proxy(proxy); !known)
    return usage_error(fmt::format("{} of the curl command: {}", option, known.error().text));
  settings.proxy = proxy;
  return {};
}

// [+]HOST:PORT:ADDRESS[,ADDRESS...]; what takes an entry away again begins with a minus.
Expected<void> read_resolve(std::string_view option, std::string_view value, CurlSettings& settings) {
  if (value.starts_with('-')) return {};
  const std::string_view entry = value.substr(value.starts_with('+') ? 1 : 0);
  const std::size_t comma = std::min(entry.find(','), entry.size());
  const auto first = http::pieces_between_colons(entry.substr(0, comma));
  const auto port = first && first->size() == 3 ? number<std::uint16_t>((*first)[1]) : std::nullopt;
  if (!port || *port == 0) return bad_value(option, value, "HOST:PORT:ADDRESS, like shop.test:443:10.0.0.7");
  const std::string host((*first)[0] == "*" ? std::string_view() : (*first)[0]);
  settings.connect_to.push_back({host, *port, std::string((*first)[2]), 0});
  for (std::string_view more = entry.substr(comma); !more.empty();) {
    more.remove_prefix(1);
    const std::size_t end = std::min(more.find(','), more.size());
    std::string_view address = more.substr(0, end);
    if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
    settings.connect_to.push_back({host, *port, std::string(address), 0});
    more.remove_prefix(end);
  }
  return {};
}

Expected<void> read_connect_to(std::string_view option, std::string_view value, CurlSettings& settings) {
  auto entries = http::parse_connect_to(value);
  if (!entries) return usage_error(fmt::format("{} of the curl command: {}", option, entries.error().text));
  settings.connect_to.insert(settings.connect_to.end(), entries->begin(), entries->end());
  return {};
}

void read_interface(std::string_view option, std::string_view value, CurlSettings& settings, std::vector<std::string>& notes) {
  const std::string name(value.starts_with("host!") ? value.substr(5) : value);
  in6_addr address{};
  if (::inet_pton(AF_INET, name.c_str(), &address) == 1 || ::inet_pton(AF_INET6, name.c_str(), &address) == 1)
    settings.local_addresses = {name};
  else
    notes.push_back(fmt::format("{} {}: the kernel chooses the interface; give an address of it", option, printable_prefix(value, 40)));
}

Expected<void> read_list(std::string_view value, std::vector<std::string>& into) {
  into.clear();
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    into.emplace_back(trim(value.substr(0, comma)));
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return {};
}

// FILE[:PASSWORD]
void read_cert(std::string_view option, std::string_view value, CurlSettings& settings, std::vector<std::string>& notes) {
  const std::size_t colon = value.find(':');
  settings.cert_file = value.substr(0, colon);
  if (colon != value.npos) notes.push_back(fmt::format("{}: keys with a passphrase can't be read", option));
}

Expected<void> read_proxy_header(std::string_view option, std::string_view value, CurlSettings& settings) {
  const std::size_t colon = value.find(':');
  if (colon == value.npos || colon == 0) return bad_value(option, value, "\"Name: value\"");
  settings.proxy_headers.emplace_back(value.substr(0, colon), trim(value.substr(colon + 1)));
  return {};
}

}  // namespace

Expected<void> read_curl_setting(CurlAct act, std::string_view option, std::string_view value, CurlSettings& settings,
                                 std::vector<std::string>& notes) {
  const bool is_on = value == "true";
  switch (act) {
    case CurlAct::location:
      settings.location = is_on;
      if (option == "--location-trusted") notes.emplace_back("--location-trusted: a redirect to another host gets no credentials");
      break;
    case CurlAct::max_redirs:
      return read_max_redirs(option, value, settings);
    case CurlAct::insecure:
      settings.insecure = is_on;
      break;
    case CurlAct::keepalive:
      settings.keep_alive = is_on;
      break;
    case CurlAct::max_time:
      return read_max_time(option, value, settings);
    case CurlAct::http1:
    case CurlAct::alpn:
      settings.http = is_on == (act == CurlAct::http1) ? CurlSettings::Http::http1 : CurlSettings::Http::unsaid;
      break;
    case CurlAct::http2:
      settings.http = CurlSettings::Http::unsaid;  // offered to https targets anyway
      break;
    case CurlAct::http2_only:
      settings.http = CurlSettings::Http::http2_only;
      break;
    case CurlAct::proxy:
      return read_proxy(option, value, "http", settings);
    case CurlAct::socks5:
      return read_proxy(option, value, "socks5", settings);
    case CurlAct::socks5_hostname:
      return read_proxy(option, value, "socks5h", settings);
    case CurlAct::proxy_header:
      return read_proxy_header(option, value, settings);
    case CurlAct::noproxy:
      settings.no_proxy = value;
      break;
    case CurlAct::connect_to:
      return read_connect_to(option, value, settings);
    case CurlAct::resolve:
      return read_resolve(option, value, settings);
    case CurlAct::unix_socket:
      settings.unix_socket = value;
      break;
    case CurlAct::abstract_unix_socket:
      settings.unix_socket = "@" + std::string(value);
      break;
    case CurlAct::local_address:
      read_interface(option, value, settings, notes);
      break;
    case CurlAct::dns_servers:
      return read_list(value, settings.resolvers);
    case CurlAct::cacert:
      settings.root_cert_files = {std::string(value)};
      break;
    case CurlAct::cert:
      read_cert(option, value, settings, notes);
      break;
    case CurlAct::key:
      settings.key_file = value;
      break;
    default:
      break;
  }
  return {};
}

Expected<void> add_proxy_user(std::string_view user, CurlSettings& settings) {
  if (!settings.proxy || settings.proxy->empty()) return {};
  const std::size_t colon = user.find(':');
  if (colon == user.npos) return usage_error("-U of the curl command needs a password too, as in user:password; none is asked for");
  std::string& proxy = *settings.proxy;
  const std::size_t from = proxy.find("://") + 3, at = proxy.rfind('@');
  if (at != proxy.npos && at >= from) proxy.erase(from, at + 1 - from);
  proxy.insert(from, escape_all(user.substr(0, colon)) + ":" + escape_all(user.substr(colon + 1)) + "@");
  return {};
}

void apply(const CurlSettings& s, AttackOptions& to) {
  to.redirects = s.location ? s.max_redirects : -1;
  to.compression = false;  // what a command asks for stands among its headers
  to.chunked = to.chunked || s.chunked;
  if (s.insecure) to.tls.verify = false;
  if (!s.keep_alive) to.keep_alive = false;
  if (s.http == CurlSettings::Http::http1) to.http2 = to.http2_only = to.h2c = false;
  if (s.http == CurlSettings::Http::http2_only) to.http2 = to.http2_only = true;
  if (s.timeout) to.timeout = *s.timeout;
  if (s.says_proxy()) to.proxy = {};
  if (s.proxy && s.no_proxy != "*") {
    // Hosts can be excepted from what the environment would say only.
    if (s.no_proxy.empty()) {
      to.proxy.url = *s.proxy;
    } else {
      to.proxy.for_http = to.proxy.for_https = *s.proxy;
      to.proxy.except = s.no_proxy;
    }
  }
  to.proxy.headers.insert(to.proxy.headers.end(), s.proxy_headers.begin(), s.proxy_headers.end());
  to.connect_to.insert(to.connect_to.end(), s.connect_to.begin(), s.connect_to.end());
  if (!s.unix_socket.empty()) to.unix_socket = s.unix_socket;
  if (!s.local_addresses.empty()) to.local_addresses = s.local_addresses;
  if (!s.resolvers.empty()) to.resolvers = s.resolvers;
  if (!s.root_cert_files.empty()) to.tls.root_cert_files = s.root_cert_files;
  if (!s.cert_file.empty()) to.tls.cert_file = s.cert_file;
  if (!s.key_file.empty()) to.tls.key_file = s.key_file;
}

}  // namespace thrum::targets
