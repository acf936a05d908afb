// The shards of an attack and their threads: those it begins with, and those that join or leave while it goes on. The attacker runs it;
// change() may come from another thread.
#pragma once

#include <cstdint>
#include <functional>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "host/counters.hpp"
#include "host/limits.hpp"
#include "load/shard_advice.hpp"
#include "load/shard_list.hpp"

namespace thrum::load {

class Crew {
 public:
  // `over` is called on a shard's thread when it has nothing left to do.
  Crew(Plan& plan, std::function<void()> over) : plan_(plan), over_(std::move(over)) {}

  Expected<void> prepare(std::uint32_t shards, Feeder* feeder);
  // Results stay with each shard (thrum/attacker.hpp).
  void keep_results_in(ShardSinks& sinks);
  // Their threads wait for `start` when they are `ready`.
  Expected<void> start(std::latch& ready, std::latch& start);
  // Now and then: adds a thread or takes one back, where the user leaves that to us.
  void look(Instant t, bool is_paused);
  // Hits that have not left are sent by so many from now on.
  Expected<void> change(std::uint32_t shards);
  // Waits until all threads have ended; no other may join from here on.
  void join();

  void wake();  // from anywhere, a signal handler too
  const ShardList& shards() const { return shards_; }

 private:
  bool is_divisible() const;
  Expected<void> add(std::uint32_t k);
  Expected<void> change_by(std::uint32_t shards, bool is_own_thread);
  Expected<void> let_join();

  Plan& plan_;
  std::function<void()> over_;
  Feeder* feeder_ = nullptr;
  ShardSinks* sinks_ = nullptr;
  ShardList shards_;
  std::vector<std::thread> threads_;
  std::uint32_t first_ = 1;  // how many there were in the beginning

  std::mutex mutex_;           // of what follows
  std::uint32_t sending_ = 1;  // how many hits are dealt to now
  bool is_closed_ = false;     // nobody joins any more

  std::optional<ShardAdvice> advice_;  // where it is for us to say
  host::IdleCores idle_cores_{host::cores().usable()};
};

}  // namespace thrum::load
