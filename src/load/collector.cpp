#include "load/collector.hpp"

#include <fmt/format.h>

#include "base/duration.hpp"
#include "http/http2_error.hpp"
#include "http/status.hpp"

namespace thrum::load {
namespace {

constexpr std::size_t kMostWords = 10'000;

}  // namespace

std::string describe_timeout(Waiting waiting, Nanos timeout) {
  const std::string within = format_duration(timeout);
  switch (waiting) {
    case Waiting::for_connection:
      return fmt::format("timeout: no connection within {}", within);
    case Waiting::for_name:
      return fmt::format("timeout: name not resolved within {}", within);
    case Waiting::for_connect:
      return fmt::format("timeout: not connected within {}", within);
    case Waiting::for_proxy:
      return fmt::format("timeout: proxy did not answer within {}", within);
    case Waiting::for_handshake:
      return fmt::format("timeout: TLS handshake not done within {}", within);
    case Waiting::for_sending:
      return fmt::format("timeout: request not sent within {}", within);
    case Waiting::for_headers:
      return fmt::format("timeout: no response headers within {}", within);
    case Waiting::for_rest_of_headers:
      return fmt::format("timeout: response headers not complete within {}", within);
    case Waiting::for_body:
      return fmt::format("timeout: no response body within {}", within);
    case Waiting::for_rest_of_body:
      return fmt::format("timeout: response body not complete within {}", within);
  }
  return "timeout";
}

std::string describe(const net::Fault& fault, const Route& route) {
  if (fault.phase != net::Fault::Phase::proxy || fault.source != net::Fault::Source::answer)
    return net::describe(fault, route.endpoint, &route.way);
  const std::string_view reason = http::standard_reason(static_cast<int>(fault.code));
  return fmt::format("proxy: {}{}{}", fault.code, reason.empty() ? "" : " ", reason);
}

std::string describe(const Record& r, Nanos timeout) {
  switch (r.outcome) {
    case Outcome::ok:
    case Outcome::expected:
      return {};
    case Outcome::expectation:
      return *r.reason;
    case Outcome::bad_status: {
      const std::string_view reason = r.reason != nullptr ? std::string_view(*r.reason) : http::standard_reason(r.status);
      return reason.empty() ? fmt::format("{}", r.status) : fmt::format("{} {}", r.status, reason);
    }
    case Outcome::timeout:
      return describe_timeout(r.waiting, timeout);
    case Outcome::cut:
      return "cut: ended before its response came";
    case Outcome::truncated:
      if (r.fault.phase != net::Fault::Phase::none) return describe(r.fault, *r.route);
      [[fallthrough]];
    case Outcome::response:
      if (http::is_http2(r.parse_error))
        return http::describe_http2(r.parse_error, r.protocol_code, r.reason == nullptr ? std::string_view() : *r.reason);
      return fmt::format("response: {}", http::describe(r.parse_error));
    case Outcome::redirect:
      return "redirect: " + (r.reason != nullptr ? *r.reason : "to a URL that nothing can be sent to");
    case Outcome::client_limit:
      if (r.reason != nullptr) return *r.reason;
      [[fallthrough]];
    default:
      return describe(r.fault, *r.route);
  }
}

std::string_view Collector::words(const Record& r) {
  if (r.outcome == Outcome::expectation) return *r.reason;  // the target's own words, which may go with it
  const Key key{r.outcome,       r.fault.phase, r.fault.source,
                r.fault.code,    r.fault.place, r.parse_error,
                r.protocol_code, r.waiting,     r.outcome == Outcome::bad_status ? r.status : std::uint16_t{0},
                r.reason,        r.route->index};
  const auto known = words_.find(key);
  if (known != words_.end()) return known->second;
  return words_.emplace(key, describe(r, plan_.options.timeout)).first->second;
}

std::size_t Collector::drain(Ring<Record>& ring) {
  std::size_t count = 0;
  Record record;
  while (ring.pop(record)) {
    records_.push_back(record);
    ++count;
    if (records_.size() == kBatch) flush();
  }
  if (!records_.empty()) flush();
  return count;
}

void Collector::add(const Record& r) {
  Result& out = results_.emplace_back();
  const http::PreparedRequest& request = r.request->prepared;
  out.attack = plan_.options.name;
  out.method = request.method;
  out.url = request.url_text;
  out.name = r.request->name;
  out.seq = r.hit;
  out.is_warmup = r.due < Nanos(0);
  out.timestamp = started_.plus(r.sent);
  out.latency = r.end - r.sent;
  if (!r.is_closed_mode) out.lag = r.sent - r.due;
  if (r.first_byte != Result::kNone) out.first_byte = r.first_byte - r.sent;
  out.dns = r.dns;
  out.connect = r.connect;
  out.tls = r.tls;
  out.redirecting = r.redirecting;
  out.seen_status = r.status;
  out.outcome = r.outcome;
  out.retries = r.retries;
  out.redirects = r.redirects;
  if (is_whole_response(r.outcome)) {
    out.code = r.status;
    out.bytes_in = r.bytes_in;
    out.bytes_out = request.body_bytes().size();
  }
  if (!is_success(r.outcome)) out.error = words(r);
  if (r.capture == nullptr || r.status == 0) return;  // nothing came that could have been kept
  if (r.capture->max_body != 0) out.body = r.capture->body;
  if (r.capture->keep_headers) {
    auto& list = headers_.emplace_back();
    for (const auto& [name, value] : r.capture->headers) list.push_back({name, value});
    out.has_headers = true;
    out.headers = list;
  }
}

void Collector::flush() {
  results_.clear();
  headers_.clear();
  if (words_.size() >= kMostWords) words_.clear();  // not in the middle: results show what is in it
  if (status_) {
    for (const Record& r : records_) add(r);
    status_ = sink_.take(results_);
  }
  for (const Record& r : records_) {
    delete r.capture;
    if (r.request->is_owned) delete r.request;
  }
  records_.clear();
}

void Collector::tick() {
  if (status_) status_ = sink_.tick();
}

}  // namespace thrum::load
