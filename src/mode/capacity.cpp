#include "mode/capacity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"
#include "load/rate.hpp"
#include "mode/capacity_trial.hpp"
#include "mode/guarding.hpp"
#include "mode/open_attacker.hpp"
#include "mode/proxy_environment.hpp"
#include "record/output.hpp"
#include "report/capacity.hpp"
#include "ui/progress_line.hpp"

namespace thrum::mode {
namespace {

constexpr Nanos kRest{500'000'000};  // between trials, at least
constexpr int kQuietTicks = 2;       // in which nothing is in flight any more: every result has been taken then

class CapacityRun final : public Capacity, private ResultSink {
 public:
  CapacityRun(CapacityRequest request, CapacityHooks hooks)
      : request_(std::move(request)), hooks_(std::move(hooks)), search_(request_.search) {}

  Expected<void> prepare();
  Expected<bool> run() override;
  void stop() override {
    is_stopped_.store(true);
    attacker_->stop();
  }
  void cut() override {
    is_stopped_.store(true);
    attacker_->cut();
  }

 private:
  Expected<void> take(std::span<const Result> results) override;
  Expected<void> tick() override;
  void begin(Nanos at);
  Expected<void> end_trial();
  Expected<void> go_on();
  void show(const Progress& progress);
  Expected<void> tell(Nanos took);

