// Renders the part of a request that is the same for each hit. docs/sending.md is the manual page of what is decided here.
#include "http/request.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "base/version.hpp"
#include "http/syntax.hpp"

namespace thrum::http {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

const std::string* find(const Headers& headers, std::string_view name) {
  for (const auto& [n, value] : headers)
    if (equal_ignoring_case(n, name)) return &value;
  return nullptr;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  for (std::string_view n : names)
    if (equal_ignoring_case(name, n)) return true;
  return false;
}

bool is_safe(std::string_view method) { return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE"; }

std::string base64(std::string_view in) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((in.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < in.size(); i += 3) {
    const std::size_t left = in.size() - i;
    std::uint32_t bits = static_cast<unsigned char>(in[i]) << 16;
    if (left > 1) bits |= static_cast<unsigned char>(in[i + 1]) << 8;
    if (left > 2) bits |= static_cast<unsigned char>(in[i + 2]);
    out += {kAlphabet[bits >> 18], kAlphabet[bits >> 12 & 63], left > 1 ? kAlphabet[bits >> 6 & 63] : '=',
            left > 2 ? kAlphabet[bits & 63] : '='};
  }
  return out;
}

// The user's headers: the target's own, and before them those for every target that it doesn't name itself.
Headers merge(const Target& target, const RequestDefaults& defaults) {
  Headers merged;
  for (const auto& header : defaults.headers)
    if (!find(target.headers, header.first)) merged.push_back(header);
  merged.insert(merged.end(), target.headers.begin(), target.headers.end());
  for (auto& [name, value] : merged) value = std::string(trim_blanks(value));
  return merged;
}

bool is_request_target(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; });
}

std::optional<std::string> find_fault(const Target& target, const Headers& headers) {
  if (!is_token(target.method)) return "\"" + printable_prefix(target.method, 40) + "\" is not a method: letters, digits and - only";
  if (!is_request_target(target.request_target)) return "a blank or control character in what its request line asks for";
  for (const auto& [name, value] : headers) {
    if (!is_token(name)) return "\"" + printable_prefix(name, 40) + "\" is not a header name: letters, digits and - only";
    if (!is_field_value(value)) return "the value of header " + name + " holds a control character";
  }
  return std::nullopt;
}

class HeadWriter {
 public:
  explicit HeadWriter(const Headers& user) : user_(user) {}

  void request_line(std::string_view method, std::string_view target) {
    head_.append(method).append(" ").append(target).append(" HTTP/1.1\r\n");
  }
  void line(std::string_view name, std::string_view value) { head_.append(name).append(": ").append(value).append("\r\n"); }
  // A header of our own, which a line of that name replaces or, when it is empty, removes.
  void line_unless_named(std::string_view name, std::string_view value) {
    if (!find(user_, name)) line(name, value);
  }
  void user_lines(bool named_attack) {
    for (const auto& [name, value] : user_) {
      if (is_one_of(name, {"Host", "Content-Length", "Transfer-Encoding", "Trailer", "X-Thrum-Seq"})) continue;
      if (named_attack && equal_ignoring_case(name, "X-Thrum-Attack")) continue;
      if (value.empty() && is_one_of(name, {"User-Agent", "Accept-Encoding", "Authorization", "Connection"})) continue;
      line(name, value);
    }
  }
  std::string finish() && { return std::move(head_) + "X-Thrum-Seq: "; }

 private:
  const Headers& user_;
  std::string head_;
};

std::string render(const Target& target, const RequestDefaults& defaults, const Headers& user, const PreparedRequest& request) {
  const Url& url = request.url;
  const std::string* host = find(user, "Host");
  const std::string& authority = host && !host->empty() ? *host : url.authority;
  HeadWriter head(user);
  // CONNECT asks for a host, not for a page, when its URL names none (RFC 9112 section 3.2.3).
  const std::string& asked = target.request_target.empty() ? url.target : target.request_target;
  head.request_line(target.method, target.method == "CONNECT" && !url.has_path ? authority : asked);
  head.line("Host", authority);
  head.line_unless_named("User-Agent", "thrum/" + std::string(kVersion));
  const std::size_t length = request.body_bytes().size();
  if (request.is_chunked)
    head.line("Transfer-Encoding", "chunked");
  else if (length > 0 || target.method == "POST" || target.method == "PUT" || target.method == "PATCH")
    head.line("Content-Length", std::to_string(length));
  head.user_lines(!defaults.attack_name.empty());
  if (!url.user_info.empty()) head.line_unless_named("Authorization", basic_credentials(url.user_info));
  if (defaults.compression && !request.is_head && !find(user, "Range")) head.line_unless_named("Accept-Encoding", "gzip");
  if (!defaults.keep_alive) head.line_unless_named("Connection", "close");
  if (!defaults.attack_name.empty()) head.line("X-Thrum-Attack", trim_blanks(defaults.attack_name));
  return std::move(head).finish();
}

}  // namespace

std::string basic_credentials(std::string_view user_info) { return "Basic " + base64(user_info); }

Expected<PreparedRequest> prepare(const Target& target, const RequestDefaults& defaults) {
  Expected<Url> url = parse_url(target.url);
  if (!url) return std::unexpected(std::move(url.error()));
  const Headers headers = merge(target, defaults);
  if (const std::optional<std::string> fault = find_fault(target, headers))
    return failure("bad target " + printable_prefix(target.method, 20) + " " + printable_prefix(target.url, 120) + ": " + *fault);
  if (!is_field_value(defaults.attack_name)) return failure("the attack's name holds a control character: it is sent as X-Thrum-Attack");

  PreparedRequest request;
  request.url = std::move(*url);
  request.method = target.method;
  request.url_text = target.url;
  request.body = target.body ? target.body : defaults.body;
  request.is_head = target.method == "HEAD";
  request.is_chunked = defaults.chunked && request.body.size() > 0;
  request.is_idempotent = is_safe(target.method) || find(headers, "Idempotency-Key") || find(headers, "X-Idempotency-Key");
  request.asks_close = !defaults.keep_alive;
  for (const auto& [name, value] : headers) {
    if (equal_ignoring_case(name, "Connection") && list_holds(value, "close")) request.asks_close = true;
    if (equal_ignoring_case(name, "Expect") && list_holds(value, "100-continue")) request.expects_continue = request.body.size() > 0;
  }
  request.head = render(target, defaults, headers, request);
  return request;
}

void address_to_proxy(PreparedRequest& request, std::string_view lines) {
  std::string_view rest = request.head;
  const std::string_view line = rest.substr(0, rest.find("\r\n") + 2);
  rest.remove_prefix(line.size());
  const std::string_view host = rest.substr(0, rest.find("\r\n") + 2);
  rest.remove_prefix(host.size());
  // The target of CONNECT is a host already.
  const std::size_t target = request.method.size() + 1;
  request.proxied_head = line.substr(0, target);
  if (line.substr(target).starts_with('/')) request.proxied_head.append("http://").append(request.url.authority);
  request.proxied_head.append(line.substr(target)).append(host).append(lines).append(rest);
}

void add_http2_head(PreparedRequest& request) { request.http2 = to_http2(request.head, request.url.tls ? "https" : "http"); }

std::size_t render_head(const PreparedRequest& request, std::uint64_t sequence, char* to) {
  const std::string& head = request.head_to_send();
  char* p = to + head.size();
  std::memcpy(to, head.data(), head.size());
  p = std::to_chars(p, p + kSequenceRoom, sequence).ptr;
  std::memcpy(p, "\r\n\r\n", 4);
  return static_cast<std::size_t>(p + 4 - to);
}

}  // namespace thrum::http
