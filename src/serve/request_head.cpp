// The grammar of one complete request head: RFC 9112 sections 3 and 5 to 7, RFC 9110 sections 5, 7.2, 8.6 and 10.1.1.
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "serve/request_parser.hpp"

namespace thrum::serve {
namespace {

enum CharClass : std::uint8_t { kToken = 1, kTarget = 2, kValue = 4 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> t{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool mark = std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
    std::uint8_t is = 0;
    if (letter || (mark && c != 0)) is |= kToken;
    if (c > ' ' && c != 0x7f) is |= kTarget;
    if ((c >= ' ' && c != 0x7f) || c == '\t') is |= kValue;
    t[static_cast<std::size_t>(c)] = is;
  }
  return t;
}
constexpr auto kClasses = make_classes();

bool all_of(std::string_view s, CharClass wanted) {
  std::uint8_t seen = wanted;
  for (const char c : s) seen &= kClasses[static_cast<unsigned char>(c)];
  return seen != 0;
}

// The next line without its end (CRLF, or a lone LF as section 2.2 allows); `rest` moves on.
std::string_view take_line(std::string_view& rest) {
  const std::size_t lf = rest.find('\n');
  std::string_view line = rest.substr(0, lf);
  rest.remove_prefix(lf == rest.npos ? rest.size() : lf + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trim_blanks(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

// Calls `see` for each member of a comma-separated list.
template <class F>
void for_each_member(std::string_view list, F see) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view member = trim_blanks(list.substr(0, comma));
    if (!member.empty()) see(member);
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
  }
}

void split_target(RequestHead& head) {
  std::string_view path = head.target;
  if (!path.starts_with('/')) {
    const std::size_t scheme = path.find("://");
    if (scheme != path.npos) {
      const std::size_t start = path.find_first_of("/?", scheme + 3);
      path = start == path.npos ? std::string_view("/") : path.substr(start);
    }
  }
  const std::size_t question = path.find('?');
  head.path = path.substr(0, question);
  head.query = question == path.npos ? std::string_view() : path.substr(question + 1);
  if (head.path.empty()) head.path = "/";
}

RequestError parse_request_line(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == line.npos || first == last) return RequestError::bad_request_line;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (head.method.empty() || !all_of(head.method, kToken)) return RequestError::bad_request_line;
  if (head.target.empty() || !all_of(head.target, kTarget)) return RequestError::bad_request_line;
  const bool digits = version.size() == 8 && version.starts_with("HTTP/") && version[6] == '.' && version[5] >= '0' && version[5] <= '9' &&
                      version[7] >= '0' && version[7] <= '9';
  if (!digits) return RequestError::bad_request_line;
  if (version[5] != '1') return RequestError::unknown_version;
  head.minor_version = version[7] == '0' ? 0 : 1;
  split_target(head);
  return RequestError::none;
}

// Section 6.3: a list of the same number counts as that number.
bool add_length(std::string_view value, RequestHead& head) {
  bool good = true, any = false;
  for_each_member(value, [&](std::string_view member) {
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(member.data(), member.data() + member.size(), n);
    any = true;
    if (error != std::errc() || end != member.data() + member.size() || (head.content_length && *head.content_length != n)) good = false;
    head.content_length = n;
  });
  return good && any;
}

struct Seen {
  int hosts = 0;
  bool close = false, keep_alive = false, coding = false;
};

// What this server needs to know of a header.
RequestError note_header(const Header& h, RequestHead& head, Seen& seen) {
  switch (h.name.size()) {  // most headers are none of these
    case 4:
      if (equal_ignoring_case(h.name, "host")) ++seen.hosts;
      break;
    case 6:
      if (equal_ignoring_case(h.name, "expect")) {
        if (!equal_ignoring_case(h.value, "100-continue")) return RequestError::unknown_expectation;
        head.expects_continue = head.minor_version >= 1;
      }
      break;
    case 10:
      if (equal_ignoring_case(h.name, "connection"))
        for_each_member(h.value, [&](std::string_view option) {
          seen.close |= equal_ignoring_case(option, "close");
          seen.keep_alive |= equal_ignoring_case(option, "keep-alive");
        });
      break;
    case 14:
      if (equal_ignoring_case(h.name, "content-length") && !add_length(h.value, head)) return RequestError::bad_length;
      break;
    case 17:
      if (equal_ignoring_case(h.name, "transfer-encoding")) {
        if (seen.coding || !equal_ignoring_case(h.value, "chunked")) return RequestError::unknown_coding;
        seen.coding = true;
      }
      break;
    default:
      break;
  }
  return RequestError::none;
}

RequestError parse_headers(std::string_view rest, RequestHead& head) {
  Seen seen;
  for (;;) {
    const std::string_view line = take_line(rest);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0) return RequestError::bad_header;
    const Header h{line.substr(0, colon), trim_blanks(line.substr(colon + 1))};
    // A line that begins with a blank (obs-fold) or has one before the colon fails here.
    if (!all_of(h.name, kToken) || !all_of(h.value, kValue)) return RequestError::bad_header;
    if (head.headers.size() == kMaxRequestHeaders) return RequestError::head_too_large;
    head.headers.push_back(h);
    if (const RequestError e = note_header(h, head, seen); e != RequestError::none) return e;
  }
  if (seen.hosts > 1 || (seen.hosts == 0 && head.minor_version >= 1)) return RequestError::bad_host;
  // Both, or a coding that HTTP/1.0 does not know: section 6.1 asks for suspicion.
  if (seen.coding && (head.content_length || head.minor_version == 0)) return RequestError::bad_length;
  head.is_chunked = seen.coding;
  head.keep_alive = !seen.close && (head.minor_version >= 1 || seen.keep_alive);
  return RequestError::none;
}

}  // namespace

