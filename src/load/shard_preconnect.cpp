// Connections that are there before the first hit: opened on the shard's own thread while the attack waits for it. Each shard opens
// its share to each host, hosts in turn, and a pool never grows beyond its share afterwards.
#include <algorithm>

#include "load/collector.hpp"
#include "load/shard.hpp"

namespace thrum::load {
namespace {

// Without a rate: as many as a listener's queue takes with ease.
constexpr std::uint64_t kMostAtOnce = 64;

}  // namespace

void Shard::preconnect() {
  const AttackOptions& o = plan_.options;
  std::vector<Pool*> pools;
  for (const Request& request : plan_.requests)
    if (Pool& pool = pool_of(request.route); std::ranges::find(pools, &pool) == pools.end()) pools.push_back(&pool);
  const std::uint64_t total = share_of(o.preconnect, slice_.shard, slice_.shards) * pools.size();
  const bool has_rate = !o.connect_rate.is_closed();
  const Instant begin = now();
  // Connection k of this shard is number k * shards + shard of all.
  const auto due = [&](std::uint64_t k) { return has_rate ? begin + o.connect_rate.due(k * slice_.shards + slice_.shard) : begin; };
  const auto is_allowed = [&](std::uint64_t begun, std::uint64_t up) { return begun < total && (has_rate || begun - up < kMostAtOnce); };

  is_preconnecting_ = true;
  net::Network& network = network_->network();
  Instant moved = begin;  // when one was last begun, or came up
  std::uint64_t begun = 0, up = 0;
  while (preconnect_error_.empty() && !plan_.stop.load(std::memory_order_relaxed)) {
    const Instant t = now();
    for (; is_allowed(begun, up) && due(begun) <= t; ++begun, moved = t) open_connection(*pools[begun % pools.size()]);
    network.timers.run_due(t);
    if (totals_.connections.opened > up) moved = t;
    up = totals_.connections.opened;
    if (up == total) break;
    const Instant given_up = o.timeout.count() > 0 && begun > up ? moved + o.timeout : kNever;
    if (t >= given_up) {
      const auto late = std::ranges::find_if(pools, [](const Pool* pool) { return !pool->opening.empty(); });
      if (late != pools.end()) preconnect_error_ = describe_timeout(waiting_of((*late)->opening.front()->link().times()), o.timeout);
      break;
    }
    Instant until = std::min(given_up, network.timers.next());
    if (is_allowed(begun, up)) until = std::min(until, due(begun));
    network.reactor.wait(until);
    flush_all();
    bury();
  }
  is_preconnecting_ = false;
  totals_.connections.preconnected = totals_.connections.opened;
}

}  // namespace thrum::load
