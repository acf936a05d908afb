// Counts of results by their labels (method, status, URL, error), for whoever watches an attack from outside while it runs.
// Bounded: whatever targets and servers put into URLs and errors, labels and label sets stay few, and what is beyond them is
// counted under "others". A value, cheap to copy; one thread adds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "measure/memo.hpp"
#include "thrum/result.hpp"

namespace thrum {

// Durations by bounds; the last count is of what is above all of them.
template <std::size_t kBounds>
struct BoundCounts {
  std::array<std::uint64_t, kBounds + 1> counts{};
  std::uint64_t count = 0;
  __int128 sum = 0;  // ns

  void record(Nanos value, const std::array<Nanos, kBounds>& bounds) {
    std::size_t i = 0;
    while (i < kBounds && value > bounds[i]) ++i;  // a bound belongs to its bucket
    ++counts[i];
    ++count;
    sum += value.count();
  }
};

// Texts numbered in the order in which they are first seen. Number 0 is "others": those beyond the limits.
class Labels {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 10;

  explicit Labels(std::size_t most) : most_(most) { texts_.emplace_back("others"); }
  std::uint32_t number_of(std::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::size_t most_, bytes_ = 0;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

// A result's labels; the texts are numbers of Labels. A status of kOtherStatus is "others", too.
struct LabelSet {
  static constexpr std::uint16_t kOtherStatus = UINT16_MAX;
  std::uint32_t method = 0, url = 0, message = 0;
  std::uint16_t status = kOtherStatus;
  bool operator==(const LabelSet&) const = default;
};

class LabelCounts {
 public:
  static constexpr std::size_t kMostMethods = 20, kMostUrls = 500, kMostMessages = 100;
  static constexpr std::size_t kMostSets = 500;  // of requests, and of failures

  static constexpr std::array<Nanos, 11> kLatencyBounds{
      Nanos(5'000'000),   Nanos(10'000'000),    Nanos(25'000'000),    Nanos(50'000'000),    Nanos(100'000'000),   Nanos(250'000'000),
      Nanos(500'000'000), Nanos(1'000'000'000), Nanos(2'500'000'000), Nanos(5'000'000'000), Nanos(10'000'000'000)};
  static constexpr std::array<Nanos, 12> kLagBounds{Nanos(10'000),      Nanos(50'000),      Nanos(100'000),       Nanos(500'000),
                                                    Nanos(1'000'000),   Nanos(5'000'000),   Nanos(10'000'000),    Nanos(50'000'000),
                                                    Nanos(100'000'000), Nanos(500'000'000), Nanos(1'000'000'000), Nanos(10'000'000'000)};

  struct Requests {
    LabelSet labels;
    std::uint64_t bytes_in = 0, bytes_out = 0;
    BoundCounts<kLatencyBounds.size()> latencies;
  };
  struct Failures {
    LabelSet labels;
    std::uint64_t count = 0;
  };

  void add(std::span<const Result> results);

  // Each label set stands there once, in the order first seen.
  const std::vector<Requests>& requests() const { return requests_; }
  const std::vector<Failures>& failures() const { return failures_; }
  const BoundCounts<kLagBounds.size()>& lag() const { return lag_; }
  const std::string& method(const LabelSet& set) const { return methods_.texts()[set.method]; }
  const std::string& url(const LabelSet& set) const { return urls_.texts()[set.url]; }
  const std::string& message(const LabelSet& set) const { return messages_.texts()[set.message]; }

 private:
  struct Hash {
    std::size_t operator()(const LabelSet& set) const;
  };
  using Index = std::unordered_map<LabelSet, std::size_t, Hash>;

  void add(const Result& result);

  Labels methods_{kMostMethods}, urls_{kMostUrls}, messages_{kMostMessages};
  Memo<std::uint32_t> known_methods_, known_urls_, known_messages_;
  Index request_index_, failure_index_;
  std::vector<Requests> requests_;
  std::vector<Failures> failures_;
  BoundCounts<kLagBounds.size()> lag_;
};

// How a URL is told as a label: without its query, which tends to differ from hit to hit, without its fragment, and without user
// name and password.
std::string url_label(std::string_view url);

}  // namespace thrum
