// What an attack goes through in a shard besides its hits: the warm-up and its end, changes of the schedule, stopping, the end.
#include <algorithm>
#include <utility>

#include "load/shard.hpp"

namespace thrum::load {
namespace {

// Hits that are late through our own doing when sending should end still leave for this long.
Nanos allowance(Nanos end) { return std::clamp(end / 50, Nanos(50'000'000), Nanos(1'000'000'000)); }

}  // namespace

// The warm-up is over. What it could not send is dropped; what it has in flight ends as part of it.
void Shard::begin_to_count(Nanos t) {
  is_warming_ = false;
  if (after_warmup_) pacer_ = std::move(*after_warmup_);
  after_warmup_.reset();
  for (const auto& pool : pools_) {
    if (pool == nullptr) continue;
    held_ -= pool->held.size();
    pool->held.clear();
  }
  held_until_ = Nanos::max();
  last_blocked_by_ = Limit::none;
  totals_.connections.preconnected = totals_.connections.opened;
  bytes_before_ = network_->network().reactor.bytes();
  if (stopping_) pacer_.end_at(t);
}

// A schedule that may yet be changed is not over with its last hit, but at its end.
bool Shard::has_no_more() const {
  if (is_closed()) return !claims_left_;
  if (after_warmup_ || !pacer_.is_over()) return stopping_ && pacer_.is_over();
  return !plan_.options.is_steerable || stopping_ || totals_.ran_dry || pacer_.has_all();
}

void Shard::apply_changes() {
  for (const std::size_t count = plan_.changes.count(); changes_ < count; ++changes_) {
    if (stopping_ || ending_) continue;
    pacer_.apply(plan_.changes.at(changes_));
    end_ = pacer_.end();
  }
}

Nanos Shard::next_due() const { return after_warmup_ && pacer_.is_over() ? after_warmup_->next_at() : pacer_.next_at(); }

void Shard::begin_stop(Nanos t) {
  stopping_ = true;
  end_ = std::min(end_, t);
  pacer_.end_at(t);
  after_warmup_.reset();
  if (is_closed()) claims_left_ = false;
}

// When sending should be over: what is late through a cap, or has had its allowance, is missed.
void Shard::settle_the_end(Nanos t) {
  if (ending_) return;
  const bool own_doing = blocked_by_ == Limit::none && held_ == 0 && plan_.options.catch_up.mode == CatchUp::Mode::all && !stopping_;
  if (!is_closed() && own_doing && !pacer_.is_over() && t < end_ + allowance(end_)) return;
  const std::uint64_t before = pacer_.missed();
  pacer_.abandon();
  note_missed(pacer_.missed() - before);
  for (const auto& pool : pools_) {
    if (pool == nullptr) continue;
    for (const HeldHit& h : pool->held) {
      if (h.request->is_owned) delete h.request;
      if (is_closed() || h.due.at < Nanos(0)) continue;
      ++missed_;
      note_missed(1, h.held_by);
    }
    held_ -= pool->held.size();
    pool->held.clear();
  }
  end_sending();
}

void Shard::end_sending() {
  ending_ = true;
  sending_over_at_ = clock();
}

}  // namespace thrum::load
