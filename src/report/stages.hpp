// The results of a run whose rate goes through stages, stage by stage: a hit belongs to the stage in which it was due.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "thrum/metrics.hpp"
#include "thrum/shape.hpp"

namespace thrum::report {

struct StagePart {
  Shape::Stage stage;
  Nanos length{0};                     // of the stage, as far as it was carried out
  std::optional<std::uint64_t> asked;  // hits due in it; none: not known, or they came at random
  Metrics metrics;                     // closed
};

class StageSplit {
 public:
  static constexpr std::size_t kMostStages = 200;  // each takes some tens of kilobytes

  // Whether `shape` has stages to tell apart, and not too many.
  static bool is_for(const Shape& shape) { return shape.stages().size() > 1 && shape.stages().size() <= kMostStages; }

  // `start`: when the run began, by which hits at random times are told apart; others are by their number.
  StageSplit(Shape shape, Timestamp start, MetricsOptions judging);
  // The same for a shape of one stage that is about to be changed; `so_far`: all its results until now.
  StageSplit(Shape shape, Timestamp start, MetricsOptions judging, const Metrics& so_far);

  // From `at` on hits belong to a stage of their own, `text`: the rate was changed, or the run paused or resumed.
  void change(Nanos at, std::string text);
  void add(std::span<const Result> results);
  // Those of which something is known, in order. `sending`: how long the schedule was carried out; `hits`: the most it had, none while
  // it is going on, or where results were lost.
  std::vector<StagePart> parts(Nanos sending, std::optional<std::uint64_t> hits);

 private:
  std::size_t stage_of(const Result& result) const;
  Nanos due(const Result& result) const;

  Shape shape_;
  MetricsOptions judging_;
  Timestamp start_;
  std::vector<Shape::Stage> stages_;
  std::size_t planned_;                    // of these: what follows is by changes
  std::vector<std::uint64_t> first_hits_;  // of each planned stage, unless hits come at random
  std::vector<Metrics> metrics_;           // of each stage
};

}  // namespace thrum::report
