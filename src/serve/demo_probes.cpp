// The part of the demo site that tests need: one endpoint for each thing a server may do.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "serve/demo_answers.hpp"
#include "serve/demo_site.hpp"
#include "serve/pattern.hpp"

namespace thrum::serve {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxDelay = 60 * 60 * 1000;  // ms
constexpr std::uint64_t kMaxChunks = 1'000'000'000;
constexpr std::uint64_t kMaxRedirects = 1'000'000;

std::optional<std::uint64_t> number(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || n < least || n > most) return std::nullopt;
  return n;
}

// The first value of that name in a query; none if there is none.
std::optional<std::string_view> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) == name) return equals == pair.npos ? std::string_view() : pair.substr(equals + 1);
  }
  return std::nullopt;
}

}  // namespace

void DemoSite::status(const Call& call) {
  const auto n = number(call.rest, 100, 599);
  if (!n) return answer_error(call.ticket, 400, "a status from 100 to 599 should follow, as in /status/503");
  const int status = static_cast<int>(*n);
  if (status == 101) return answer_error(call.ticket, 400, "101 would need a protocol to switch to");
  const std::string body = fmt::format("{}\n", status);
  if (status < 200) {  // interim: a final one must follow
    call.ticket.answer({.body = body, .interim = status});
  } else {
    call.ticket.answer({.status = status, .headers = status == 401 ? "WWW-Authenticate: Bearer\r\n" : "", .body = body});
  }
}

void DemoSite::bytes(const Call& call) {
  const auto n = number(call.rest, 0, kMaxBytes);
  if (!n) return answer_error(call.ticket, 400, "a number of bytes up to 2^40 should follow, as in /bytes/16");
  answer_pattern(call.ticket, *n);
}

void DemoSite::delay(const Call& call) {
  const std::string_view query = call.request.head.query;
  const auto ms = number(query_value(query, "ms").value_or(""), 0, kMaxDelay);
  if (!ms) return answer_error(call.ticket, 400, "milliseconds up to an hour should follow, as in /delay?ms=200");
  const auto size = number(query_value(query, "bytes").value_or("0"), 0, kMaxBytes);
  if (!size) return answer_error(call.ticket, 400, "bytes should be a number up to 2^40, as in /delay?ms=200&bytes=16");
  delays_.submit(call.ticket, std::chrono::milliseconds(*ms), *size);
}

void DemoSite::echo(const Call& call) { call.ticket.answer({.body = call.request.raw}); }

void DemoSite::redirect(const Call& call) {
  const auto n = number(call.rest, 0, kMaxRedirects);
  if (!n) return answer_error(call.ticket, 400, "a number of redirects should follow, as in /redirect/3");
  if (*n == 0) {
    call.ticket.answer({.body = "arrived\n"});
    return;
  }
  const std::string_view query = call.request.head.query;
  const auto status = number(query_value(query, "status").value_or("302"), 301, 308);
  if (!status || (*status > 303 && *status < 307)) return answer_error(call.ticket, 400, "status should be 301, 302, 303, 307 or 308");
  const std::string location =
      fmt::format("Location: /redirect/{}{}\r\n", *n - 1, *status == 302 ? "" : fmt::format("?status={}", *status));
  call.ticket.answer({.status = static_cast<int>(*status), .headers = location, .body = "further on\n"});
}

void DemoSite::chunked(const Call& call) {
  const std::string_view query = call.request.head.query;
  const auto n = number(call.rest, 0, kMaxChunks);
  if (!n) return answer_error(call.ticket, 400, "a number of chunks should follow, as in /chunked/10");
  const auto size = number(query_value(query, "size").value_or("16"), 1, kPatternBytes);
  if (!size) return answer_error(call.ticket, 400, "size should be 1 to 262144 bytes, as in /chunked/10?size=100");
  const bool trailers = query_value(query, "trailers").value_or("0") == "1";
  call.ticket.answer({.stream = std::make_unique<ChunkedBody>(*n, static_cast<std::size_t>(*size), trailers)});
}

void DemoSite::close(const Call& call) { call.ticket.answer({.body = "goodbye\n", .close = true}); }

}  // namespace thrum::serve
