#include "report/stages.hpp"

#include <algorithm>
#include <utility>

namespace thrum::report {

StageSplit::StageSplit(Shape shape, Timestamp start, MetricsOptions judging)
    : shape_(std::move(shape)), judging_(judging), start_(start), stages_(shape_.stages().begin(), shape_.stages().end()) {
  if (stages_.empty()) stages_.push_back({Nanos(0), {}, shape_.text(), shape_.peak(), shape_.peak()});
  planned_ = stages_.size();
  metrics_.assign(planned_, Metrics(judging));
  if (shape_.is_random()) return;
  for (const Shape::Stage& stage : stages_) first_hits_.push_back(shape_.hits_before(stage.start));
}

StageSplit::StageSplit(Shape shape, Timestamp start, MetricsOptions judging, const Metrics& so_far)
    : StageSplit(std::move(shape), start, judging) {
  metrics_[0].merge(so_far);
}

void StageSplit::change(Nanos at, std::string text) {
  if (stages_.size() == kMostStages) return;
  stages_.push_back({at, {}, std::move(text), 0, 0});
  metrics_.emplace_back(judging_);
}

Nanos StageSplit::due(const Result& result) const { return result.timestamp.since(start_) - (result.has_lag() ? result.lag : Nanos(0)); }

// The last one that had begun.
std::size_t StageSplit::stage_of(const Result& result) const {
  const auto index = [](auto begin, auto next) { return next == begin ? 0 : static_cast<std::size_t>(next - begin) - 1; };
  const auto begun = [&](auto from, auto to) {
    return index(stages_.begin(), std::ranges::upper_bound(from, to, due(result), {}, &Shape::Stage::start));
  };
  const auto first_change = stages_.begin() + static_cast<std::ptrdiff_t>(planned_);
  if (first_change != stages_.end() && due(result) >= first_change->start) return begun(first_change, stages_.end());
  if (shape_.is_random()) return begun(stages_.begin(), first_change);
  return index(first_hits_.begin(), std::ranges::upper_bound(first_hits_, result.seq));
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
  const bool is_changed = planned_ < stages_.size();
  const Nanos planned_end = is_changed ? std::min(sending, stages_[planned_].start) : sending;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Shape::Stage& stage = stages_[i];
    const bool is_planned = i < planned_;
    Nanos end = is_planned ? planned_end : i + 1 < stages_.size() ? stages_[i + 1].start : sending;
    if (stage.length) end = std::min(end, stage.start + *stage.length);
    if (end <= stage.start && metrics_[i].requests() == 0) continue;
    StagePart part{stage, std::max(Nanos(0), end - stage.start), {}, metrics_[i]};
    if (hits && !shape_.is_random() && is_planned) {
      const auto before = [&](Nanos t) { return std::min(*hits, shape_.hits_before(t)); };
      part.asked = before(std::max(end, stage.start)) - before(stage.start);
    }
    part.metrics.close();
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace thrum::report
