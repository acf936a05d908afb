#include "mode/curl_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace thrum::mode {
namespace {

constexpr std::size_t kLongestBody = std::size_t{64} << 10;

std::string place(const std::string& host, std::uint16_t port) {
  const bool is_v6 = host.find(':') != host.npos && !host.starts_with('[');
  return fmt::format("{}:{}", is_v6 ? fmt::format("[{}]", host) : host, port == 0 ? "" : std::to_string(port));
}

class Flags {
 public:
  explicit Flags(const targets::CurlCommand& command) : command_(command) { out_.notes = command.notes; }

  Expected<CurlFlags> make() && {
    if (auto done = request(); !done) return std::unexpected(done.error());
    sending();
    connections();
    return std::move(out_);
  }

 private:
  void add(std::string_view flag, std::string value) { out_.flags.emplace_back(flag, std::move(value)); }

  Expected<void> request() {
    const Target& t = command_.target;
    add("url", t.url);
    if (t.method != "GET") add("method", t.method);
    for (const auto& [name, value] : t.headers) add("header", fmt::format("{}: {}", name, value));
    if (!t.request_target.empty()) out_.notes.push_back("the request's target can't be said by a flag: the URL's path is sent instead");
    if (!t.body || t.body.size() == 0) return {};
    const std::string_view body = *t.body;
    if (body.size() > kLongestBody || body.find('\0') != body.npos)
      return usage_error(
          fmt::format("the curl command's body ({} bytes) can't stand in a command line; write it to a file, and give @FILE", body.size()));
    if (body.starts_with('@'))
      return usage_error("the curl command's body begins with @, which would name a file; write it to one, and give @FILE");
    add("data", std::string(body));
    return {};
  }

  void sending() {
    const targets::CurlSettings& s = command_.settings;
    constexpr std::int32_t kOwn = 10;
    if (!s.location)
      add("redirects", "-1");
    else if (s.max_redirects != kOwn)
      add("redirects", std::to_string(s.max_redirects));
    add("compression", "false");
    if (s.insecure) add("insecure", "true");
    if (!s.keep_alive) add("keepalive", "false");
    if (s.chunked) add("chunked", "true");
    if (s.http == targets::CurlSettings::Http::http1) add("http2", "false");
    if (s.http == targets::CurlSettings::Http::http2_only) add("http2", "only");
    if (s.timeout) add("timeout", format_duration(*s.timeout));
  }

  void connections() {
    const targets::CurlSettings& s = command_.settings;
    if (s.says_proxy()) add("proxy", s.proxy.value_or("").empty() || s.no_proxy == "*" ? "none" : *s.proxy);
    if (s.proxy && !s.no_proxy.empty() && s.no_proxy != "*") out_.notes.push_back("--noproxy: the form has no exceptions from a proxy");
    for (const auto& [name, value] : s.proxy_headers) add("proxy-header", fmt::format("{}: {}", name, value));
    for (const ConnectTo& c : s.connect_to) add("connect-to", place(c.host, c.port) + ':' + place(c.to_host, c.to_port));
    if (!s.unix_socket.empty()) add("unix-socket", s.unix_socket);
    for (const std::string& each : s.local_addresses) add("laddr", each);
    for (const std::string& each : s.resolvers) add("resolvers", each);
    for (const std::string& each : s.root_cert_files) add("root-certs", each);
    if (!s.cert_file.empty()) add("cert", s.cert_file);
    if (!s.key_file.empty()) add("key", s.key_file);
  }

  const targets::CurlCommand& command_;
  CurlFlags out_;
};

}  // namespace

Expected<CurlFlags> flags_of(const targets::CurlCommand& command) { return Flags(command).make(); }

Expected<CurlFlags> read_curl_flags(std::span<const std::string> arguments) {
  const auto command = targets::read_curl(arguments);
  if (!command) return std::unexpected(command.error());
  return flags_of(*command);
}

}  // namespace thrum::mode
