#include "measure/send_peaks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

namespace thrum {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

Result sent_at(Nanos t) {
  Result r;
  r.timestamp = Timestamp::from_unix(Nanos(kStart) + t);
  return r;
}

TEST(SendPeaks, OfAnEvenRateAreTheRate) {
  SendPeaks peaks;
  for (Nanos t(0); t < 10s; t += 1ms) peaks.add(std::array{sent_at(t)});
  EXPECT_EQ(peaks.in_tenth(), 1000);
  EXPECT_EQ(peaks.in_second(), 1000);
}

TEST(SendPeaks, ShowABurst) {
  SendPeaks peaks;
  for (Nanos t(0); t < 10s; t += 10ms) peaks.add(std::array{sent_at(t)});
  for (int i = 0; i < 200; ++i) peaks.add(std::array{sent_at(5050ms)});
  EXPECT_EQ(peaks.in_tenth(), 2100);
  EXPECT_EQ(peaks.in_second(), 300);
}

TEST(SendPeaks, OfNothingAreNone) { EXPECT_EQ(SendPeaks().in_second(), 0); }

TEST(Property, PeaksAreThoseOfEveryTenthAndEveryTenInARow) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    SendPeaks all, parts[2];
    std::map<std::int64_t, std::int64_t> tenths;
    for (int i = 0; i < 3000; ++i) {
      // Mostly later than the one before, as they end.
      const std::int64_t tenth = i / 20 + static_cast<std::int64_t>(random() % (round % 2 == 0 ? 50 : 5));
      ++tenths[tenth];
      const Result r = sent_at(100ms * tenth + Nanos(static_cast<std::int64_t>(random() % 100'000'000)));
      all.add(std::array{r});
      parts[random() % 2].add(std::array{r});
    }
    std::int64_t tenth = 0, second = 0;
    for (std::int64_t from = -10; from < 400; ++from) {
      std::int64_t sum = 0;
      for (std::int64_t t = from; t < from + 10; ++t)
        if (const auto found = tenths.find(t); found != tenths.end()) sum += found->second;
      second = std::max(second, sum);
      if (const auto found = tenths.find(from); found != tenths.end()) tenth = std::max(tenth, found->second);
    }
    EXPECT_EQ(all.in_tenth(), 10.0 * static_cast<double>(tenth));
    EXPECT_EQ(all.in_second(), static_cast<double>(second));
    parts[0].merge(parts[1]);
    EXPECT_EQ(parts[0].in_tenth(), all.in_tenth());
    EXPECT_EQ(parts[0].in_second(), all.in_second());
  }
}

TEST(SendPeaks, ForgetsWhatIsLongAgo) {
  SendPeaks peaks;
  for (Nanos t(0); t < 4h; t += 1s) peaks.add(std::array{sent_at(t)});
  peaks.add(std::array{sent_at(0s)});
  EXPECT_EQ(peaks.in_second(), 1);
  EXPECT_EQ(peaks.in_tenth(), 10);
}

}  // namespace
}  // namespace thrum
