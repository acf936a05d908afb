#include "measure/label_counts.hpp"

#include <gmock/gmock.h>

#include <string>

namespace thrum {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::Field;

Result result(std::string_view url, std::uint16_t code = 200, std::string_view error = "", std::string_view method = "GET") {
  Result r;
  r.method = method;
  r.url = url;
  r.code = code;
  r.error = error;
  r.latency = 1ms;
  return r;
}

void add(LabelCounts& counts, const Result& r) { counts.add({&r, 1}); }

TEST(UrlLabel, IsWithoutWhatDiffersAndWhatIsSecret) {
  EXPECT_EQ(url_label("http://a.test/b"), "http://a.test/b");
  EXPECT_EQ(url_label("http://a.test"), "http://a.test");
  EXPECT_EQ(url_label("http://a.test?q=1"), "http://a.test");
  EXPECT_EQ(url_label("http://a.test/b?q=1#f"), "http://a.test/b");
  EXPECT_EQ(url_label("http://a.test/b#f?q"), "http://a.test/b");
  EXPECT_EQ(url_label("http://user:pass@a.test:80/b@c"), "http://a.test:80/b@c");
  EXPECT_EQ(url_label("http://us@er:pa@a.test"), "http://a.test");
  EXPECT_EQ(url_label("nonsense"), "nonsense");
  EXPECT_EQ(url_label(""), "");
}

TEST(LabelCounts, CountsByMethodStatusAndUrl) {
  LabelCounts counts;
  Result r = result("http://a.test/x?n=1", 200, "", "POST");
  r.bytes_in = 3;
  r.bytes_out = 5;
  add(counts, r);
  r.url = "http://a.test/x?n=2";
  add(counts, r);
  add(counts, result("http://a.test/x", 404, "404 Not Found", "POST"));
  ASSERT_EQ(counts.requests().size(), 2u);
  const auto& first = counts.requests()[0];
  EXPECT_EQ(counts.method(first.labels), "POST");
  EXPECT_EQ(counts.url(first.labels), "http://a.test/x");
  EXPECT_EQ(first.labels.status, 200);
  EXPECT_EQ(first.bytes_in, 6u);
  EXPECT_EQ(first.bytes_out, 10u);
  EXPECT_EQ(first.latencies.count, 2u);
  ASSERT_EQ(counts.failures().size(), 1u);
  EXPECT_EQ(counts.message(counts.failures()[0].labels), "404 Not Found");
  EXPECT_EQ(counts.failures()[0].count, 1u);
}

TEST(LabelCounts, ABoundBelongsToItsBucket) {
  LabelCounts counts;
  for (const Nanos latency : {Nanos(0), Nanos(5'000'000), Nanos(5'000'001), Nanos(10s), Nanos(10s) + Nanos(1)}) {
    Result r = result("http://a.test/");
    r.latency = latency;
    add(counts, r);
  }
  const auto& latencies = counts.requests()[0].latencies;
  EXPECT_THAT(latencies.counts, ElementsAre(2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1));
  EXPECT_EQ(latencies.count, 5u);
  EXPECT_EQ(static_cast<std::int64_t>(latencies.sum), 20'010'000'002);
}

TEST(LabelCounts, LagIsCountedWhereItIsKnown) {
  LabelCounts counts;
  Result r = result("http://a.test/");
  add(counts, r);  // as in a closed loop
  r.lag = 20us;
  add(counts, r);
  r.lag = -5us;  // early by a rounding
  add(counts, r);
  EXPECT_EQ(counts.lag().count, 2u);
  EXPECT_EQ(counts.lag().counts[0], 1u);
  EXPECT_EQ(counts.lag().counts[1], 1u);
  EXPECT_EQ(static_cast<std::int64_t>(counts.lag().sum), 20'000);
}

TEST(LabelCounts, ManyUrlsEndInOthers) {
  LabelCounts counts;
  for (int i = 0; i < 5'000; ++i) add(counts, result("http://a.test/" + std::to_string(i)));
  EXPECT_LE(counts.requests().size(), LabelCounts::kMostSets + 51);
  std::uint64_t all = 0, others = 0;
  for (const auto& r : counts.requests()) {
    all += r.latencies.count;
    if (counts.url(r.labels) == "others") others += r.latencies.count;
  }
  EXPECT_EQ(all, 5'000u);
  EXPECT_EQ(others, 4'500u);
}

TEST(LabelCounts, ManyOfEverythingStaysBoundedAndLosesNothing) {
  LabelCounts counts;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = std::to_string(i);
    add(counts, result("http://a.test/" + text, static_cast<std::uint16_t>(i % 1000), "refused " + text, "M" + text));
  }
  EXPECT_LE(counts.requests().size(), LabelCounts::kMostSets + 51);
  EXPECT_LE(counts.failures().size(), LabelCounts::kMostSets + 51);
  std::uint64_t requests = 0, failures = 0;
  for (const auto& r : counts.requests()) requests += r.latencies.count;
  for (const auto& f : counts.failures()) failures += f.count;
  EXPECT_EQ(requests, 20'000u);
  EXPECT_EQ(failures, 20'000u);
}

TEST(LabelCounts, LongTextsAreBoundedTogether) {
  LabelCounts counts;
  for (int i = 0; i < 100; ++i) add(counts, result("http://a.test/" + std::to_string(i) + std::string(10'000, 'x')));
  std::size_t bytes = 0;
  for (const auto& r : counts.requests()) bytes += counts.url(r.labels).size();
  EXPECT_LE(bytes, Labels::kMostBytes + 100);
  EXPECT_GT(bytes, Labels::kMostBytes / 2);
}

// Two texts that would look the same on the page are one label, or the page would have one series twice.
TEST(LabelCounts, EqualLabelsAreOneSet) {
  LabelCounts counts;
  add(counts, result("http://a.test/", 0, "bad \x1b reply"));
  add(counts, result("http://a.test/", 0, "bad \\x1b reply"));
  add(counts, result("http://a.test/", 0, "others"));
  for (int i = 0; i < 200; ++i) add(counts, result("http://a.test/", 0, "error " + std::to_string(i)));
  std::uint64_t others = 0;
  for (const auto& f : counts.failures()) {
    if (counts.message(f.labels) == "bad \\x1b reply") {
      EXPECT_EQ(f.count, 2u);
    }
    if (counts.message(f.labels) == "others") {
      EXPECT_EQ(others, 0u) << "twice on the page";
      others = f.count;
    }
  }
  EXPECT_EQ(others, 102u);
}

}  // namespace
}  // namespace thrum
