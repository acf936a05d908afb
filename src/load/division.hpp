// How the hits of an attack are dealt to its shards: in turn, to so many from the first hit on, and to another number from a later one
// on. A pure function of the hit's number, so that shards that know the same divisions never send a hit twice, nor leave one out.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace thrum::load {

// A shard, and of how many it is one in the beginning.
struct Slice {
  std::uint32_t shard = 0;
  std::uint32_t shards = 1;
};

// From hit `from` on, hit `from` + n goes to shard n mod `shards`.
struct Division {
  std::uint64_t from = 0;
  std::uint32_t shards = 1;
};

// One shard's part.
class Share {
 public:
  static constexpr std::uint64_t kNone = UINT64_MAX;

  explicit Share(Slice slice) : shard_(slice.shard), divisions_{{0, slice.shards}} {}

  std::uint32_t shards() const { return divisions_.back().shards; }
  // No shard has been given a hit from `from` on yet, which is not before the last division.
  void divide(std::uint64_t from, std::uint32_t shards) {
    if (divisions_.back().from == from)
      divisions_.back().shards = shards;
    else
      divisions_.push_back({from, shards});
  }
  // The first of its hits that is not before n; kNone: it has no more.
  std::uint64_t next(std::uint64_t n) const;
  // The one after `hit`, which is its own.
  std::uint64_t following(std::uint64_t hit) const {
    const Division& last = divisions_.back();
    return hit >= last.from && hit < kNone - last.shards ? hit + last.shards : next(hit + 1);
  }
  // How many of the first `hits` are its own.
  std::uint64_t before(std::uint64_t hits) const;

 private:
  std::uint64_t in(const Division& d, std::uint64_t hits) const {  // of the first `hits` of the division
    return hits <= shard_ || shard_ >= d.shards ? 0 : (hits - shard_ - 1) / d.shards + 1;
  }
  std::uint64_t end_of(std::size_t i) const { return i + 1 < divisions_.size() ? divisions_[i + 1].from : kNone; }

  std::uint32_t shard_;
  std::vector<Division> divisions_;  // by `from`; not empty
};

// How far shards may go before they have to look whether the division changes: who changes it holds the frontier, knows that no shard
// is beyond it, and lets the new division begin there.
class Frontier {
 public:
  // Before it begins: every `step` hits a shard moves it on.
  void open(std::uint64_t step) {
    step_ = step;
    at_.store(step, std::memory_order_relaxed);
  }
  // Hits before what comes back may be taken now: n among them, or soon. Where there is no hit n (Share::kNone), nothing is moved.
  std::uint64_t open_for(std::uint64_t n) {
    const std::uint64_t at = at_.load(std::memory_order_acquire);
    return n < (at & ~kHeld) ? at & ~kHeld : extend(n, at);
  }
  // Hits before `total` may all be taken: from then on no division changes anything.
  bool admits_all(std::uint64_t total) { return total == 0 || open_for(total - 1) >= total; }
  bool is_beyond(std::uint64_t total) const { return (at_.load(std::memory_order_acquire) & ~kHeld) >= total; }

  // By one thread at a time: where the new division begins. release() when it is known to all who ask.
  std::uint64_t hold() { return at_.fetch_or(kHeld, std::memory_order_acq_rel) & ~kHeld; }
  void release() { at_.fetch_and(~kHeld, std::memory_order_acq_rel); }

 private:
  static constexpr std::uint64_t kHeld = std::uint64_t{1} << 63;

  std::uint64_t extend(std::uint64_t n, std::uint64_t at) {
    while ((at & kHeld) == 0 && n >= at && n < kHeld) {
      const std::uint64_t next = n > kHeld - 1 - step_ ? kHeld - 1 : n + step_;
      if (at_.compare_exchange_weak(at, next, std::memory_order_acq_rel, std::memory_order_acquire)) return next;
    }
    return at & ~kHeld;
  }

  std::uint64_t step_ = 0;
  std::atomic<std::uint64_t> at_{kHeld - 1};  // never reached, unless it is opened
};

}  // namespace thrum::load
