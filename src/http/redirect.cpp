// The next request is made by editing the head of the one before: what both have in common is rendered there, and no list of
// headers needs to be kept for the few requests that are redirected.
#include "http/redirect.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "http/response_parser.hpp"

namespace thrum::http {
namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether it begins with a scheme, or with the colon of a missing one: it is not relative then.
bool is_absolute(std::string_view reference) {
  const std::size_t end = reference.find_first_of(":/?#");
  if (end == reference.npos || reference[end] != ':') return false;
  return end == 0 || is_letter(reference.front());
}

bool names_host(std::string_view reference) { return is_absolute(reference) || reference.starts_with("//"); }

std::string origin_of(const Url& url) { return (url.tls ? "https://" : "http://") + url.authority; }

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

// What a browser does to a query that can't stand in a request line as it is.
std::string escape_query(std::string_view query) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : query) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f)
      out += c;
    else
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

// The reference with all that it leaves out taken from `base`: the text of an absolute URL.
std::string complete(const Url& base, std::string_view reference) {
  if (is_absolute(reference)) return std::string(reference);
  if (reference.starts_with("//")) return (base.tls ? "https:" : "http:") + std::string(reference);
  const std::string_view base_path = path_of(base.target);
  if (reference.empty()) return origin_of(base) + base.target;
  if (reference.starts_with('?')) return origin_of(base).append(base_path).append(reference);
  if (reference.starts_with('/')) return origin_of(base).append(reference);
  return origin_of(base).append(base_path.substr(0, base_path.rfind('/') + 1)).append(reference);
}

bool keeps_credentials(const Url& from, const Url& to) {
  if (!equal_ignoring_case(from.host, to.host)) return false;
  if (from.tls == to.tls) return from.port == to.port;
  return to.tls && from.port == 80 && to.port == 443;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view n) { return equal_ignoring_case(name, n); });
}

bool is_credential(std::string_view name) {
  return is_one_of(name, {"Authorization", "Cookie", "Cookie2", "Proxy-Authorization", "Proxy-Authenticate", "WWW-Authenticate"});
}

// RFC 9110 section 15.4: what speaks of a body goes with it.
bool is_about_body(std::string_view name) {
  constexpr std::string_view kPrefix = "Content-";
  return equal_ignoring_case(name.substr(0, kPrefix.size()), kPrefix) || is_one_of(name, {"Expect", "Digest", "Last-Modified", "Trailer"});
}

// What changes from one request to the next.
struct Edit {
  bool drops_body = false, drops_credentials = false, replaces_host = false, replaces_referer = false;
  std::string referer = {};  // empty: none is added
};

class HeadEditor {
 public:
  HeadEditor(const PreparedRequest& before, PreparedRequest& next, const Edit& edit) : before_(before), next_(next), edit_(edit) {}

  std::string edited() {
    std::string_view rest = before_.head;
    take_line(rest);
    out_ = next_.method + " " + next_.url.target + " HTTP/1.1\r\n";
    for (std::size_t end = rest.find("\r\n"); end != rest.npos; end = rest.find("\r\n")) edit(take_line(rest));
    if (!next_.url.user_info.empty() && !has_authorization_) line("Authorization", basic_credentials(next_.url.user_info));
    if (!edit_.referer.empty()) line("Referer", edit_.referer);
    return std::move(out_.append(rest));  // the last line waits for the hit's number
  }

 private:
  static std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    return line;
  }
  void line(std::string_view name, std::string_view value) { out_.append(name).append(": ").append(value).append("\r\n"); }

  void edit(std::string_view text) {
    const std::string_view name = text.substr(0, text.find(':'));
    if (edit_.replaces_host && equal_ignoring_case(name, "Host")) return line("Host", next_.url.authority);
    if (edit_.drops_body && is_about_body(name)) return;
    if (equal_ignoring_case(name, "Transfer-Encoding")) {
      if (!edit_.drops_body) line("Content-Length", std::to_string(next_.body_bytes().size()));
      return;
    }
    if (edit_.drops_credentials && is_credential(name)) return;
    if (edit_.replaces_referer && equal_ignoring_case(name, "Referer")) return;
    has_authorization_ = has_authorization_ || equal_ignoring_case(name, "Authorization");
    out_.append(text).append("\r\n");
  }

  const PreparedRequest& before_;
  const PreparedRequest& next_;
  const Edit& edit_;
  std::string out_;
  bool has_authorization_ = false;
};

// Whether the user gave a Referer: it stays theirs along the whole chain.
bool has_users_referer(const PreparedRequest& request) {
  if (request.referer_is_ours) return false;
  std::string_view rest = request.head;
  for (std::size_t end = rest.find("\r\n"); end != rest.npos; end = rest.find("\r\n")) {
    if (equal_ignoring_case(rest.substr(0, std::min(rest.find(':'), end)), "Referer")) return true;
    rest.remove_prefix(end + 2);
  }
  return false;
}

}  // namespace

std::string without_dots(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(1, end - 1);
    path.remove_prefix(end);
    if (segment == "..") out.resize(std::min(out.rfind('/'), out.size()));
    if (segment != "." && segment != "..")
      out.append("/").append(segment);
    else if (path.empty())
      out += '/';
  }
  return out;
}

Expected<Url> resolve(const Url& base, std::string_view location) {
  Expected<Url> url = parse_url(complete(base, location.substr(0, location.find('#'))));
  if (!url) return url;
  if (!names_host(location)) url->host = base.host;  // with the zone of a link-local address, which no URL shows
  const std::string_view path = path_of(url->target);
  url->target = without_dots(path) + escape_query(std::string_view(url->target).substr(path.size()));
  if (url->target.size() > kMaxRedirectTarget) return failure("a URL longer than 32 KiB");
  return url;
}

Expected<PreparedRequest> follow(const PreparedRequest& request, int status, std::string_view location) {
  if (location.size() > kMaxLocation) return failure("a Location longer than 8 KiB");
  Expected<Url> url = resolve(request.url, location);
  if (!url) return std::unexpected(std::move(url.error()));

  PreparedRequest next;
  next.url = std::move(*url);
  next.url_text = origin_of(next.url) + next.url.target;
  const bool repeats = repeats_request(status);
  next.method = repeats || request.method == "HEAD" ? request.method : "GET";
  if (repeats) next.body = request.body;
  next.expects_continue = repeats && request.expects_continue;
  next.is_head = next.method == "HEAD";
  next.is_idempotent = request.is_idempotent || !repeats;
  next.asks_close = request.asks_close;

  const bool has_referer = has_users_referer(request);
  Edit edit;
  edit.drops_body = !repeats;
  edit.drops_credentials = !keeps_credentials(request.url, next.url);
  edit.replaces_host = names_host(location);
  edit.replaces_referer = !has_referer;
  if (!has_referer && (next.url.tls || !request.url.tls)) edit.referer = origin_of(request.url) + request.url.target;
  next.referer_is_ours = !edit.referer.empty();
  next.head = HeadEditor(request, next, edit).edited();
  return next;
}

}  // namespace thrum::http
