// Reads lazy targets on a thread of its own and deals them to the shards, in turn, through a ring each. What waits is bounded
// in number and in bytes, so that an endless stream of targets costs no more memory than a short one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "load/plan.hpp"
#include "load/ring.hpp"

namespace thrum::load {

class Feeder {
 public:
  // `wake(k)` ends shard k's sleep; called when targets come for a shard that had none.
  Feeder(Plan& plan, std::unique_ptr<TargetSource> source, http::RequestDefaults defaults, std::uint32_t shards);
  ~Feeder();

  // Begins to read. Errors: no thread to be had.
  Expected<void> start(std::function<void(std::uint32_t)> wake);
  // Waits until the first target has come (true), or there is none (false). Errors: what was wrong with it; or that `limit`
  // has passed, after which nothing more is read.
  Expected<bool> await_first(Nanos limit);
  // From any thread, signal handlers included: a source that waits for input gives up.
  void interrupt() { source_->interrupt(); }
  void stop();

  // By shard k: the next target, or null when there is none now; is_dry() tells whether there may be more.
  const Request* take(std::uint32_t shard);
  bool is_dry(std::uint32_t shard) const;
  // After the threads have ended: why reading ended early, if it did.
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Lane {
    Ring<const Request*> ring{kSlots};
    std::atomic<bool> hungry{false};
  };
  static constexpr std::size_t kSlots = 1024;
  static constexpr std::int64_t kMostBytes = 4 << 20;  // of requests that wait, all lanes together

  void read();
  void announce_first();
  bool deal(const Request* request);
  Expected<std::unique_ptr<Request>> next();

  Plan& plan_;
  std::unique_ptr<TargetSource> source_;
  http::RequestDefaults defaults_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::function<void(std::uint32_t)> wake_;
  std::uint32_t turn_ = 0;
  bool has_first_ = false;  // under mutex_
  std::atomic<bool> done_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<std::int64_t> waiting_bytes_{0};
  std::atomic<bool> full_{false};  // the reader sleeps until there is room
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable first_;
  std::optional<Error> error_;
  std::thread thread_;
};

}  // namespace thrum::load