int status_of(RequestError e) {
  switch (e) {
    case RequestError::head_too_large:
      return 431;
    case RequestError::body_too_large:
      return 413;
    case RequestError::unknown_coding:
      return 501;
    case RequestError::unknown_expectation:
      return 417;
    case RequestError::unknown_version:
      return 505;
    default:
      return 400;
  }
}

std::string_view describe(RequestError e) {
  switch (e) {
    case RequestError::none:
      return "no error";
    case RequestError::bad_request_line:
      return "malformed request line: it should read METHOD SP target SP HTTP/1.1";
    case RequestError::bad_header:
      return "malformed header: each should read Name: value, in one line without control characters";
    case RequestError::bad_host:
      return "a request should have exactly one Host header";
    case RequestError::bad_length:
      return "bad Content-Length: it should be one number, and stand alone";
    case RequestError::bad_chunk:
      return "malformed chunk: each should be a hexadecimal size, CRLF, that many bytes, CRLF";
    case RequestError::head_too_large:
      return "request line and headers are too large: at most 64 KiB and 256 headers";
    case RequestError::body_too_large:
      return "request body is too large";
    case RequestError::unknown_coding:
      return "unknown Transfer-Encoding: only chunked is understood";
    case RequestError::unknown_expectation:
      return "unknown expectation: only 100-continue is understood";
    case RequestError::unknown_version:
      return "unknown HTTP version: only HTTP/1.0 and HTTP/1.1 are understood";
  }
  return "";
}

std::optional<std::string_view> RequestHead::header(std::string_view name) const {
  for (const Header& h : headers)
    if (h.name.size() == name.size() && equal_ignoring_case(h.name, name)) return h.value;
  return std::nullopt;
}

RequestError parse_head(std::string_view raw, RequestHead& head) {
  head.raw = raw;
  head.method = head.target = head.path = head.query = {};
  head.headers.clear();
  head.content_length.reset();
  head.is_chunked = head.expects_continue = false;
  head.keep_alive = true;
  std::string_view rest = raw;
  if (const RequestError e = parse_request_line(take_line(rest), head); e != RequestError::none) return e;
  return parse_headers(rest, head);
}

}  // namespace thrum::serve
