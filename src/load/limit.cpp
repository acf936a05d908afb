#include "load/limit.hpp"

#include <algorithm>
#include <cmath>

namespace thrum::load {
namespace {

constexpr double kBusy = 0.9;             // a shard above this has no CPU left
constexpr double kStopped = 0.2;          // share of the time for which a quota stopped it
constexpr std::uint64_t kOneIn = 100;     // segments, connections, hits: what shows
constexpr std::uint64_t kOneLateIn = 20;  // a few late hits among many are what any shared machine does
constexpr std::uint64_t kFew = 10;        // events that say nothing yet
constexpr Nanos kQueue{250'000'000};

bool shows(std::uint64_t some, std::uint64_t all) { return some >= kFew && some >= all / kOneIn + (all % kOneIn == 0 ? 0 : 1); }

// Where nothing of ours held hits back to speak of: what made answers come late on their way, as far as TCP knows.
Limit culprit_on_the_way(const Summary& s) {
  if (overflows_listeners(s)) return Limit::target;
  if (s.connections.opened > 0 && loses_segments(s.traffic)) return Limit::network;
  return Limit::none;
}

Limit most_frequent(const LimitEvidence& e, std::uint64_t& all) {
  std::size_t most = 0;
  for (std::size_t i = 1; i < kLimits; ++i) {
    all += e.late[i];
    if (e.late[i] > e.late[most]) most = i;
  }
  return static_cast<Limit>(most);
}

Limit limit_of(const Summary& s, const LimitEvidence& e) {
  std::uint64_t late = 0;
  const Limit most = most_frequent(e, late);
  // A cap that holds back one in a hundred is a cap.
  const std::uint64_t one_in = most == Limit::cpu ? kOneLateIn : kOneIn;
  const bool has_shown = most != Limit::none && (s.books.missed > 0 || late * one_in >= s.books.scheduled);
  const Limit on_the_way = culprit_on_the_way(s);
  if (!has_shown) return e.rate == 0 && lacks_cpu(s) ? Limit::cpu : on_the_way;
  if (most == Limit::target) return lacks_cpu(s) ? Limit::cpu : on_the_way == Limit::none ? most : on_the_way;
  // Lateness is told from lost segments by which of the two makes the latency.
  const double mean_lateness = s.books.sent == 0 ? 0 : e.late_sum / static_cast<double>(s.books.sent);
  if (most == Limit::cpu && on_the_way != Limit::none && s.books.missed == 0 && !lacks_cpu(s) && mean_lateness * 10 < e.mean_latency)
    return on_the_way;
  return most;
}

}  // namespace

bool lacks_cpu(const Summary& s) {
  const double stopped = static_cast<double>(s.interference.throttled_time.count());
  return s.busiest_shard + s.waited_for_core > kBusy || stopped > kStopped * static_cast<double>(s.elapsed.count());
}

bool loses_segments(const Traffic& t) { return shows(t.retransmitted, t.segments_out); }

bool misses_segments(const Traffic& t) { return shows(t.out_of_order, t.segments_in); }

bool queues(const Traffic& t, Nanos mean_latency) {
  if (t.rtt == Result::kNone || t.least_rtt == Result::kNone) return false;
  const Nanos queue = t.rtt - t.least_rtt;
  return queue >= kQueue && 2 * queue >= mean_latency;
}

// They may be other programs' listeners; if they are the target's, connections to it had to try again.
bool overflows_listeners(const Summary& s) {
  const Traffic& t = s.traffic;
  const bool tried_again = t.retransmitted > 0 && t.retransmitted >= t.connections / kOneIn;
  return tried_again && shows(s.interference.listen_overflows, s.connections.opened + s.connections.failed);
}

void name_the_limit(Summary& s, const LimitEvidence& e) {
  s.limit = limit_of(s, e);
  const double at_once = e.rate * e.mean_latency / 1e9;  // Little's law
  const auto needed = static_cast<std::uint64_t>(std::ceil(at_once * 0.99));
  // What was too few can't have been enough: latency was then not what held hits back, but a stall, or a target at its end.
  const auto if_more = [needed](std::uint64_t had) { return needed > had ? needed : 0; };
  if (s.limit == Limit::workers) {
    s.limit_value = e.max_workers;
    s.limit_needed = if_more(s.limit_value);
  } else if (s.limit == Limit::connections) {
    s.limit_value = e.max_connections;
    s.limit_needed = if_more(s.limit_value);
  } else if (s.limit == Limit::descriptors) {
    s.limit_value = s.connections.peak;
    s.limit_needed = if_more(s.limit_value);
  }
}

}  // namespace thrum::load
