#include "report/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/entries.hpp"
#include "run_builder.hpp"

namespace thrum::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string line_with(const std::string& text, std::string_view label) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    if (text.compare(at, label.size(), label) == 0) return text.substr(at, end - at);
    at = end + 1;
  }
  return {};
}

TEST(Text, VegetasLayoutThenOursBelowAnEmptyLine) {
  EXPECT_EQ(text(input_of({recorded("a", 100, 1000, steady(1000, 10 * kMs, 3 * kMs))})),
            "Requests      [total, rate, throughput]         1000, 100.10, 100.07\n"
            "Duration      [total, attack, wait]             9.993s, 9.99s, 3ms\n"
            "Latencies     [min, mean, 50, 90, 95, 99, max]  3ms, 3ms, 3ms, 3ms, 3ms, 3ms, 3ms\n"
            "Bytes In      [total, mean]                     0, 0.00\n"
            "Bytes Out     [total, mean]                     0, 0.00\n"
            "Success       [ratio]                           100.00%\n"
            "Status Codes  [code:count]                      200:1000  \n"
            "Error Set:\n"
            "\n"
            "Sending       [asked, sent, answered, missed]   1000, 1000, 1000, 0\n"
            "Rates         [asked, sent, answered]           100.00, 100.00, 100.00\n"
            "Lag           [mean, 50, 99, max]               10µs, 10µs, 10µs, 10µs\n"
            "Tail          [99.9]                            3ms\n");
}

TEST(Text, ForeignResultsOfOneCleanRunAreVegetasLinesAlone) {
  std::vector<Result> results = steady(500, 10 * kMs, 3 * kMs);
  for (Result& r : results) r.lag = Result::kNone;
  const std::string out = text(input_of({run_of("a", results)}));
  EXPECT_THAT(out, testing::EndsWith("Error Set:\n"));
}

// As in thrum's own JSON and CSV, whose runs have no plan.
TEST(Text, LagIsToldWhereverResultsHaveIt) {
  const std::string out = text(input_of({run_of("a", steady(500, 10 * kMs, 3 * kMs))}));
  EXPECT_THAT(line_with(out, "Lag"), HasSubstr("10µs"));
}

TEST(Text, NothingReadIsZeros) {
  const std::string out = text(input_of({run_of("a", {})}));
  EXPECT_THAT(out, HasSubstr("0, 0.00, 0.00\n"));
  EXPECT_THAT(out, Not(HasSubstr("nan")));
}

TEST(Text, MissedNamesItsLimit) {
  RunInput run = recorded("a", 100, 2000, steady(1871, 10 * kMs, 3 * kMs));
  run.plan->summary->limit = Limit::workers;
  run.plan->summary->limit_value = 10;
  run.plan->summary->limit_needed = 25;
  const std::string out = text(input_of({run}));
  EXPECT_THAT(line_with(out, "Sending"), HasSubstr("2000, 1871, 1871, 129"));
  EXPECT_THAT(line_with(out, "Limit"), HasSubstr("-max-workers (10); about 25 would have been enough"));
}

TEST(Text, LostResultsAreCountedAndTheBooksStillBalance) {
  RunInput run = recorded("a", 100, 120, steady(110, 10 * kMs, kMs));
  run.metrics = Metrics();
  run.metrics.add(steady(80, 10 * kMs, kMs));
  run.metrics.close();
  const std::string out = text(input_of({run}));
  EXPECT_THAT(line_with(out, "Sending"), HasSubstr("120, 110, 80, 10"));
  EXPECT_THAT(line_with(out, "Lost"), testing::EndsWith(" 30"));
}

TEST(Text, EveryLimitHasWords) {
  for (const Limit limit : {Limit::workers, Limit::connections, Limit::descriptors, Limit::local_ports, Limit::targets, Limit::cpu,
                            Limit::target, Limit::network}) {
    RunInput run = recorded("a", 100, 10, steady(9, 10 * kMs, 3 * kMs));
    run.plan->summary->limit = limit;
    EXPECT_GT(line_with(text(input_of({run})), "Limit").size(), 55u) << static_cast<int>(limit);
  }
}

