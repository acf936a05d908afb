#include "mode/attack_product.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.hpp"
#include "base/version.hpp"
#include "mode/live_run.hpp"
#include "mode/masked_flags.hpp"
#include "record/writer.hpp"
#include "report/text.hpp"

namespace thrum::mode {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Timestamp wall_clock() { return Timestamp::from_unix(std::chrono::system_clock::now().time_since_epoch()); }

// The run as its results describe it, for every later reader.
FileHeader header_of(const AttackRequest& request, const TargetMix& mix) {
  const AttackOptions& o = request.options;
  FileHeader header;
  header.tool = "thrum";
  header.version = kVersion;
  header.run_id = new_run_id();
  header.attack = o.name;
  header.host = host_name();
  header.start = wall_clock();
  header.shape = o.shape.text();
  header.seed = o.seed;
  header.asked_rate = asked_rate(o);
  header.duration = o.duration;
  header.hits = o.hits;
  header.latency_clock = request.latency;
  header.success = request.success;
  header.options = masked(request.typed);
  header.mix = mix;
  return header;
}

bool is_stdout(const std::string& name) { return name == "stdout" || name == "-"; }

// Results in binary would only upset a terminal.
bool wants_report(const AttackRequest& request) {
  const bool is_binary = request.encoding == Encoding::native || request.encoding == Encoding::gob;
  return is_stdout(request.output) && is_binary && ::isatty(STDOUT_FILENO) == 1;
}

class Records final : public AttackProduct {
 public:
  Records(std::unique_ptr<ResultsWriter> writer, bool can_mark) : writer_(std::move(writer)), can_mark_(can_mark) {}
  Expected<void> take(std::span<const Result> results) override {
    if (!can_mark_ && results[0].is_warmup) return {};
    return writer_->take(results);
  }
  Expected<void> tick() override { return writer_->tick(); }
  void change(const Event& event) override { writer_->event(event); }
  Expected<void> finish(const Summary& summary) override { return writer_->finish(summary); }
  bool tells_limits() const override { return false; }

 private:
  std::unique_ptr<ResultsWriter> writer_;
  bool can_mark_;  // results of the warm-up as such
};

class Report final : public AttackProduct {
 public:
  Report(const AttackRequest& request, const TargetMix& mix, AttackHooks hooks)
      : run_(request.options, mix, {{}, request.latency}), hooks_(std::move(hooks)) {}

  Expected<void> take(std::span<const Result> results) override {
    if (!results[0].is_warmup) run_.add(results);
    return {};
  }
  void change(const Event& event) override { run_.change(event); }
  Expected<void> finish(const Summary& summary) override { return hooks_.print(report::text(run_.finished(summary))); }
  bool tells_limits() const override { return true; }

 private:
  LiveRun run_;
  AttackHooks hooks_;
};

}  // namespace

Expected<std::unique_ptr<AttackProduct>> open_product(const AttackRequest& request, const TargetMix& mix, const AttackHooks& hooks) {
  if (wants_report(request)) return std::make_unique<Report>(request, mix, hooks);
  WriterOptions options;
  options.encoding = request.encoding;
  options.name = request.output;
  const FileHeader header = header_of(request, mix);
  Expected<std::unique_ptr<ResultsWriter>> writer;
  if (is_stdout(request.output)) {
    writer = ResultsWriter::to_fd(STDOUT_FILENO, header, options);
  } else {
    writer = ResultsWriter::to_file(request.output, header, options);
  }
  if (!writer) return std::unexpected(std::move(writer.error()));
  return std::make_unique<Records>(std::move(*writer), request.encoding == Encoding::native);
}

}  // namespace thrum::mode
