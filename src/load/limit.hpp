// What held an attack back, told from what its shards counted, and what else in a Summary speaks for or against it. The words
// for it are report/judgement.hpp's, which knows latencies too.
#pragma once

#include <array>
#include <cstdint>

#include "thrum/attacker.hpp"

namespace thrum::load {

struct LimitEvidence {
  std::array<std::uint64_t, kLimits> late{};  // hits that left late or not at all, by what held them
  double late_sum = 0;                        // ns, by which they were late
  double mean_latency = 0;                    // ns
  double rate = 0;                            // the highest asked for, per second; 0: a closed loop
  std::uint64_t max_workers = kUnlimited, max_connections = kUnlimited;
};
// Sets limit, limit_value and limit_needed of a Summary that is complete but for these.
void name_the_limit(Summary& summary, const LimitEvidence& evidence);

// The sending threads had no more CPU to use: they were busy, or waited for a core, or were stopped by a quota.
bool lacks_cpu(const Summary& summary);
// So many of the segments sent were lost that it shows at the 99th percentile.
bool loses_segments(const Traffic& traffic);
// The same of those that came, as far as their order tells.
bool misses_segments(const Traffic& traffic);
// Most of a latency like this is spent in queues between us and the target's kernel. An acknowledgement that waits for
// an answer to go with (0.2 s, RFC 9293 section 3.8.6.3 allows 0.5 s) is no queue.
bool queues(const Traffic& traffic, Nanos mean_latency);
// Listeners on this machine turned away as many connections as shows.
bool overflows_listeners(const Summary& summary);

}  // namespace thrum::load
