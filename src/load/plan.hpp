// What the shards of one attack share: read-only once it runs, except for the few atomics that design allows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "load/division.hpp"
#include "load/picker.hpp"
#include "load/record.hpp"
#include "load/schedule.hpp"
#include "load/ways.hpp"
#include "net/address.hpp"
#include "thrum/attacker.hpp"

namespace thrum::load {

// Interns routes, for any thread: those of targets before the attack, those of lazy targets by the thread that reads them, those
// that redirects lead to by shards. A shard asks once for each request that it prepares, never for each that it sends.
class Routes {
 public:
  // So many that redirects may add: a server that sends its clients to ever another host must not fill our memory.
  static constexpr std::size_t kMostRedirected = 1024;

  explicit Routes(const AttackOptions& options) : ways_(options) {}
  const Route* intern(const http::Url& url);
  // The same for where a redirect leads; null when there are too many.
  const Route* intern_redirected(const http::Url& url);
  std::size_t size() const;
  bool has_tls() const;
  std::string proxies() const;  // those that routes go by, comma-separated

 private:
  const Route* find(const std::string& key) const;
  const Route* add(std::string key, const http::Url& url);

  mutable std::mutex mutex_;
  Ways ways_;
  bool has_tls_ = false;
  std::size_t redirected_ = 0;
  std::deque<Route> routes_;  // stable addresses
  std::unordered_map<std::string, const Route*> by_key_;
};

// What the route asks of a request is added to it: what a proxy needs to see, its form for HTTP/2.
inline void set_route(Request& request, const Route* route) {
  request.route = route;
  if (route->takes_whole_urls) http::address_to_proxy(request.prepared, route->proxy_lines);
  if (route->http2 != Route::Http2::never) http::add_http2_head(request.prepared);
}

// What is expected of responses, made ready: once for all targets that say the same of theirs. Targets are prepared by one thread.
class ExpectationsOf {
 public:
  explicit ExpectationsOf(const AttackOptions& options) : of_all_(options.expect) {}
  // The attack's and the target's own. Errors: one of them makes no sense.
  Expected<std::shared_ptr<const http::Expectation>> target(const Expectations& own);

 private:
  static constexpr std::size_t kMostKept = 1024;  // each lazy target may say something else

  const Expectations& of_all_;
  std::unordered_map<std::string, std::shared_ptr<const http::Expectation>> kept_;
};

// Closed mode: hit numbers are claimed in blocks from one counter. Blocks get smaller towards the end, so that no shard sits on
// the last hits while `workers` of others stand idle.
class Claims {
 public:
  Claims(std::uint64_t total, std::uint64_t workers) : total_(total), workers_(std::max<std::uint64_t>(1, workers)) {}
  bool is_over() const { return next_.load(std::memory_order_relaxed) >= total_; }
  // A block [first, first + count), `most` at most; count 0: none left.
  struct Block {
    std::uint64_t first = 0, count = 0;
  };
  Block claim(std::uint64_t most = kBlock) {
    std::uint64_t first = next_.load(std::memory_order_relaxed), count;
    do {
      if (first >= total_) return {};
      count = std::clamp<std::uint64_t>((total_ - first) / workers_ / 2, 1, most);
    } while (!next_.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
    return {first, count};
  }

 private:
  static constexpr std::uint64_t kBlock = 16;
  const std::uint64_t total_, workers_;
  std::atomic<std::uint64_t> next_{0};
};

// What was changed while the attack goes on: posted by whoever steers it, looked at by each shard in its turn.
class Changes {
 public:
  void post(Change change) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(change));
    count_.store(all_.size(), std::memory_order_release);
  }
  std::size_t count() const { return count_.load(std::memory_order_acquire); }
  Change at(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return all_[index];
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Change> all_;
  std::atomic<std::size_t> count_{0};
};

struct Plan {
  explicit Plan(AttackOptions o)
      : options(std::move(o)),
        routes(options),
        expectations(options),
        claims(options.hits, options.max_workers),
        samples_left(options.sample_failures) {}

  AttackOptions options;
  std::vector<Request> requests;  // eager targets; empty when they are read lazily
  Picker picker;                  // which of them a hit goes to
  Routes routes;
  ExpectationsOf expectations;
  bool has_one_route = false;  // all targets are eager and go to one place
  std::vector<net::Address> local_addresses;
  Nanos end = Nanos::max();    // of sending, from the start, as it was planned
  Nanos grace = Nanos::max();  // from the end of sending
  Instant start;               // t = 0, after the warm-up
  Timestamp started;           // the same by the wall clock
  Claims claims;
  Changes changes;
  Frontier frontier;  // of a schedule whose hits may be dealt anew
  bool is_divisible = false;
  std::atomic<bool> stop{false};
  std::atomic<bool> cut{false};
  std::atomic<std::int64_t> captured_in_flight{0};
  std::atomic<std::int64_t> checked_in_flight{0};
  const http::Expectation usual{};         // of targets of which nothing else is expected
  std::atomic<std::int64_t> samples_left;  // of failures of any kind, to be kept

  Nanos begin() const { return -options.warmup; }  // of the warm-up
  bool is_lazy() const { return requests.empty(); }
  const Request& request_for(std::uint64_t hit) const { return requests[picker.target_of(hit)]; }
};

// Of `whole` things, how many are this shard's (unlimited stays unlimited).
inline std::uint64_t share_of(std::uint64_t whole, std::uint32_t shard, std::uint32_t shards) {
  if (whole != kUnlimited && shard >= shards) return 0;  // it joins later
  return whole == kUnlimited ? kUnlimited : whole / shards + (shard < whole % shards ? 1 : 0);
}

}  // namespace thrum::load