TEST(Text, ResponseLatencyIsShownWhenItIsAnother) {
  EXPECT_EQ(line_with(text(input_of({recorded("a", 100, 100, steady(100, 10 * kMs, 3 * kMs))})), "Response"), "");
  const std::string out = text(input_of({recorded("a", 100, 100, steady(100, 10 * kMs, 3 * kMs, 2 * kSecond))}));
  EXPECT_THAT(line_with(out, "Response"), HasSubstr("2.003s, 2.003s"));
}

TEST(Text, SuccessesStandAloneWhenSomethingFailed) {
  std::vector<Result> results = steady(50, 20 * kMs, 2 * kMs);
  for (int i = 0; i < 50; ++i) {
    results.push_back(result(i * 20 * kMs, kSecond, 0, "timeout: no answer within 1s"));
    results.back().outcome = Outcome::timeout;
  }
  const std::string out = text(input_of({run_of("a", results)}));
  EXPECT_THAT(line_with(out, "Latencies"), HasSubstr("1s, 1s, 1s, 1s"));
  EXPECT_THAT(line_with(out, "Successes"), HasSubstr("2ms, 2ms, 2ms, 2ms, 2ms, 2ms, 2ms"));
  EXPECT_THAT(line_with(out, "Failures"), HasSubstr("timeout:50  "));
}

TEST(Text, FewResultsAreMarked) {
  const auto weak_of = [](std::int64_t n) { return line_with(text(input_of({run_of("a", steady(n, kMs, kMs))})), "Weak"); };
  EXPECT_THAT(weak_of(1), HasSubstr("50, 90, 95, 99: 1 result is"));
  EXPECT_THAT(weak_of(10), HasSubstr("95, 99: 10 results are"));
  EXPECT_THAT(weak_of(99), HasSubstr("99: 99 results are"));
  EXPECT_EQ(weak_of(100), "");
  Input asked = input_of({run_of("a", steady(500, kMs, kMs))});
  asked.percentiles = {99.9, 99};
  EXPECT_THAT(line_with(text(asked), "Weak"), HasSubstr("] "));
  EXPECT_THAT(line_with(text(asked), "Weak"), HasSubstr(" 99.9: 500 results are"));
  EXPECT_THAT(line_with(text(asked), "Percentiles"), HasSubstr("[99.9, 99]"));
}

TEST(Text, ErrorsFirstSeenFirstWithControlCharactersShown) {
  const std::string out =
      text(input_of({run_of("a", {result(0, 1, 0, "late\x1b[31m\nx"), result(1, 1, 0, "a\tb"), result(2, 1, 0, "late\x1b[31m\nx")})}));
  EXPECT_THAT(out, HasSubstr("Error Set:\nlate\\x1b[31m\\nx\na  b\n"));
}

TEST(Text, OfManyKindsOfErrorTheMostFrequentFifty) {
  std::vector<std::string> texts;
  for (int i = 0; i < 120; ++i) texts.push_back("error " + std::to_string(i) + ".");
  std::vector<Result> results;
  for (const std::string& t : texts) results.push_back(result(0, 1, 0, t));
  results.push_back(result(0, 1, 0, texts[119]));
  const std::string out = text(input_of({run_of("a", results)}));
  EXPECT_THAT(out, HasSubstr("error 48.\nerror 119.\nand 70 more\n"));
  EXPECT_THAT(out, Not(HasSubstr("error 49.")));
}

TEST(Text, SeveralRunsHaveALineEachAndTheBadOneIsNamed) {
  std::vector<RunInput> runs;
  runs.push_back(recorded("step100", 100, 1000, steady(1000, 10 * kMs, 25 * kMs)));
  runs.push_back(recorded("step200", 200, 2000, overloaded()));
  const std::string out = text(input_of(std::move(runs)));
  EXPECT_THAT(line_with(out, "step100"), HasSubstr("kept up"));
  EXPECT_THAT(line_with(out, "step200"), HasSubstr("fell behind: mean latency grew from"));
  EXPECT_THAT(line_with(out, "step200"), HasSubstr("200.00"));
  EXPECT_EQ(line_with(out, "Behind"), "");
}

