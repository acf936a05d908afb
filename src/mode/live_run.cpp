#include "mode/live_run.hpp"

#include <chrono>
#include <utility>

namespace thrum::mode {

double asked_rate(const AttackOptions& options) { return options.shape.is_closed() ? 0 : options.shape.peak(); }

LiveRun::LiveRun(const AttackOptions& options) : name_(options.name) {
  plan_.start = Timestamp::from_unix(std::chrono::system_clock::now().time_since_epoch());  // the attack begins in a moment
  plan_.shape = options.shape.text();
  plan_.seed = options.seed;
  plan_.rate = asked_rate(options);
  if (!options.shape.is_closed()) plan_.asked = options.shape;
  plan_.duration = options.duration;
  plan_.hits = options.hits;
  if (report::StageSplit::is_for(options.shape)) stages_.emplace(options.shape, plan_.start, StatusSet());
}

void LiveRun::add(std::span<const Result> results) {
  metrics_.add(results);
  if (stages_) stages_->add(results);
}

report::Input LiveRun::finished(const Summary& summary) {
  metrics_.close();
  plan_.start = summary.started;
  plan_.summary = summary;
  report::Input input;
  input.total = metrics_;
  report::RunInput& run = input.runs.emplace_back();
  run.name = name_;
  run.metrics = std::move(metrics_);
  if (stages_) run.stages = stages_->parts(summary.sending, plan_.hits);
  run.plan = std::move(plan_);
  return input;
}

}  // namespace thrum::mode
