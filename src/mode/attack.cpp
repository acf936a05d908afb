#include "mode/attack.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/clock.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"
#include "host/program_pages.hpp"
#include "mode/abort_watch.hpp"
#include "mode/attack_product.hpp"
#include "mode/checkup.hpp"
#include "mode/dry_run.hpp"
#include "mode/gate_watch.hpp"
#include "mode/guarding.hpp"
#include "mode/live_metrics.hpp"
#include "mode/once.hpp"
#include "mode/open_attacker.hpp"
#include "mode/proxy_environment.hpp"
#include "mode/rate_kept.hpp"
#include "mode/same_file.hpp"
#include "mode/so_far.hpp"
#include "mode/standard_streams.hpp"
#include "mode/steering.hpp"
#include "report/bottleneck.hpp"
#include "ui/progress_line.hpp"

namespace thrum::mode {
namespace {

bool is_stdout(const std::string& name) { return name == "stdout" || name == "-"; }

Expected<void> check_streams(const AttackRequest& request) {
  if (auto open = check_targets_stream(request); !open) return open;
  if (is_stdout(request.output))
    if (auto open = check_stdout(); !open) return open;
  const TlsOptions& tls = request.options.tls;
  std::vector<std::pair<std::string_view, std::string>> inputs{
      {"-targets", request.targets}, {"-body", request.body}, {"-cert", tls.cert_file}, {"-key", tls.key_file}};
  for (const std::string& file : tls.root_cert_files) inputs.emplace_back("-root-certs", file);
  for (const auto& [flag, file] : inputs)
    if (is_same_file(request.output, file))
      return usage_error(fmt::format("-output={} is what {} reads: name another file", printable(request.output), flag));
  return {};
}

class AttackRun final : public Attack, private ResultSink {
 public:
  AttackRun(AttackRequest request, AttackHooks hooks) : request_(std::move(request)), hooks_(std::move(hooks)) {}

  Expected<void> prepare();
  Expected<AttackEnd> run() override;
  void stop() override {
    if (page_) page_->stop();
    attacker_->stop();
  }
  void cut() override {
    if (page_) page_->cut();
    attacker_->cut();
  }

 private:
  Expected<void> take(std::span<const Result> results) override {
    while (!results.empty()) {
      const bool is_warmup = results[0].is_warmup;
      const auto end = std::ranges::find_if(results, [=](const Result& r) { return r.is_warmup != is_warmup; });
      const auto part = results.first(static_cast<std::size_t>(end - results.begin()));
      results = results.subspan(part.size());
      if (page_ && !is_warmup) page_->add(part);
      if (gates_ && !is_warmup) gates_->add(part);
      if (!is_warmup) abort_watch_.add(part);
      if (auto taken = watch(product_->take(part)); !taken) return taken;
    }
    return {};
  }
  Expected<void> tick() override {
    if (!std::exchange(has_ticked_, true)) host::give_back_program_pages();  // what the first connections took
    tell_changes();
    if (!aborted_by_) look_for_abort();
    if (page_ || progress_) {
      const Progress progress = attacker_->progress();
      if (page_) page_->show(progress);
      if (progress_) progress_->show(progress, now());
    }
    return watch(product_->tick());
  }
  Expected<void> watch(Expected<void> done) {
    product_failed_ = product_failed_ || !done;
    return done;
  }
  void changed(Event event) {
    const std::lock_guard lock(changes_mutex_);
    changes_.push_back(std::move(event));
  }
  void tell_changes();
  void look_for_abort();
  Expected<AttackEnd> finish(const Expected<Summary>& summary);
  Summary stopped_so_far() const {
    Summary summary = so_far(attacker_->progress());
    summary.stopped = true;
    return summary;
  }