TEST(Text, SentLateIsAVerdictOnlyWhereItShows) {
  RunInput hardly = recorded("a", 100, 100, steady(100, 10 * kMs, 3 * kMs)),
           felt = recorded("b", 100, 100, steady(100, 10 * kMs, 3 * kMs, kMs));
  for (RunInput* run : {&hardly, &felt}) run->plan->summary->limit = Limit::cpu;
  felt.plan->summary->busiest_shard = 0.98;
  const std::string out = text(input_of({hardly, felt}));
  EXPECT_THAT(line_with(out, "Limit"), HasSubstr("thrum: this machine woke thrum late in a; thrum: CPU in b"));
  EXPECT_THAT(line_with(out, "a "), HasSubstr("kept up"));
  EXPECT_THAT(line_with(out, "b "), HasSubstr("sent late: CPU; the busiest of 1 sending thread was 98 % busy"));
}

TEST(Text, ARateIsThatOfTheScheduleAndNotOfItsGaps) {
  RunInput run = recorded("a", 20, 20, steady(20, 50 * kMs, kMs));
  run.plan->summary->sending = Nanos(950 * kMs);
  EXPECT_THAT(line_with(text(input_of({run})), "Rates"), HasSubstr(" 20.00, 20.00, 20.00"));
}

TEST(Text, OneRunThatFellBehindSaysSo) {
  EXPECT_THAT(line_with(text(input_of({recorded("a", 200, 2000, overloaded())})), "Behind"), HasSubstr("mean latency grew from"));
}

TEST(Text, RatesOfRunsAtTheSameTimeAddUpAndOthersDoNot) {
  std::vector<RunInput> together, in_turn;
  for (int i = 0; i < 5; ++i) {
    together.push_back(recorded("m" + std::to_string(i), 1000, 3000, steady(3000, kMs, kMs)));
    in_turn.push_back(together.back());
    in_turn.back().metrics = Metrics();
    std::vector<Result> later = steady(3000, kMs, kMs);
    for (Result& r : later) r.timestamp = r.timestamp.plus(Nanos(i * 10 * kSecond));
    in_turn.back().metrics.add(later);
    in_turn.back().metrics.close();
    in_turn.back().plan->start = kStart.plus(Nanos(i * 10 * kSecond));
  }
  EXPECT_THAT(line_with(text(input_of(together)), "Rates"), HasSubstr("5000.00, 5000.00, 50"));
  EXPECT_THAT(line_with(text(input_of(together)), "Sending"), HasSubstr("15000, 15000, 15000, 0"));
  EXPECT_THAT(line_with(text(input_of(in_turn)), "Rates"), HasSubstr(" 1000.00, 1000.00, 10"));
}

TEST(Text, UnknownIsADashAndNotAZero) {
  RunInput killed = recorded("a", 100, 100, steady(50, 10 * kMs, kMs));
  killed.plan->summary.reset();
  EXPECT_THAT(line_with(text(input_of({killed})), "Sending"), HasSubstr("-, 50, 50, -"));
  RunInput closed = recorded("a", 0, 50, steady(50, 10 * kMs, kMs));
  EXPECT_THAT(line_with(text(input_of({closed})), "Rates"), HasSubstr(" -, 1"));
}

TEST(Text, APartSaysSoAndLeavesTheBooksOut) {
  std::vector<Result> results = overloaded();
  results[0].lag = Nanos(7);
  Input input = input_of({run_of("a", results), run_of("b", results)});
  input.filter = Filter{.from = Nanos(kSecond), .to = Nanos(90 * kSecond), .where = "url~^/\x1b", .read = 5000};
  const std::string out = text(input);
  EXPECT_EQ(line_with(out, "Filter"), "Filter        [from, to, where]                 1s, 1m30s, url~^/\\x1b: 4000 of 5000 results");
  EXPECT_THAT(line_with(out, "Lag"), HasSubstr("10µs"));
  for (const char* books : {"\nSending", "\nRates", "\nLost", "\nLimit", "\nBehind"}) EXPECT_THAT(out, Not(HasSubstr(books)));
  EXPECT_TRUE(line_with(out, "a ").ends_with(" -"));
  Input open = input_of({run_of("a", {})});
  open.filter.emplace().read = 3;
  EXPECT_THAT(line_with(text(open), "Filter"), HasSubstr(" 0s, -, -: 0 of 3 results"));
}

