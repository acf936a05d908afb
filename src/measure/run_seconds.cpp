#include "measure/run_seconds.hpp"

#include <algorithm>

namespace thrum {
namespace {

constexpr std::int64_t kMinute = 60;

RunPoint point_of(const RunSecond& s, double seconds) {
  return {s.at,
          static_cast<double>(s.ended()) / seconds,
          static_cast<double>(s.failed) / seconds,
          s.ended(),
          s.latencies.quantile(0.5),
          s.latencies.quantile(0.9),
          s.latencies.quantile(0.99)};
}

// How long the stretch of `whole` seconds from `at` was part of a run of this length.
double part_of(std::int64_t at, std::int64_t whole, Nanos length) {
  const double left = static_cast<double>(length.count()) / 1e9 - static_cast<double>(at);
  return std::clamp(left, 0.0, static_cast<double>(whole));
}

}  // namespace

void RunSecond::merge(const RunSecond& other) {
  ok += other.ok;
  failed += other.failed;
  bytes += other.bytes;
  latencies.merge(other.latencies);
}

void RunSeconds::merge(const RunSecond& part) {
  minute_of(part.at).merge(part);
  if (seconds_.empty()) seconds_.push_back({.at = 0});
  const std::int64_t last = seconds_.back().at;
  if (part.at > last + kKept) seconds_.clear();
  for (std::int64_t at = seconds_.empty() ? part.at : last + 1; at <= part.at; ++at) seconds_.push_back({.at = at});
  while (std::ssize(seconds_) > kKept) seconds_.pop_front();
  const std::int64_t index = part.at - seconds_.front().at;
  if (index >= 0) seconds_[static_cast<std::size_t>(index)].merge(part);
}

// The minute that a second belongs to; minutes that nothing more will come of are put into numbers.
RunSecond& RunSeconds::minute_of(std::int64_t second) {
  const std::int64_t at = second / kMinute * kMinute;
  if (minutes_.empty()) minutes_.push_back({.at = 0});
  while (minutes_.back().at < at) {
    minutes_.push_back({.at = minutes_.back().at + kMinute});
    if (minutes_.size() <= 2) continue;
    closed_minutes_.push_back(point_of(minutes_.front(), kMinute));
    minutes_.pop_front();
  }
  return at < minutes_.back().at ? minutes_.front() : minutes_.back();
}

std::vector<RunPoint> RunSeconds::points(Nanos length) const {
  std::vector<RunPoint> points;
  for (const RunSecond& s : seconds_)
    if (const double part = part_of(s.at, 1, length); part >= kLeastOfSecond || (seconds_.size() == 1 && part > 0))
      points.push_back(point_of(s, part));
  return points;
}

std::vector<RunPoint> RunSeconds::minutes(Nanos length) const {
  std::vector<RunPoint> points = closed_minutes_;
  for (const RunSecond& m : minutes_)
    if (const double part = part_of(m.at, kMinute, length); part >= kLeastOfMinute * kMinute) points.push_back(point_of(m, part));
  return points;
}

std::vector<RunPoint> RunSeconds::trend_points(Nanos length) const {
  auto points = minutes(length);
  return points.size() >= 3 ? points : this->points(length);
}

}  // namespace thrum
