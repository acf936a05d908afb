#include "mode/live_run.hpp"

#include <chrono>
#include <utility>

namespace thrum::mode {

double asked_rate(const AttackOptions& options) { return options.shape.is_closed() ? 0 : options.shape.peak(); }

LiveRun::LiveRun(const AttackOptions& options, const TargetMix& mix, MetricsOptions judging)
    : name_(options.name), judging_(judging), metrics_(judging_) {
  plan_.start = Timestamp::from_unix(std::chrono::system_clock::now().time_since_epoch());  // the attack begins in a moment
  plan_.shape = options.shape.text();
  plan_.order = mix.order;
  plan_.seed = options.seed;
  plan_.rate = asked_rate(options);
  if (!options.shape.is_closed()) plan_.asked = options.shape;
  plan_.duration = options.duration;
  plan_.hits = options.hits;
  if (report::StageSplit::is_for(options.shape)) stages_.emplace(options.shape, plan_.start, judging_);
  if (!mix.parts.empty()) shares_.emplace(mix);
}

void LiveRun::add(std::span<const Result> results) {
  metrics_.add(results);
  peaks_.add(results);
  if (stages_) stages_->add(results);
  if (shares_) shares_->add(results);
}

void LiveRun::add(const Metrics& metrics, const SendPeaks& peaks) {
  metrics_.merge(metrics);
  peaks_.merge(peaks);
}

report::Change change_of(const Event& event) { return {event.at, event.kind, event.detail}; }

void LiveRun::change(const Event& event) {
  plan_.changes.push_back(change_of(event));
  if (!plan_.asked || event.kind == "abort") return;
  if (!stages_) stages_.emplace(*plan_.asked, plan_.start, judging_, metrics_);
  stages_->change(event.at, plan_.changes.back().text());
}

report::Input LiveRun::finished(const Summary& summary) {
  metrics_.close();
  plan_.start = summary.started;
  plan_.summary = summary;
  report::Input input;
  input.total = metrics_;
  input.clock = judging_.clock;
  report::RunInput& run = input.runs.emplace_back();
  run.name = name_;
  run.metrics = std::move(metrics_);
  run.peaks = peaks_;
  if (stages_) run.stages = stages_->parts(summary.sending, plan_.hits);
  if (shares_) run.shares = shares_->table();
  run.plan = std::move(plan_);
  return input;
}

}  // namespace thrum::mode
