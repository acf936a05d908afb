#include "load/crew.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace thrum::load {
namespace {

// Between two looks of a shard whether hits are dealt anew lie so many, a twentieth of a second's.
std::uint64_t step_of(const Shape& shape) { return static_cast<std::uint64_t>(std::clamp(shape.peak() / 20, 16.0, 65'536.0)); }

std::uint32_t most_shards() { return std::min(std::max(1u, host::cores().usable()), ShardList::kMost); }

}  // namespace

Expected<void> Crew::prepare(std::uint32_t shards, Feeder* feeder) {
  feeder_ = feeder;
  first_ = sending_ = shards;
  for (std::uint32_t k = 0; k < shards; ++k)
    if (auto added = add(k); !added) return added;
  const AttackOptions& o = plan_.options;
  plan_.is_divisible = is_divisible();
  if (!plan_.is_divisible) return {};
  if (!o.shape.is_closed()) plan_.frontier.open(step_of(o.shape));
  const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_shards(), o.max_workers));
  if (o.shards == 0 && most > shards) advice_.emplace(shards, most);
  return {};
}

// Caps of connections, and targets read in the course of the attack, are dealt to shards once.
bool Crew::is_divisible() const {
  const AttackOptions& o = plan_.options;
  return feeder_ == nullptr && o.max_connections == kUnlimited && o.preconnect == 0 && (o.shards == 0 ? most_shards() > 1 : o.is_steerable);
}

Expected<void> Crew::add(std::uint32_t k) {
  auto shard = std::make_unique<Shard>(plan_, Slice{k, first_}, feeder_);
  if (auto ready = shard->prepare(); !ready) return ready;
  shards_.add(std::move(shard));
  return {};
}

void Crew::keep_results_in(ShardSinks& sinks) {
  sinks_ = &sinks;
  for (std::uint32_t k = 0; k < first_; ++k) shards_[k].keep_results(sinks.sink_of(k, first_));
}

Expected<void> Crew::start(std::latch& ready, std::latch& start) {
  try {
    for (std::uint32_t k = 0; k < first_; ++k) {
      threads_.emplace_back([this, k, &ready, &start] {
        Shard& shard = shards_[k];
        if (plan_.options.preconnect > 0) shard.preconnect();
        shard.stand_by();
        ready.count_down();
        start.wait();
        shard.run();
        over_();
      });
    }
  } catch (const std::system_error& e) {
    return failure(
        fmt::format("can't start thread {} of {}: {}; fewer sending threads need less", threads_.size() + 1, first_, e.code().message()));
  }
  return {};
}

void Crew::look(Instant t, bool is_paused) {
  const AttackOptions& o = plan_.options;
  // Those that wait for hits that might yet be dealt to them learn that none will be.
  if (plan_.is_divisible && (o.shape.is_closed() ? plan_.claims.is_over() : plan_.frontier.is_beyond(o.hits))) wake();
  if (!advice_ || t < plan_.start || plan_.stop.load()) return;
  if (is_paused) return advice_->pause();
  std::uint32_t sending = 0;
  {
    const std::lock_guard lock(mutex_);
    sending = sending_;
  }
  ShardAdvice::Seen seen;
  for (std::uint32_t k = 0; k < shards_.size(); ++k) {
    const Gauges& g = shards_[k].gauges();
    seen.sent += g.sent.load(std::memory_order_relaxed);
    if (k < sending) seen.busiest = std::max(seen.busiest, g.busy.load(std::memory_order_relaxed));
  }
  seen.idle_cores = idle_cores_.look(t);
  const std::uint32_t wanted = advice_->look(t - plan_.start, seen);
  if (wanted != sending && !change_by(wanted, true)) advice_.reset();  // what can't be done now isn't tried again
}

Expected<void> Crew::change(std::uint32_t shards) { return change_by(shards, false); }

// Sinks are asked for on run()'s thread only.
Expected<void> Crew::change_by(std::uint32_t shards, bool is_own_thread) {
  if (!plan_.is_divisible)
    return failure("hits can't be dealt to another number of threads: targets are read lazily, connections are capped, or -cpus is given");
  const std::uint64_t most = std::min<std::uint64_t>(most_shards(), plan_.options.max_workers);
  if (shards == 0 || shards > most) return failure(fmt::format("{} threads can't send: it must be from 1 to {}", shards, most));
  const std::lock_guard lock(mutex_);
  if (is_closed_) return failure("the attack is ending");
  if (sinks_ != nullptr && !is_own_thread && shards_.size() < shards)
    return failure("threads that keep their results join of their own accord only");
  while (shards_.size() < shards)
    if (auto joined = let_join(); !joined) return joined;
  if (shards == sending_) return {};
  // No hit from the frontier on has been taken by anybody, and none will be before all know how they are dealt.
  Change change{.kind = Change::Kind::shards, .shards = shards};
  if (!plan_.options.shape.is_closed()) change.from = plan_.frontier.hold();
  plan_.changes.post(std::move(change));
  plan_.frontier.release();
  sending_ = shards;
  wake();
  return {};
}

Expected<void> Crew::let_join() {
  const std::uint32_t k = shards_.size();
  auto shard = std::make_unique<Shard>(plan_, Slice{k, first_}, nullptr);
  if (auto ready = shard->prepare(); !ready) return ready;
  std::uint64_t sent = 0;  // by those that are there, so that none of these is dealt again
  for (const auto& other : shards_) sent += other->gauges().sent.load(std::memory_order_relaxed);
  shard->join_at(sent);
  if (sinks_ != nullptr) shard->keep_results(sinks_->sink_of(k, k + 1));
  shard->stand_by();
  Shard& joined = *shard;
  try {
    threads_.reserve(threads_.size() + 1);
    shards_.add(std::move(shard));
    threads_.emplace_back([this, &joined] {
      joined.run();
      over_();
    });
  } catch (const std::system_error& e) {
    is_closed_ = true;  // it is in the list and will never be over by itself
    joined.retire();
    return failure(fmt::format("can't start another thread: {}", e.code().message()));
  }
  return {};
}

void Crew::join() {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  for (std::thread& t : threads_) t.join();
  threads_.clear();
}

void Crew::wake() {
  for (const auto& shard : shards_) shard->wake();
}

}  // namespace thrum::load
