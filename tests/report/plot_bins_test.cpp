#include "report/plot_bins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/plot_axis.hpp"

namespace thrum::report {
namespace {

using testing::ElementsAre;
constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000'000'000;

struct Hit {
  std::int64_t sent, latency;
  std::uint16_t code = 200;
  std::string_view error = {};
  std::int64_t lag = Result::kNone.count();
};

// A run with bins as a page would have them.
struct Drawn {
  PlotKinds kinds;
  PlotStore store;
  PlotRun run{store};
  std::optional<PlotLines> lines;
  std::optional<PlotBins> bins;

  explicit Drawn(const std::vector<Hit>& hits, bool by_response = false) {
    std::uint64_t seq = 0;
    for (const Hit& hit : hits) {
      Result r;
      r.seq = seq++;
      r.timestamp = Timestamp{1'700'000'000, 0, 0}.plus(Nanos(hit.sent));
      r.latency = Nanos(hit.latency);
      r.lag = Nanos(hit.lag);
      r.code = hit.code;
      r.error = hit.error;
      run.add(r, kinds.count(r, hit.error.empty()), hit.error.empty());
    }
    run.points.seal();
    const PlotSpan span = span_of(run, PlotSchedule(run, {}));
    lines.emplace(kinds);
    bins.emplace(PlotBins::Grid{kSecond, run.slack(), bins_of(span, kSecond), span.whole}, kinds, *lines, by_response);
    run.points.each([&](const PlotPoint& p) { bins->add(p, run.offset_of(p)); });
    bins->finish();
  }
  std::vector<std::int64_t> medians() const {
    std::vector<std::int64_t> all;
    for (const auto& q : bins->latencies()) all.push_back(q ? q->p50 : -1);
    return all;
  }
};

TEST(PlotBins, OneRequestEveryTwoSeconds) {
  const Drawn d({{0, 5 * kMs}, {2 * kSecond, 7 * kMs}, {4 * kSecond, 9 * kMs}});
  EXPECT_THAT(d.bins->sent(), ElementsAre(1, 0, 1, 0, 1));
  EXPECT_THAT(d.bins->answered(), ElementsAre(1, 0, 1, 0, 1));
  EXPECT_THAT(d.medians(), ElementsAre(5 * kMs, -1, 7 * kMs, -1, 9 * kMs));
}

// The first request was a little late; those that begin the other seconds still count in those.
TEST(PlotBins, ARequestAMicrosecondEarlyCountsWhereItBelongs) {
  std::vector<Hit> hits;
  for (int i = 0; i < 300; ++i) hits.push_back({i * 10 * kMs + (i == 0 ? 4000 : 1000), kMs});
  EXPECT_THAT(Drawn(hits).bins->sent(), ElementsAre(100, 100, 100));
}

TEST(PlotBins, AnswersCountWhenTheyCome) {
  const Drawn d({{0, 1500 * kMs}, {100 * kMs, 2500 * kMs, 503, "503"}, {200 * kMs, 30 * kSecond, 0, "timeout"}});
  EXPECT_THAT(d.bins->sent(), ElementsAre(3, 0, 0));
  EXPECT_THAT(d.bins->answered(), ElementsAre(0, 1, 1));
  EXPECT_EQ(d.bins->answered_later(), 0u);
}

TEST(PlotBins, AnAnswerHoursLaterDoesNotStretchTheAxis) {
  const Drawn d({{0, kMs}, {kSecond, kMs}, {2 * kSecond, 3600 * kSecond}});
  EXPECT_EQ(d.bins->size(), 7u);  // two seconds of sending, and five more
  EXPECT_EQ(d.bins->answered_later(), 1u);
}

TEST(PlotBins, AnswersRightAfterTheLastSecondGetNoneOfTheirOwn) {
  std::vector<Hit> hits;
  for (int i = 0; i < 200; ++i) hits.push_back({i * 10 * kMs, 15 * kMs});
  const Drawn d(hits);
  EXPECT_THAT(d.bins->sent(), ElementsAre(100, 100));
  EXPECT_THAT(d.bins->answered(), ElementsAre(98, 102));
}

TEST(PlotBins, CodesAndErrorsHaveLines) {
  const Drawn d(
      {{0, kMs}, {1, kMs, 503, "503 Service Unavailable"}, {2, kMs, 0, "timeout"}, {kSecond, kMs, 503, "503 Service Unavailable"}});
  EXPECT_THAT(d.lines->codes(), ElementsAre(0, 200, 503));
  EXPECT_THAT(d.bins->codes(), ElementsAre(ElementsAre(1, 0), ElementsAre(1, 0), ElementsAre(1, 1)));
  ASSERT_EQ(d.lines->errors().size(), 2u);
  EXPECT_EQ(d.kinds.error(d.lines->errors()[0]), "503 Service Unavailable");
  EXPECT_THAT(d.bins->errors(), ElementsAre(ElementsAre(1, 1), ElementsAre(1, 0)));
}

TEST(PlotBins, ManyCodesAndErrorsAreGathered) {
  std::vector<std::string> errors;
  for (int i = 0; i < 30; ++i) errors.push_back("error " + std::to_string(i));
  std::vector<Hit> hits;
  for (std::uint16_t i = 0; i < 30; ++i)
    for (int n = 0; n <= i; ++n) hits.push_back({0, kMs, static_cast<std::uint16_t>(300 + i), errors[i]});
  const Drawn d(hits);
  EXPECT_EQ(d.lines->codes().front(), 321);
  EXPECT_EQ(d.lines->codes().back(), 329);
  EXPECT_EQ(d.kinds.error(d.lines->errors().front()), "error 29");
  ASSERT_TRUE(d.lines->has_other_codes() && d.lines->has_other_errors());
  const auto sum = [](const std::vector<PlotBins::Counts>& lines) {
    std::uint64_t all = 0;
    for (const auto& line : lines) all += line[0];
    return all;
  };
  EXPECT_EQ(sum(d.bins->codes()), hits.size());
  EXPECT_EQ(sum(d.bins->errors()), hits.size());
}

TEST(PlotBins, LagsAndResponseLatencies) {
  const std::vector<Hit> hits = {{2 * kSecond, kMs, 200, "", 2 * kSecond}, {2 * kSecond, kMs, 200, "", 4 * kMs}};
  const Drawn service(hits);
  EXPECT_THAT(service.medians(), ElementsAre(kMs));
  ASSERT_TRUE(service.bins->has_lags());
  EXPECT_EQ(service.bins->lags()[0]->max, 2 * kSecond);
  const Drawn response(hits, true);
  EXPECT_EQ(response.bins->all_latencies().max().count(), 2 * kSecond + kMs);
  EXPECT_FALSE(Drawn({{0, kMs}}).bins->has_lags());
}

TEST(PlotKinds, LocalPortsMakeNoKinds) {
  EXPECT_EQ(without_local_port("read tcp 127.0.0.1:54321->127.0.0.1:80: EOF"), "read tcp 127.0.0.1:*->127.0.0.1:80: EOF");
  EXPECT_EQ(without_local_port("dial tcp 0.0.0.0:0->[::1]:80"), "dial tcp 0.0.0.0:*->[::1]:80");
  for (const char* same : {"", "->", "9->", "a->b", ":->"}) EXPECT_EQ(without_local_port(same), same);
}

TEST(PlotKinds, BoundedWhateverResultsHold) {
  PlotKinds kinds;
  std::string error;
  for (int i = 0; i < 30'000; ++i) {
    Result r;
    error = "error number " + std::to_string(i);
    r.error = error;
    r.code = static_cast<std::uint16_t>(i % 700);
    kinds.count(r, false);
  }
  EXPECT_LE(kinds.kinds().size(), PlotKinds::kMostKinds + 1400);
  std::uint64_t results = 0;
  for (const PlotKinds::Kind& kind : kinds.kinds()) {
    results += kind.results;
    EXPECT_FALSE(kinds.error(kind.error).empty() && kind.results > 0);
  }
  EXPECT_EQ(results, 30'000u);
}

TEST(PlotAxis, BinsGetWiderWithTheRun) {
  const auto width = [](std::int64_t seconds, std::size_t runs = 1) {
    const std::vector<PlotSpan> spans(runs, {seconds * kSecond, seconds * kSecond});
    return bin_width(spans) / kSecond;
  };
  EXPECT_EQ(width(0), 1);
  EXPECT_EQ(width(1999), 1);
  EXPECT_EQ(width(2000), 2);
  EXPECT_EQ(width(86'400), 60);
  EXPECT_EQ(width(1500, 10), 5);
  const std::vector<PlotSpan> ages(400, {INT64_MAX, INT64_MAX});
  EXPECT_LE(bins_of(ages[0], bin_width(ages)) * ages.size(), 6000u);
}

}  // namespace
}  // namespace thrum::report
