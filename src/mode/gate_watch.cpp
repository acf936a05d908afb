#include "mode/gate_watch.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "record/output.hpp"

namespace thrum::mode {

GateWatch::GateWatch(report::Gates gates, std::string junit, const AttackOptions& options)
    : gates_(std::move(gates)), junit_(std::move(junit)) {
  plan_.shape = options.shape.text();
  plan_.duration = options.duration;
  plan_.hits = options.hits;
  if (options.shape.is_closed()) return;
  plan_.rate = options.shape.peak();
  plan_.asked = options.shape;
  // Hits at random are told apart by time; the attack begins in a moment.
  const Timestamp start = Timestamp::from_unix(std::chrono::system_clock::now().time_since_epoch());
  if (gates_.has_stages() && report::StageSplit::is_for(options.shape)) stages_.emplace(options.shape, start, StatusSet());
}

void GateWatch::add(std::span<const Result> results) {
  metrics_.add(results);
  gates_.add(results, StatusSet());
  if (stages_) stages_->add(results);
}

Expected<std::vector<report::Judged>> GateWatch::judge(const Summary& summary) {
  metrics_.close();
  plan_.start = summary.started;
  plan_.summary = summary;
  report::Input input;
  input.total = metrics_;
  report::RunInput& run = input.runs.emplace_back();
  run.metrics = std::move(metrics_);
  if (stages_) run.stages = stages_->parts(summary.sending, plan_.hits);
  run.plan = std::move(plan_);
  auto judged = gates_.judge(input);
  if (!junit_.empty())
    if (auto written = write_junit(junit_, judged); !written) return std::unexpected(written.error());
  return judged;
}

Expected<report::Gates> parse_gates(std::span<const std::string> texts) {
  auto gates = report::Gates::parse(texts);
  if (!gates) return usage_error("-fail-if: " + gates.error().text);
  return gates;
}

Expected<void> write_junit(const std::string& file, std::span<const report::Judged> judged) {
  auto out = Output::create(file);
  if (!out) return std::unexpected(out.error());
  return out->write(report::junit(judged));
}

std::string line_of(const report::Judged& judged) {
  return fmt::format("gate {}: {}, {}", printable(judged.gate), judged.value, judged.is_crossed ? "FAIL" : "pass");
}

}  // namespace thrum::mode
