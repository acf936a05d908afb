// Numbers from results, in memory that does not grow with the number of results.
//
//   thrum::Metrics metrics;
//   metrics.add(results);                    // as often as there are some
//   const thrum::Figures& f = metrics.close();
//   f.latencies.p99, f.rate, metrics.quantile(0.999)
//
// Figures are vegeta's, field by field and by its formulas; what thrum knows beyond (what clients felt, what failed and how)
// stands beside them as members of Metrics. Not for several threads at once: one Metrics each, then merge().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/histogram.hpp"
#include "thrum/result.hpp"
#include "thrum/status_set.hpp"

namespace thrum {

// By its code, unless the hit failed for another reason (an expectation not met, a redirect that went nowhere), or the user said what
// to expect and this is it.
bool is_success(const Result& result, const StatusSet& success);

struct MetricsOptions {
  StatusSet success;
  LatencyClock clock = LatencyClock::service;  // of all latencies but those that are named by theirs
};

// What vegeta reports.
struct Figures {
  struct Latencies {
    Nanos total{0};  // the sum; beyond 292 years it wraps round, as vegeta's does
    Nanos mean{0}, p50{0}, p90{0}, p95{0}, p99{0};
    Nanos max{0};  // never below 0
    Nanos min{0};  // a latency of exactly 0 is forgotten when another result follows
  } latencies;
  struct Bytes {
    std::uint64_t total = 0;
    double mean = 0;
  } bytes_in, bytes_out;
  Timestamp earliest, latest;  // first and last time at which a request was sent
  Timestamp end;               // when the last result ended
  Nanos duration{0};           // latest - earliest
  Nanos wait{0};               // end - latest
  std::uint64_t requests = 0;
  double rate = 0;        // requests / duration, per second; just `requests` when the duration is 0
  double throughput = 0;  // successes / (duration + wait); just the successes when the duration is 0
  double success = 0;     // successes / requests, 0 … 1
  std::vector<std::pair<std::uint16_t, std::uint64_t>> status_codes;  // code and count, ordered as text
  std::vector<std::string> errors;                                    // each kind once, in the order first seen
};

class Metrics {
 public:
  explicit Metrics(MetricsOptions options = {});
  Metrics(const Metrics& other);
  Metrics(Metrics&&) noexcept;
  Metrics& operator=(Metrics) noexcept;
  ~Metrics();

  void add(std::span<const Result> results);
  // As if all results of `other` had been added. Kinds of error are ordered as if both had been read in turn, a result of
  // each; each side has judged success by its own options.
  void merge(const Metrics& other);

  // Brings the figures up to date; more may be added afterwards. Nothing added: all zero.
  const Figures& close();
  // The following two: as of the last close().
  const Figures& figures() const;
  const Histogram& latencies() const;
  Nanos quantile(double q) const { return latencies().quantile(q); }

  // What follows is always up to date.
  std::uint64_t requests() const;
  std::uint64_t succeeded() const;
  std::uint64_t failed() const { return requests() - succeeded(); }
  std::uint64_t answered() const;                 // results with a status code: a whole response came
  std::uint64_t ended_as(Outcome outcome) const;  // results that ended so
  std::uint64_t redirects() const;                // followed
  std::uint64_t redirected() const;               // results on whose way some were followed
  std::uint64_t retries() const;                  // requests sent again because a kept connection had gone stale
  const Histogram& success_latencies() const;     // of the successes alone
  const Histogram& failure_latencies() const;     // of everything else
  const Histogram& service_latencies() const;     // end - sent; as of the last close() if the clock is that
  const Histogram& response_latencies() const;    // end - due, of the results that know when they were due
  const Histogram& lags() const;                  // sent - due, of the same

  // How long the parts of a hit took. Each is of those results only that went through it, and know of it.
  struct Phases {
    Histogram redirecting;  // from the sending until the last redirect had come
    Histogram dns, connect, tls;
    Histogram first_byte;  // from the sending to the first byte of the response
    Histogram transfer;    // from there to its last
  };
  const Phases& phases() const;

  struct ErrorCount {
    std::string text;
    std::uint64_t count = 0;
    std::uint64_t first = 0;             // position among the results of its run, from 0
    Timestamp first_sent, last_sent;     // of the requests that ended so, in the order read
    std::vector<std::uint64_t> targets;  // different methods and URLs that it came from, as hashes; at most kMostTargets
    static constexpr std::size_t kMostTargets = 16;
  };
  // Kinds of error in the order first seen. At most 10,000 kinds (and 4 MiB of text) are told apart.
  const std::vector<ErrorCount>& errors() const;
  std::uint64_t other_errors() const;  // results with an error of a kind beyond those

  // A response that was no success: the first of each kind of error whose body was kept.
  struct Sample {
    std::string error;
    std::uint64_t seq = 0;
    std::uint16_t code = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;  // its beginning
  };
  const std::vector<Sample>& samples() const;  // of at most 20 kinds

  // Whether latency kept growing while requests were sent: means over the first and the last quarter of the sending.
  struct Growth {
    Nanos early{0}, late{0};
    double slope = 0;  // seconds of latency gained per second; what answers 80 % of what is sent gains 0.2
  };
  Growth growth() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thrum
