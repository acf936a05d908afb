#include "report/stages.hpp"

#include <algorithm>
#include <utility>

namespace thrum::report {

StageSplit::StageSplit(Shape shape, Timestamp start, StatusSet success)
    : shape_(std::move(shape)), start_(start), metrics_(shape_.stages().size(), Metrics({success})) {
  if (shape_.is_random()) return;
  for (const Shape::Stage& stage : shape_.stages()) first_hits_.push_back(shape_.hits_before(stage.start));
}

// The last one that had begun.
std::size_t StageSplit::stage_of(const Result& result) const {
  const auto index = [](auto begin, auto next) { return next == begin ? 0 : static_cast<std::size_t>(next - begin) - 1; };
  if (!shape_.is_random()) return index(first_hits_.begin(), std::ranges::upper_bound(first_hits_, result.seq));
  const Nanos due = result.timestamp.since(start_) - (result.has_lag() ? result.lag : Nanos(0));
  const std::span<const Shape::Stage> stages = shape_.stages();
  return index(stages.begin(), std::ranges::upper_bound(stages, due, {}, &Shape::Stage::start));
}

void StageSplit::add(std::span<const Result> results) {
  while (!results.empty()) {
    const std::size_t stage = stage_of(results[0]);
    std::size_t n = 1;
    while (n < results.size() && stage_of(results[n]) == stage) ++n;
    metrics_[stage].add(results.first(n));
    results = results.subspan(n);
  }
}

std::vector<StagePart> StageSplit::parts(Nanos sending, std::optional<std::uint64_t> hits) {
  std::vector<StagePart> out;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const Shape::Stage& stage = shape_.stages()[i];
    const Nanos end = std::min(sending, stage.length ? stage.start + *stage.length : sending);
    if (end <= stage.start && metrics_[i].requests() == 0) continue;
    StagePart part{stage, std::max(Nanos(0), end - stage.start), {}, metrics_[i]};
    if (hits && !shape_.is_random()) {
      const auto before = [&](Nanos t) { return std::min(*hits, shape_.hits_before(t)); };
      part.asked = before(std::max(end, stage.start)) - before(stage.start);
    }
    part.metrics.close();
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace thrum::report