  AttackRequest request_;
  AttackHooks hooks_;
  std::unique_ptr<Attacker> attacker_;
  std::unique_ptr<AttackProduct> product_;
  std::optional<ui::ProgressLine> progress_;
  std::optional<GateWatch> gates_;
  AbortWatch abort_watch_;
  std::optional<std::string> aborted_by_;
  std::mutex changes_mutex_;
  std::vector<Event> changes_;  // not told yet
  std::unique_ptr<LiveMetrics> page_;
  std::unique_ptr<Steering> steering_;  // uses what stands above it
  bool product_failed_ = false;
  bool has_ticked_ = false;
};

Expected<void> AttackRun::prepare() {
  if (request_.heeds_environment) add_environment(request_.options.proxy, environment_variable);
  if (auto checked = check(request_); !checked) return checked;
  if (auto safe = check_streams(request_); !safe) return safe;
  auto gates = parse_gates(request_.fail_if);
  if (!gates) return std::unexpected(std::move(gates.error()));
  auto abort_watch = AbortWatch::parse(request_.abort_if, {{}, request_.latency});
  if (!abort_watch) return std::unexpected(std::move(abort_watch.error()));
  abort_watch_ = std::move(*abort_watch);
  request_.options.is_steerable = !request_.control.empty();
  if (auto within = hold_to_guard(request_); !within) return within;
  host::give_back_program_pages();  // what the command line took
  auto opened = open_attacker(request_);
  if (!opened) return std::unexpected(std::move(opened.error()));
  attacker_ = std::move(opened->attacker);
  const TargetMix& mix = opened->mix;
  if (!request_.metrics_addr.empty()) {
    auto page = LiveMetrics::open(request_, "-prometheus-addr", hooks_.warn);
    if (!page) return std::unexpected(std::move(page.error()));
    page_ = std::move(*page);
  }
  if (!request_.control.empty()) {
    auto steering = Steering::open(request_.control, *attacker_, request_.options.shape.is_closed(), request_.guard,
                                   [this](Event e) { changed(std::move(e)); });
    if (!steering) return std::unexpected(std::move(steering.error()));
    steering_ = std::move(*steering);
  }
  if (!gates->empty()) gates_.emplace(std::move(*gates), request_.junit, request_.options, mix, MetricsOptions{{}, request_.latency});
  // Last, so that no mistake in what comes before empties an older file.
  auto product = open_product(request_, mix, hooks_);
  if (!product) return std::unexpected(std::move(product.error()));
  product_ = std::move(*product);
  for (const std::string_view line : without_effect(request_)) hooks_.warn(line);
  if (opened->ignores_weights)
    hooks_.warn(fmt::format("the targets' weights change nothing: -order={} has them all alike", name_of(*request_.options.order)));
  const Demand demand = demand_of(request_, opened->urls);
  for (const Finding& f : forewarnings(look_at_machine(demand), demand)) hooks_.warn(fmt::format("{}; {}", f.says, f.cure));

  const bool in_place = ::isatty(STDERR_FILENO) == 1;
  const bool among_records = is_stdout(request_.output) && ::isatty(STDOUT_FILENO) == 1 && !product_->tells_limits();
  if (request_.progress.value_or(in_place && !among_records))
    progress_.emplace(STDERR_FILENO, in_place, ui::ProgressPlan{request_.options.duration, request_.options.shape.is_closed()});
  return {};
}

void AttackRun::tell_changes() {
  std::vector<Event> changes;
  {
    const std::lock_guard lock(changes_mutex_);
    changes.swap(changes_);
  }
  for (const Event& change : changes) {
    product_->change(change);
    if (gates_) gates_->change(change);
  }
}

void AttackRun::look_for_abort() {
  aborted_by_ = abort_watch_.met(now());
  if (!aborted_by_) return;
  attacker_->stop();
  changed({attacker_->progress().elapsed, "abort", *aborted_by_});
}

Expected<AttackEnd> AttackRun::run() {
  host::give_back_program_pages();  // what getting ready took
  const auto summary = attacker_->run(*this);
  steering_.reset();
  tell_changes();
  if (progress_) progress_->clear();
  if (page_) page_->finish(summary ? *summary : stopped_so_far());
  auto end = finish(summary);
  if (page_ && end) {
    product_.reset();
    page_->linger(is_stdout(request_.output));
  }
  return end;
}

Expected<AttackEnd> AttackRun::finish(const Expected<Summary>& summary) {
  if (!summary) {
    // Targets that turned out bad half-way, say. What came before is worth as much as ever.
    if (!product_failed_) (void)product_->finish(stopped_so_far());
    return std::unexpected(summary.error());
  }
  if (auto finished = product_->finish(*summary); !finished) return std::unexpected(finished.error());
  const Books& books = summary->books;
  const std::string limit = report::plain_words(report::bottleneck(*summary));
  if (missed_many(books) && !product_->tells_limits())
    hooks_.warn(fmt::format("sent {} of {}: {}", books.sent, books.scheduled, limit.empty() ? "the attack ended first" : limit));
  const std::uint64_t asked = request_.options.hits;
  if (summary->ran_dry && asked != kUnlimited && books.scheduled < asked)
    hooks_.warn(
        fmt::format("sent {} of {}: the targets ended first; without -lazy they are sent in turn, round and round", books.sent, asked));
  bool is_crossed = aborted_by_.has_value();
  if (aborted_by_) hooks_.warn(fmt::format("ended early: {}", printable_prefix(*aborted_by_, 200)));
  if (gates_) {
    const auto judged = gates_->judge(*summary);
    if (!judged) return std::unexpected(judged.error());
    for (const report::Judged& each : *judged) hooks_.warn(line_of(each));
    is_crossed = is_crossed || report::any_crossed(*judged);
  }
  if (request_.strict_rate && !kept_rate(*summary)) return AttackEnd::off_rate;
  return is_crossed ? AttackEnd::gate : AttackEnd::done;
}

}  // namespace

Expected<std::unique_ptr<Attack>> Attack::prepare(AttackRequest request, AttackHooks hooks) {
  if (request.dry_run) return prepare_dry_run(std::move(request), std::move(hooks));
  if (request.once) return prepare_once(std::move(request), std::move(hooks));
  auto run = std::make_unique<AttackRun>(std::move(request), std::move(hooks));
  if (auto ready = run->prepare(); !ready) return std::unexpected(std::move(ready.error()));
  return std::unique_ptr<Attack>(std::move(run));
}

}  // namespace thrum::mode
