// What a shard says of a hit that is over: fixed in size, without text, cheap to write. The collector makes Results of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/expectation.hpp"
#include "http/request.hpp"
#include "http/response_parser.hpp"
#include "net/link.hpp"
#include "thrum/result.hpp"

namespace thrum::load {

// Where requests of a kind go: connections are shared by the requests of one route. Lives as long as the attack.
struct Route {
  enum class Http2 : std::uint8_t { never, if_chosen, always };

  net::Endpoint endpoint;
  net::Way way;
  std::string proxy;              // as people may see it; empty: none
  bool takes_whole_urls = false;  // it is the proxy that requests are sent to
  std::string proxy_lines;        // header lines for it
  Http2 http2 = Http2::never;     // if_chosen: by the server, in the TLS handshake
  std::uint32_t index = 0;
};

// A target ready to be sent.
struct Request {
  http::PreparedRequest prepared;
  std::string name = {};  // the target's
  const Route* route = nullptr;
  std::shared_ptr<const http::Expectation> expectation = {};  // null: none but the usual
  bool is_owned =
      false;  // read lazily, or made for one hit's redirect: belongs to the hit that sends it, targets are freed by the collector
};

// Captured bytes of one response. All captures in flight share one budget: when it is used up, bodies are cut short (and that
// is counted) rather than memory exhausted.
struct Capture final : http::ResponseCapture {
  static constexpr std::int64_t kMostInFlight = 64 << 20;

  Capture(bool with_headers, std::int64_t most, std::atomic<std::int64_t>& shared)
      : keep_headers(with_headers), max_body(most), in_flight(shared) {}
  ~Capture() override { in_flight.fetch_sub(charged, std::memory_order_relaxed); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  void on_header(std::string_view name, std::string_view value) override;
  void on_body(std::span<const char> bytes) override;
  bool wants_body() const override { return max_body < 0 || static_cast<std::int64_t>(body.size()) < max_body; }
  void clear() {
    headers.clear();
    body.clear();
    in_flight.fetch_sub(std::exchange(charged, 0), std::memory_order_relaxed);
  }

  bool keep_headers;
  std::int64_t max_body;  // -1: all
  std::atomic<std::int64_t>& in_flight;
  std::int64_t charged = 0;
  bool was_truncated = false;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// What a timed-out hit was waiting for.
enum class Waiting : std::uint8_t {
  for_connection,
  for_name,
  for_connect,
  for_proxy,
  for_handshake,
  for_sending,
  for_headers,
  for_rest_of_headers,
  for_body,
  for_rest_of_body,
};

inline bool is_success(Outcome outcome) { return outcome == Outcome::ok || outcome == Outcome::expected; }
inline bool is_whole_response(Outcome outcome) {
  return is_success(outcome) || outcome == Outcome::bad_status || outcome == Outcome::expectation;
}

struct Record {
  std::uint64_t hit = 0;
  Nanos due{0}, sent{0}, end{0};                                            // from the attack's start
  Nanos first_byte = Result::kNone;                                         // likewise
  Nanos dns = Result::kNone, connect = Result::kNone, tls = Result::kNone;  // lengths
  Nanos redirecting = Result::kNone;                                        // likewise
  std::uint64_t bytes_in = 0;
  const Request* request = nullptr;  // the hit's target
  const Route* route = nullptr;      // where its last request went
  const std::string* reason =
      nullptr;                 // the server's own reason phrase where it isn't the standard one; why it can't be followed; what it breaks
  Capture* capture = nullptr;  // the collector's to free
  net::Fault fault{};          // outcomes dns … send, truncated by a broken connection
  std::uint16_t status = 0;    // as seen, whatever came after
  Outcome outcome = Outcome::ok;
  std::uint8_t retries = 0;
  std::uint16_t redirects = 0;
  http::ParseError parse_error = http::ParseError::none;
  std::uint32_t protocol_code = 0;  // HTTP/2's, where parse_error is one of HTTP/2's; `reason`: what came instead of HTTP/2
  Waiting waiting = Waiting::for_connection;
  bool is_closed_mode = false;  // due means nothing
};

}  // namespace thrum::load