  CapacityRequest request_;
  CapacityHooks hooks_;
  std::unique_ptr<Attacker> attacker_;
  CapacitySearch search_;
  report::Gates slo_;
  CapacitySearch::Trial asked_{};
  std::optional<CapacityTrial> trial_;
  std::optional<Nanos> paused_at_;  // between trials
  int quiet_ticks_ = 0;
  bool is_second_try_ = false;  // of a trial that failed by growth alone
  report::CapacityFindings findings_;
  std::optional<ui::ProgressLine> progress_;
  std::atomic<bool> is_stopped_{false};
};

Expected<void> CapacityRun::prepare() {
  AttackRequest& attack = request_.attack;
  if (request_.slo.empty()) return usage_error("say what has to hold, as in -slo='p99<200ms, success>99.9%'");
  auto slo = report::Gates::parse(request_.slo);
  if (!slo) return usage_error("-slo: " + slo.error().text);
  if (const auto other = slo->needs_whole_run())
    return usage_error(fmt::format("-slo: {} is about the rate, which is what is looked for; ask for latencies, success or codes", *other));
  if (slo->has_urls()) return usage_error("-slo: it is of all requests; url(...) can't be part of it");
  // What fails at once is quick.
  if (!slo->looks_at_success()) {
    request_.slo.emplace_back("success>=99%");
    slo = report::Gates::parse(request_.slo);
  }
  slo_ = std::move(*slo);
  if (request_.search.from > request_.search.most) return usage_error("-from is above -most; one of them has to change");
  if (attack.heeds_environment) add_environment(attack.options.proxy, environment_variable);
  if (auto within = hold_to_guard(attack, request_.search); !within) return within;
  search_ = CapacitySearch(request_.search);
  const auto first = search_.next();
  attack.options.shape = Shape::constant(load::rate_of(first->rate));
  attack.options.is_steerable = true;
  if (auto checked = check(attack); !checked) return checked;
  if (request_.url.empty())
    if (auto open = check_targets_stream(attack); !open) return open;
  auto opened = open_attacker(attack, request_.url.empty() ? std::nullopt : std::optional<Target>{{.url = request_.url}});
  if (!opened) return std::unexpected(std::move(opened.error()));
  attacker_ = std::move(opened->attacker);
  if (!request_.html.empty())  // before minutes are spent
    if (auto page = Output::create(request_.html); !page) return std::unexpected(page.error());
  const bool in_place = ::isatty(STDERR_FILENO) == 1;
  if (attack.progress.value_or(in_place)) progress_.emplace(STDERR_FILENO, in_place, ui::ProgressPlan{});
  findings_.target = request_.url.empty() ? "the targets of " + attack.targets : request_.url;
  findings_.slo = request_.slo;
  begin(Nanos(0));
  return {};
}

void CapacityRun::begin(Nanos at) {
  asked_ = *search_.next();
  trial_.emplace(asked_, at);
  paused_at_.reset();
  quiet_ticks_ = 0;
}

Expected<void> CapacityRun::take(std::span<const Result> results) {
  const Timestamp started = attacker_->progress().started;
  for (const Result& r : results) trial_->add(r, r.timestamp.since(started) - (r.has_lag() ? r.lag : Nanos(0)));
  return {};
}

Expected<void> CapacityRun::tick() {
  if (is_stopped_.load()) return {};
  const Progress p = attacker_->progress();
  if (progress_) show(p);
  if (!paused_at_) {
    trial_->see_in_flight(p.elapsed, p.in_flight);
    return p.elapsed >= trial_->end() || trial_->is_hopeless(p.in_flight, slo_) ? end_trial() : Expected<void>{};
  }
  quiet_ticks_ = p.in_flight == 0 ? quiet_ticks_ + 1 : 0;
  const Nanos waited = p.elapsed - *paused_at_, timeout = request_.attack.options.timeout;
  const bool is_given_up = timeout > Nanos(0) && waited > timeout + kRest;
  if ((quiet_ticks_ < kQuietTicks || waited < kRest) && !is_given_up) return {};
  CapacityTrial::Judgement j = trial_->judge(slo_, p.in_flight);
  findings_.trials.push_back(std::move(j.shown));
  // A queue wanders now and then: what looks like growth, and nothing else, is looked at again.
  if (j.failed_by_growth_only && !is_second_try_) {
    is_second_try_ = true;
  } else {
    is_second_try_ = false;
    search_.tell(j.outcome);
  }
  return go_on();
}

Expected<void> CapacityRun::end_trial() {
  const auto at = attacker_->pause();
  if (!at) return is_stopped_.load() ? Expected<void>{} : std::unexpected(at.error());
  paused_at_ = *at;
  return {};
}

Expected<void> CapacityRun::go_on() {
  const auto next = search_.next();
  if (!next) {
    attacker_->stop();
    return {};
  }
  const auto changed = attacker_->change_rate(Shape::constant(load::rate_of(next->rate)));
  const auto resumed = changed ? attacker_->resume() : changed;
  if (!resumed) return is_stopped_.load() ? Expected<void>{} : std::unexpected(resumed.error());
  begin(*resumed);
  return {};
}

void CapacityRun::show(const Progress& p) {
  const Nanos left = std::max(Nanos(0), trial_->end() - p.elapsed);
  std::string text =
      fmt::format("trial {}: {:.6g}/s{}, ", findings_.trials.size() + 1, asked_.rate, asked_.is_confirmation ? " again, for longer" : "");
  text += paused_at_ ? fmt::format("waiting for {} answers", p.in_flight)
                     : fmt::format("{} left, {} in flight", format_duration(left - left % Nanos(100'000'000)), p.in_flight);
  progress_->show(std::move(text), now());
}

Expected<bool> CapacityRun::run() {
  const auto summary = attacker_->run(*this);
  if (progress_) progress_->clear();
  if (!summary) return std::unexpected(summary.error());
  if (auto told = tell(summary->elapsed); !told) return std::unexpected(told.error());
  return findings_.rate > 0;
}

Expected<void> CapacityRun::tell(Nanos took) {
  findings_.rate = search_.found();
  findings_.failed = search_.failed();
  findings_.met_own_limit = search_.met_own_limit();
  findings_.was_stopped = is_stopped_.load();
  findings_.took = took;
  if (!request_.html.empty()) {
    auto page = Output::create(request_.html);
    if (!page) return std::unexpected(page.error());
    if (auto written = page->write(report::capacity_page(findings_)); !written) return written;
  }
  return hooks_.print(request_.json ? report::capacity_json(findings_) : report::capacity_text(findings_));
}

}  // namespace

Expected<std::unique_ptr<Capacity>> Capacity::prepare(CapacityRequest request, CapacityHooks hooks) {
  auto run = std::make_unique<CapacityRun>(std::move(request), std::move(hooks));
  if (auto ready = run->prepare(); !ready) return std::unexpected(std::move(ready.error()));
  return std::unique_ptr<Capacity>(std::move(run));
}

}  // namespace thrum::mode