TEST(Text, PhasesHaveALineEachWithHowManyWentThrough) {
  std::vector<Result> results{result(0, 3 * kMs), result(kSecond, 2 * kMs)};
  results[0].connect = Nanos(kMs);
  results[0].first_byte = Nanos(2 * kMs);
  results[1].first_byte = Nanos(kMs);
  EXPECT_THAT(text(input_of({run_of("a", results)})), HasSubstr("\nPhases      Count  Min  Mean   50     90   99   Max\n"
                                                                "Connect     1      1ms  1ms    1ms    1ms  1ms  1ms\n"
                                                                "First byte  2      1ms  1.5ms  1.5ms  2ms  2ms  2ms\n"
                                                                "Transfer    2      1ms  1ms    1ms    1ms  1ms  1ms\n"));
}

TEST(Text, AddressesAreToldWhereThereAreSeveral) {
  const std::vector<Result> results{result(0, kMs)};
  RunInput a = recorded("a", 1, 1, results), b = recorded("b", 1, 1, results);
  a.plan->summary->addresses = {{"127.0.0.1", 5}};
  EXPECT_THAT(text(input_of({a})), Not(HasSubstr("Addresses")));
  b.plan->summary->addresses = {{"127.0.0.1", 2}, {"::1", 1}};
  EXPECT_THAT(text(input_of({a, b})), HasSubstr("Addresses     [address:connections]             127.0.0.1:7  ::1:1"));
}

TEST(Text, GroupsTheBusiestFirstTheTotalLast) {
  std::vector<Result> results = steady(200, 10 * kMs, 2 * kMs);
  for (std::size_t i = 0; i < 40; ++i) results[i].latency = Nanos(50 * kMs);
  Groups groups(GroupBy::url, {});
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].url = i < 40 ? "http://h/slow" : i < 198 ? "http://h/\x1b" : i < 199 ? "" : "http://h/rare";
    groups.add(results[i], i % 4 != 0);
  }
  Input input = input_of({run_of("a", results)});
  input.percentiles = {99.9, 50};
  input.groups = groups.table(3);
  const std::string out = text(input);
  EXPECT_EQ(out.substr(out.find("Groups by")),
            "Groups by url  Requests  Rate    Success  Mean    50    90    95    99    99.9  Max   Weak\n"
            "http://h/\\x1b  158       79.40   74.68%   2ms     2ms   2ms   2ms   2ms   2ms   2ms   99.9\n"
            "http://h/slow  40        20.10   75.00%   50ms    50ms  50ms  50ms  50ms  50ms  50ms  99, 99.9\n"
            "(none)         1         0.50    100.00%  2ms     2ms   2ms   2ms   2ms   2ms   2ms   50, 90, 95, 99, 99.9\n"
            "(1 others)     1         0.50    100.00%  2ms     2ms   2ms   2ms   2ms   2ms   2ms   50, 90, 95, 99, 99.9\n"
            "Total          200       100.50  100.00%  11.6ms  2ms   50ms  50ms  50ms  50ms  50ms  99.9\n");
  input.groups->others_overflowed = true;
  EXPECT_THAT(text(input), HasSubstr("\n(more than 1 others)  1 "));
}

