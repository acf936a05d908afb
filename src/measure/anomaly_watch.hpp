// Seconds of a run that stand out from those before: latency that leaps, a rate that collapses, errors out of nowhere.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/run_seconds.hpp"

namespace thrum {

struct Anomaly {
  enum class Kind : std::uint8_t { latency, throughput, errors };
  std::int64_t at = 0;  // the second
  Kind kind = Kind::latency;
  std::string text;  // what, how much, when
};
std::string_view name_of(Anomaly::Kind kind);

class AnomalyWatch {
 public:
  static constexpr std::size_t kLookedAt = 30, kFewest = 10;  // seconds before, with traffic
  static constexpr std::int64_t kQuiet = 30;                  // seconds until the same kind is told again
  static constexpr std::int64_t kAfterResume = 2;

  // A second that is over, in turn. Those of a pause are not handed in.
  void add(const RunSecond& second);
  // The clock goes on after a pause: the target finds its pace again in the next two seconds, which are left out.
  void resumed(std::int64_t second) { skip_before_ = second + kAfterResume; }
  const std::vector<Anomaly>& found() const { return found_; }

 private:
  static constexpr std::size_t kMostFound = 1000;  // of a run of days
  struct Seen {
    double rate, errors;
    Nanos p99;
  };
  void tell(Anomaly::Kind kind, std::int64_t at, std::string text);

  std::deque<Seen> before_;
  std::array<std::optional<std::int64_t>, 3> told_;
  std::int64_t skip_before_ = 0;
  std::vector<Anomaly> found_;
};

}  // namespace thrum
