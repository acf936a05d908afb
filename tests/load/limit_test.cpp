// What was the limit, from made-up counts.
#include "load/limit.hpp"

#include <gtest/gtest.h>

namespace thrum::load {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A run of 10 s at 100/s that met nothing.
Summary fine() {
  Summary s;
  s.books = {1000, 1000, 0, 1000, 0, 0};
  s.connections.opened = 10;
  s.traffic.connections = 10;
  s.traffic.segments_out = 1010;
  s.traffic.segments_in = 1000;
  s.elapsed = s.sending = Nanos(10'000 * kMs);
  s.shards = 1;
  s.busiest_shard = 0.02;
  return s;
}

LimitEvidence evidence(Limit what = Limit::none, std::uint64_t late = 0, double late_by = 5.0 * kMs) {
  LimitEvidence e{.rate = 100, .max_workers = 8, .max_connections = 9};
  e.late[static_cast<std::size_t>(what)] = late;
  e.late_sum = static_cast<double>(late) * late_by;
  e.mean_latency = 200.0 * kMs;
  return e;
}

Limit named(Summary s, const LimitEvidence& e) {
  name_the_limit(s, e);
  return s.limit;
}

TEST(Limit, NothingWrongIsNone) {
  EXPECT_EQ(named(fine(), evidence()), Limit::none);
  EXPECT_EQ(named(fine(), evidence(Limit::workers, 9)), Limit::none);
  EXPECT_EQ(named(fine(), evidence(Limit::cpu, 49)), Limit::none);
}

TEST(Limit, ACapThatHeldBackOneInAHundred) {
  Summary s = fine();
  name_the_limit(s, evidence(Limit::workers, 10));
  EXPECT_EQ(s.limit, Limit::workers);
  EXPECT_EQ(s.limit_value, 8u);
  EXPECT_EQ(s.limit_needed, 20u);  // 100/s that take 200 ms each
  name_the_limit(s, evidence(Limit::connections, 10));
  EXPECT_EQ(s.limit, Limit::connections);
  EXPECT_EQ(s.limit_value, 9u);
  EXPECT_EQ(named(fine(), evidence(Limit::cpu, 50)), Limit::cpu);
}

TEST(Limit, WhatWasMissedHasAReasonHoweverFew) {
  Summary s = fine();
  s.books = {1000, 999, 1, 999, 0, 0};
  EXPECT_EQ(named(s, evidence(Limit::targets, 1)), Limit::targets);
}

TEST(Limit, ATargetThatSeemsSlowToAThreadWithoutCpuIsNotTheLimit) {
  EXPECT_EQ(named(fine(), evidence(Limit::target, 100)), Limit::target);
  Summary busy = fine();
  busy.busiest_shard = 0.6;
  busy.waited_for_core = 0.35;
  EXPECT_EQ(named(busy, evidence(Limit::target, 100)), Limit::cpu);
  Summary stopped = fine();
  stopped.interference.throttled_time = Nanos(2'100 * kMs);
  EXPECT_EQ(named(stopped, evidence(Limit::target, 100)), Limit::cpu);
}

TEST(Limit, AClosedLoopIsLimitedByTheCpuThatItUsesUp) {
  LimitEvidence closed = evidence();
  closed.rate = 0;
  Summary s = fine();
  EXPECT_EQ(named(s, closed), Limit::none);
  s.busiest_shard = 0.95;
  EXPECT_EQ(named(s, closed), Limit::cpu);
  EXPECT_EQ(named(s, evidence()), Limit::none);  // busy, but on time
}

TEST(Limit, ANetworkThatLosesOneSegmentInAHundred) {
  Summary s = fine();
  s.traffic.retransmitted = 10;
  EXPECT_EQ(named(s, evidence()), Limit::none);
  s.traffic.retransmitted = 11;
  EXPECT_EQ(named(s, evidence()), Limit::network);
  EXPECT_EQ(named(s, evidence(Limit::target, 100)), Limit::network);
  EXPECT_EQ(named(s, evidence(Limit::workers, 100)), Limit::workers);  // a cap is a cap
  s.connections.opened = 0;
  EXPECT_EQ(named(s, evidence()), Limit::none);  // nobody there
  Summary few = fine();
  few.traffic.segments_out = few.traffic.retransmitted = 9;
  EXPECT_EQ(named(few, evidence()), Limit::none);
}

TEST(Limit, LatenessThatLatencyDwarfsIsNotTheLimit) {
  Summary s = fine();
  s.traffic.retransmitted = 50;
  EXPECT_EQ(named(s, evidence(Limit::cpu, 100, 5.0 * kMs)), Limit::network);
  EXPECT_EQ(named(s, evidence(Limit::cpu, 100, 250.0 * kMs)), Limit::cpu);
  s.books.missed = 1;
  EXPECT_EQ(named(s, evidence(Limit::cpu, 100, 5.0 * kMs)), Limit::cpu);
}

TEST(Limit, AFullListenQueueIsTheTargetsIfOurConnectionsMetIt) {
  Summary s = fine();
  s.connections.opened = s.traffic.connections = 500;
  s.interference.listen_overflows = 40;
  EXPECT_EQ(named(s, evidence()), Limit::none);  // somebody else's
  s.traffic.segments_out = 1100;
  s.traffic.retransmitted = 40;
  EXPECT_EQ(named(s, evidence()), Limit::target);
  s.interference.listen_overflows = 4;
  EXPECT_EQ(named(s, evidence()), Limit::network);
}

TEST(Limit, QueuesOnTheWayAreLongerThanAnyDelayedAcknowledgement) {
  Traffic t;
  EXPECT_FALSE(queues(t, Nanos(kMs)));
  t.least_rtt = Nanos(kMs);
  t.rtt = Nanos(201 * kMs);
  EXPECT_FALSE(queues(t, Nanos(201 * kMs)));
  t.rtt = Nanos(800 * kMs);
  EXPECT_TRUE(queues(t, Nanos(900 * kMs)));
  EXPECT_FALSE(queues(t, Nanos(5'000 * kMs)));
}

TEST(Limit, SegmentsOutOfOrder) {
  Traffic t;
  t.segments_in = 1000;
  t.out_of_order = 9;
  EXPECT_FALSE(misses_segments(t));
  t.out_of_order = 10;
  EXPECT_TRUE(misses_segments(t));
}

}  // namespace
}  // namespace thrum::load
