// What came of one hit: the row that every reader, writer, metric and report shares.
// A Result is a view: its strings and spans belong to whoever handed it out and live until the call returns
// (ResultSink::take) or the next batch is read (a reader). Copy what you keep.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace thrum {

using Nanos = std::chrono::nanoseconds;

// A wall-clock time of any year from 1 to 9999, as vegeta's files may hold, with the zone it was written in.
struct Timestamp {
  std::int64_t seconds = 0;  // since 1970-01-01T00:00:00Z, may be negative
  std::int32_t nanos = 0;    // 0 … 999,999,999
  std::int32_t zone = 0;     // offset east of UTC in seconds, or kLocalZero; for printing only

  // An offset of zero that is not UTC by name: vegeta's gob tells the two apart.
  static constexpr std::int32_t kLocalZero = INT32_MIN;
  constexpr std::int32_t offset() const { return zone == kLocalZero ? 0 : zone; }

  static constexpr Timestamp from_unix(Nanos since_epoch) {
    std::int64_t s = since_epoch.count() / 1'000'000'000, n = since_epoch.count() % 1'000'000'000;
    if (n < 0) n += 1'000'000'000, --s;
    return {s, static_cast<std::int32_t>(n), 0};
  }
  // Later by d (which may be negative); the zone stays.
  constexpr Timestamp plus(Nanos d) const {
    std::int64_t n = nanos + d.count() % 1'000'000'000, s = seconds + d.count() / 1'000'000'000;
    if (n < 0) n += 1'000'000'000, --s;
    if (n >= 1'000'000'000) n -= 1'000'000'000, ++s;
    return {s, static_cast<std::int32_t>(n), zone};
  }
  // this - other, held within what 64 bits of nanoseconds can say (292 years), as Go does.
  constexpr Nanos since(Timestamp other) const {
    const std::int64_t s = seconds - other.seconds;
    std::int64_t d = 0;
    if (__builtin_mul_overflow(s, std::int64_t{1'000'000'000}, &d) || __builtin_add_overflow(d, std::int64_t{nanos - other.nanos}, &d))
      return Nanos(s < 0 ? INT64_MIN : INT64_MAX);
    return Nanos(d);
  }
  constexpr bool before(Timestamp o) const { return seconds != o.seconds ? seconds < o.seconds : nanos < o.nanos; }
  constexpr bool same_instant(Timestamp o) const { return seconds == o.seconds && nanos == o.nanos; }
};

struct Header {
  std::string_view name;   // as the server wrote it
  std::string_view value;  // one value; a repeated header is repeated here, in order
  bool no_value = false;   // the name stands with no list of values (`value` is "null") or an empty one; vegeta's files can say that
};

// What ended a hit, by the phase in which it ended. Numbers are part of the native format: append only.
enum class Outcome : std::uint8_t {
  ok = 0,
  bad_status = 1,  // a whole response that does not count as success
  dns = 2,
  connect = 3,
  tls = 4,
  proxy = 5,
  send = 6,
  response = 7,   // bytes that are not an HTTP response, or over our limits
  truncated = 8,  // the response ended before its end
  timeout = 9,
  cut = 10,           // ended by us: a second Ctrl-C, or the grace period
  client_limit = 11,  // our own machine: descriptors, local ports, memory
  expectation = 12,   // the user's own expectation of the response was not met
  redirect = 13,      // too many, or to where one can't go
  unknown = 14,       // failed, in a file that doesn't say how (vegeta's)
  expected = 15,      // a whole response of a status that counts as success only because the user said so
};

// From when a latency counts.
enum class LatencyClock : std::uint8_t {
  service,   // end - sent: what the target took
  response,  // end - due: what somebody who came then had to wait
};

struct Result {
  static constexpr Nanos kNone = Nanos(INT64_MIN);  // for times that the source does not know, or phases not gone through

  std::string_view attack;  // the attack's name, empty if none
  std::string_view method;
  std::string_view url;
  std::string_view name;     // the target's, empty if it has none
  std::string_view error;    // empty on success; else `phase: cause`, or "503 Service Unavailable"
  std::uint64_t seq = 0;     // hit number, from 0
  Timestamp timestamp;       // when the request was sent, wall clock
  Nanos latency{0};          // service latency: end - sent
  Nanos lag = kNone;         // sent - due; response latency is latency + lag
  Nanos first_byte = kNone;  // first byte of the response - sent
  Nanos dns = kNone;         // these three only on the hit that opened the connection
  Nanos connect = kNone;
  Nanos tls = kNone;
  Nanos redirecting = kNone;      // until the last redirect on the way to the response had come, of hits that followed any
  std::uint64_t bytes_out = 0;    // body bytes sent
  std::uint64_t bytes_in = 0;     // body bytes received, as they came over the wire
  std::uint16_t code = 0;         // HTTP status; 0 when the hit ended in a transport error
  std::uint16_t seen_status = 0;  // the status already seen when a later error made code 0
  Outcome outcome = Outcome::ok;
  std::uint8_t retries = 0;              // times the request was sent again because a kept connection had gone stale
  std::uint16_t redirects = 0;           // followed on the way to the response; method, url and bytes_out are those of the first request
  std::optional<std::string_view> body;  // captured response body; nullopt: not kept (vegeta's null)
  bool is_warmup = false;                // sent before the run began: of no figure; `seq` counts these apart
  bool has_headers = false;              // headers were kept, though there may be none
  std::span<const Header> headers;

  bool has_lag() const { return lag != kNone; }
  Timestamp end() const { return timestamp.plus(latency); }
  // The latency by a clock; a result that doesn't know when it was due has one only.
  Nanos latency_by(LatencyClock clock) const {
    if (clock == LatencyClock::service || !has_lag()) return latency;
    std::int64_t response = 0;
    if (__builtin_add_overflow(latency.count(), lag.count(), &response)) response = latency.count() < 0 ? INT64_MIN : INT64_MAX;
    return Nanos(response);
  }
};

}  // namespace thrum
