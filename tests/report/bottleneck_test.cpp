// Whose limit a run met, in one sentence.
#include "report/bottleneck.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/judgement.hpp"
#include "run_builder.hpp"

namespace thrum::report {
namespace {

using testing::HasSubstr;

RunInput calm(std::string name = "a") { return recorded(std::move(name), 100, 1000, steady(1000, 10 * kMs, 3 * kMs)); }
RunInput behind(std::string name = "b") { return recorded(std::move(name), 200, 2000, overloaded()); }

std::string said(const RunInput& run) { return sentence(bottleneck(run)); }

TEST(Bottleneck, ARunWithNothingWrongHasNone) {
  EXPECT_EQ(bottleneck(calm()).whose, Whose::nobody);
  EXPECT_EQ(said(calm()), "");
  RunInput unknown = behind();
  unknown.plan.reset();
  EXPECT_EQ(said(unknown), "");  // of others' results nothing is known but their latencies
}

TEST(Bottleneck, ACapIsThrums) {
  RunInput run = behind();
  run.plan->summary->limit = Limit::workers;
  run.plan->summary->limit_value = 10;
  run.plan->summary->limit_needed = 25;
  EXPECT_EQ(bottleneck(run).whose, Whose::thrum);
  EXPECT_EQ(said(run), "thrum: -max-workers (10); about 25 would have been enough at the latency seen");
  EXPECT_EQ(plain_words(bottleneck(run)), "-max-workers (10); about 25 would have been enough at the latency seen");
}

TEST(Bottleneck, ATargetThatFallsBehindIsSeenInItsAnswers) {
  EXPECT_EQ(bottleneck(behind()).whose, Whose::target);
  EXPECT_THAT(said(behind()), testing::MatchesRegex("the target: it answered 1[56][0-9].[0-9]* of the 200.00 requests sent per second"));
}

TEST(Bottleneck, ALittleLatenessDoesNotHideATargetThatFallsBehind) {
  RunInput run = behind();
  run.plan->summary->limit = Limit::cpu;
  EXPECT_EQ(bottleneck(run).whose, Whose::target);
  EXPECT_THAT(verdict(run), testing::StartsWith("fell behind: "));
  run.plan->summary->busiest_shard = 0.97;
  EXPECT_EQ(bottleneck(run).whose, Whose::thrum);
  run.plan->summary->busiest_shard = 0;
  run.plan->summary->books.missed = 1;
  EXPECT_EQ(bottleneck(run).whose, Whose::thrum);
}

TEST(Bottleneck, AnswersThatAreReadLateForWantOfCpuAreNotTheTargetsFault) {
  RunInput run = behind();
  run.plan->summary->busiest_shard = 0.5;
  run.plan->summary->waited_for_core = 0.5;
  EXPECT_THAT(said(run), HasSubstr("thrum: CPU: other programs had it"));
}

TEST(Bottleneck, SegmentsThatAreSentAgainAreTheNetworks) {
  RunInput run = calm();
  Summary& s = *run.plan->summary;
  s.limit = Limit::network;
  s.traffic.segments_out = 2000;
  s.traffic.retransmitted = 100;
  EXPECT_EQ(said(run), "the network: 5.0 % of the segments sent had to be sent again (100 of 2000)");
  EXPECT_EQ(verdict(run), "kept up");
  s.traffic.retransmitted_opening = 90;
  EXPECT_THAT(said(run), HasSubstr("a target whose listen queue is full"));
}

TEST(Bottleneck, WhatCameOutOfOrderOrQueuedIsTheNetworksWhereAnswersFellBehind) {
  RunInput lost = behind(), queued = behind();
  lost.plan->summary->traffic.segments_in = 10'000;
  lost.plan->summary->traffic.out_of_order = 310;
  EXPECT_THAT(said(lost), HasSubstr("the network: 3.1 % of the segments that came were out of order (310 of 10000)"));
  queued.plan->summary->traffic.least_rtt = Nanos(kMs);
  queued.plan->summary->traffic.rtt = Nanos(kSecond);
  EXPECT_EQ(said(queued), "the network: requests or answers queued on their way: a round trip took 1s, 1ms at the least");
}

TEST(Bottleneck, AnswersThatAreNotWaitedForAreTheTargets) {
  std::vector<Result> results = steady(100, 10 * kMs, 3 * kMs);
  for (std::size_t i = 0; i < 5; ++i) {
    results[i * 20].code = 0;
    results[i * 20].outcome = Outcome::timeout;
  }
  RunInput run = recorded("a", 100, 100, results);
  EXPECT_EQ(said(run), "the target: 5.0 % of the requests were not answered in time (5 of 100)");
  EXPECT_EQ(verdict(run), said(run));
  run.plan->summary->limit = Limit::cpu;
  EXPECT_EQ(bottleneck(run).whose, Whose::target);
}

TEST(Bottleneck, AMachineThatStoppedThrumSaysHow) {
  RunInput run = calm();
  Summary& s = *run.plan->summary;
  s.limit = Limit::cpu;
  s.elapsed = Nanos(10 * kSecond);
  s.interference.stolen = 0.2;
  EXPECT_THAT(said(run), HasSubstr("the host of this virtual machine kept it for 20 % of the time"));
  s.interference.quota = 0.25;
  s.interference.throttled_time = Nanos(3 * kSecond);
  s.interference.throttled = 40;
  s.interference.periods = 100;
  EXPECT_THAT(said(run), HasSubstr("thrum: CPU: the quota of its control group (0.25 cores) stopped it for 3s in 40 of 100 periods"));
}

TEST(Bottleneck, AFullListenQueueIsCounted) {
  RunInput run = calm();
  Summary& s = *run.plan->summary;
  s.limit = Limit::target;
  s.connections.opened = s.traffic.connections = 100;
  s.traffic.retransmitted = 50;
  s.interference.listen_overflows = 40;
  EXPECT_THAT(said(run), HasSubstr("the target: its listen queue was full 40 times"));
}

TEST(Bottleneck, OfSeveralRunsEachLimitOnceWithItsRuns) {
  std::vector<RunInput> runs{calm("a"), behind("b")};
  EXPECT_EQ(limited_by(runs), "target");
  EXPECT_THAT(limit_sentence(runs), testing::EndsWith(" in b"));
  runs[0].plan->summary->limit = Limit::local_ports;
  EXPECT_EQ(limited_by(runs), "");
  EXPECT_THAT(limit_sentence(runs), HasSubstr("thrum: local ports in a; the target: "));
  EXPECT_EQ(limited_by(std::vector{calm(), calm()}), "");
}

}  // namespace
}  // namespace thrum::report
