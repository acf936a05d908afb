#include "mode/gate_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <utility>

#include "base/text.hpp"
#include "record/output.hpp"

namespace thrum::mode {

GateWatch::GateWatch(report::Gates gates, std::string junit, const AttackOptions& options, const TargetMix& mix, MetricsOptions judging)
    : gates_(std::move(gates)), junit_(std::move(junit)), judging_(judging), run_(options, mix, judging) {}

void GateWatch::add(std::span<const Result> results) {
  run_.add(results);
  gates_.add(results, judging_);
}

Expected<std::vector<report::Judged>> GateWatch::judge(const Summary& summary) {
  auto judged = gates_.judge(run_.finished(summary));
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
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const Timestamp when = Timestamp::from_unix(std::chrono::system_clock::now().time_since_epoch());
  return out->write(report::junit(judged, when, host.data()));
}

std::string line_of(const report::Judged& judged) {
  return fmt::format("gate {}: {}, {}", printable(judged.gate), judged.value, judged.is_crossed ? "FAIL" : "pass");
}

}  // namespace thrum::mode
