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
bool Shard::has_no_more() {
  if (is_closed()) {
    if (max_in_flight_ == 0 && block_.count == 0 && plan_.claims.is_over()) claims_left_ = false;
    return !claims_left_;
  }
  if (after_warmup_ || !pacer_.is_over()) return stopping_ && pacer_.is_over();
  if (stopping_ || totals_.ran_dry) return true;
  return (!plan_.options.is_steerable || pacer_.has_all()) && is_past_dividing();
}

// Whether no hit can come to this shard by another division any more.
bool Shard::is_past_dividing() {
  if (!plan_.is_divisible) return true;
  if (pacer_.has_share()) return plan_.frontier.admits_all(pacer_.total()) && plan_.changes.count() == changes_;
  return plan_.options.hits != kUnlimited && plan_.frontier.is_beyond(plan_.options.hits) && plan_.changes.count() == changes_;
}

void Shard::apply_changes() {
  if (const Nanos t = clock(); is_warming_ && t >= Nanos(0)) begin_to_count(t);  // it is the attack's own schedule that changes
  for (const std::size_t count = plan_.changes.count(); changes_ < count; ++changes_) {
    const Change change = plan_.changes.at(changes_);
    if (ending_ || (stopping_ && change.kind != Change::Kind::shards)) continue;
    if (change.kind == Change::Kind::shards) take_share(change.shards);
    if (change.kind == Change::Kind::workers) {
      workers_ = change.workers;
      take_share(dealt_to_);
    } else if (is_closed()) {
      apply_to_loop(change);
    } else {
      pacer_.apply(change);
      end_ = pacer_.end();
    }
  }
}

// A closed loop has no schedule that could be paused: nothing is started, and what was its end moves back.
void Shard::apply_to_loop(const Change& change) {
  if (change.kind == Change::Kind::pause && !paused_at_) {
    paused_at_ = change.at;
    end_before_pause_ = std::exchange(end_, Nanos::max());
  } else if (change.kind == Change::Kind::resume && paused_at_) {
    end_ = end_before_pause_ >= kForEver ? end_before_pause_ : end_before_pause_ + (change.at - *paused_at_);
    paused_at_.reset();
  }
}

// Slots in flight are dealt as hits are. One that gets no more hits keeps its own until those it has are sent.
void Shard::take_share(std::uint32_t shards) {
  dealt_to_ = shards;
  is_retired_ = slice_.shard >= shards;
  if (is_retired_ && !is_closed()) return;
  max_in_flight_ = is_retired_ ? 0 : std::max<std::uint64_t>(1, share_of(workers_, slice_.shard, shards));
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
  close_division();
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

// What is given up now must not be dealt to another shard meanwhile, nor what another gives up to this one.
void Shard::close_division() {
  if (!plan_.is_divisible || is_closed() || is_warming_) return;
  for (bool is_closed = false; !is_closed || plan_.changes.count() != changes_;) {
    apply_changes();
    if (end_ != Nanos::max()) pacer_.end_at(end_);
    is_closed = !pacer_.has_share() || pacer_.total() == kUnlimited || plan_.frontier.admits_all(pacer_.total());
  }
}

void Shard::end_sending() {
  ending_ = true;
  sending_over_at_ = clock();
}

}  // namespace thrum::load