TEST(Text, NetworkTellsBytesASecondAndWhatTcpSentAgain) {
  RunInput a = recorded("a", 100, 100, steady(100, 10 * kMs, kMs)), b = a;
  Summary& s = *a.plan->summary;
  s.elapsed = Nanos(2 * kSecond);
  s.traffic = {.bytes_in = 40'960, .bytes_out = 2000, .connections = 1, .segments_out = 200, .retransmitted = 3, .rtt = Nanos(kMs)};
  EXPECT_EQ(line_with(text(input_of({a})), "Network"), "Network       [in/s, out/s, sent again, rtt]    20.0KB, 1000B, 1.50%, 1ms");
  b.plan->summary = s;
  b.plan->summary->traffic.rtt = Result::kNone;
  b.plan->summary->traffic.segments_out = 0;
  EXPECT_THAT(line_with(text(input_of({b})), "Network"), testing::EndsWith(" 20.0KB, 1000B, -, -"));
  EXPECT_THAT(line_with(text(input_of({a, b})), "Network"), testing::EndsWith(" 40.0KB, 2.0KB, 3.00%, 1ms"));  // at the same time
  b.plan->summary->started = kStart.plus(Nanos(5 * kSecond));
  EXPECT_THAT(line_with(text(input_of({a, b})), "Network"), testing::EndsWith(" 20.0KB, 1000B, 3.00%, 1ms"));
}

TEST(Text, WhatTheMachineDidIsToldWhereItDidSomething) {
  RunInput a = recorded("a", 100, 100, steady(100, 10 * kMs, kMs));
  a.plan->summary->interference.stolen = 0.009;
  EXPECT_EQ(line_with(text(input_of({a})), "Machine"), "");
  a.plan->summary->interference = {
      .quota = 1, .periods = 9, .throttled = 3, .throttled_time = Nanos(kMs), .stolen = 0.02, .listen_overflows = 7};
  EXPECT_THAT(line_with(text(input_of({a})), "Machine"), testing::EndsWith(" 1ms, 2.0%, 7"));
}

// Whatever a report prints in front of a bracket is in the table that explains it.
TEST(Text, EveryLabelIsExplained) {
  RunInput busy = recorded("a", 200, 2500, overloaded());
  Plan& plan = *busy.plan;
  plan.spooled_bytes = 5 << 20;
  plan.results = 100'000;
  plan.summary->truncated_captures = 3;
  plan.summary->connections.opened = 7;
  plan.summary->proxies = "http://me:***@p:3128";
  plan.summary->protocols = {3, 4};
  plan.summary->addresses = {{"127.0.0.1", 4}, {"127.0.0.2", 3}};
  plan.summary->limit = Limit::cpu;
  plan.summary->traffic = {.bytes_in = 1000, .bytes_out = 500};
  plan.summary->interference.listen_overflows = 3;
  std::vector<Result> more = steady(12'000, kMs, kMs, kSecond);
  for (int i = 0; i < 100; ++i) more.push_back(result(i, 1, 0, "connect: refused"));
  more[0].retries = 1;
  more[0].redirects = 1;
  more[0].first_byte = Nanos(1);
  more[1].outcome = Outcome::expectation;
  more[1].error = "expectation: status is not 404";
  more[1].body = "what came";
  busy.metrics.add(more);
  busy.metrics.close();
  std::vector<RunInput> runs{busy};
  Input one = input_of(runs);
  one.percentiles = {99.9999};
  runs.push_back(busy);
  Input two = input_of(runs);
  StageSplit split(*parse_shape("10/s for 1s, 5/s"), kStart, {});
  split.add(more);
  one.runs[0].stages = split.parts(Nanos(2 * kSecond), kUnlimited);
  one.judged = {{"p99>1s", "1ms", false}};
  one.runs[0].plan->summary->warmup = {Nanos(kSecond), 10, 1};
  one.runs[0].plan->changes = {{Nanos(kSecond), "pause", ""}};
  one.runs[0].peaks.emplace().add(more);
  one.clock = LatencyClock::response;
  one.runs[0].shares = ShareSplit({"shuffle", {{"a", "GET", "http://h/", 1}}}).table();
  Input part = input_of({run_of("c", steady(5, kMs, kMs))});
  part.filter.emplace();
  part.groups.emplace();
  const std::string both = text(one) + text(two) + text(part) + text(input_of({recorded("b", 200, 2000, overloaded())}));
  EXPECT_THAT(both, HasSubstr("HTTP/1.1:3  HTTP/2:4"));
  const std::string explained = explain();
  std::size_t seen = 0;
  for (const Entry& e : entries()) {
    seen += both.find(std::string(e.label)) != both.npos;
    EXPECT_THAT(explained, HasSubstr(std::string(e.label)));
  }
  EXPECT_EQ(seen, entries().size());
  // and the other way round: no line begins with a label that the table lacks
  std::size_t at = 0;
  while (at < both.size()) {
    const std::size_t end = both.find('\n', at), bracket = both.find("  [", at);
    if (bracket < end) {
      const std::string label = both.substr(at, both.find("  ", at) - at);
      EXPECT_TRUE(std::any_of(entries().begin(), entries().end(), [&](const Entry& e) { return e.label == label; })) << label;
    }
    at = end + 1;
  }
}

}  // namespace
}  // namespace thrum::report
