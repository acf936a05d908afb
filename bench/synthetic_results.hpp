// A stream of results like those of a real run: a constant rate, latencies log-normal to the nanosecond, ends out of order, a few
// errors, some connections opened on the way.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "thrum/result.hpp"

namespace thrum::bench {

struct Profile {
  double rate = 1000;  // hits per second; 0: a closed loop of 64
  double median_ms = 1.5, sigma = 0.5;
  std::size_t urls = 1;
};

class SyntheticResults {
 public:
  explicit SyntheticResults(Profile profile) : profile_(profile) {
    for (std::size_t i = 0; i < profile.urls; ++i) urls_.push_back("http://127.0.0.1:18080/api/products/" + std::to_string(i * 7919));
  }

  // Results numbered from where the last call ended, in the order in which they end.
  const std::vector<Result>& next(std::size_t count) {
    rows_.clear();
    for (std::size_t i = 0; i < count; ++i) rows_.push_back(row());
    std::sort(rows_.begin(), rows_.end(), [](const Result& a, const Result& b) { return a.end().before(b.end()); });
    return rows_;
  }

 private:
  Result row() {
    Result r;
    const std::uint64_t n = seq_++;
    r.attack = "";
    r.seq = n;
    r.method = "GET";
    r.url = urls_[n % urls_.size()];
    r.latency = Nanos(static_cast<std::int64_t>(profile_.median_ms * 1e6 * std::exp(profile_.sigma * normal_(random_))));
    const auto lag = static_cast<std::int64_t>(4000 * std::exp(0.7 * normal_(random_)));
    std::int64_t sent = 0;
    if (profile_.rate > 0) {
      r.lag = Nanos(lag);
      sent = static_cast<std::int64_t>(static_cast<long double>(n) * 1e9L / profile_.rate) + lag;
    } else {
      std::int64_t& free = *std::min_element(free_.begin(), free_.end());
      sent = free + lag;
      free = sent + r.latency.count();
    }
    r.timestamp = Timestamp{1'700'000'000, 0, 0}.plus(Nanos(sent));
    r.first_byte = r.latency - Nanos(2000 + static_cast<std::int64_t>(random_() % 3000));
    r.bytes_in = 803;
    r.code = 200;
    if (random_() % 500 == 0) {
      r.code = 503, r.bytes_in = 21, r.error = "503 Service Unavailable", r.outcome = Outcome::bad_status;
    }
    if (random_() % 2000 == 0) r.connect = Nanos(90'000 + static_cast<std::int64_t>(random_() % 20'000));
    return r;
  }

  Profile profile_;
  std::vector<std::string> urls_;
  std::vector<Result> rows_;
  std::uint64_t seq_ = 0;
  std::array<std::int64_t, 64> free_{};
  std::mt19937_64 random_{42};
  std::normal_distribution<double> normal_;
};

}  // namespace thrum::bench
