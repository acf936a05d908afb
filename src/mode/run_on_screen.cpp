#include "mode/run_on_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "mode/masked_flags.hpp"

namespace thrum::mode {
namespace {

constexpr std::chrono::seconds kNoticeFor{4};
constexpr double kBusy = 0.9;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

ui::RunView view_of(const RunRequest& request) {
  const AttackOptions& o = request.attack.options;
  ui::RunView view{.method = request.method, .url = masked_url(request.url), .load = load_words(request)};
  view.hits = o.hits == kUnlimited ? 0 : o.hits;
  view.duration = o.duration;
  view.settings = masked(request.attack.typed);
  view.concurrency = o.max_workers == kUnlimited ? 0 : o.max_workers;
  if (o.warmup > Nanos(0)) view.state = ui::RunState::warming;
  return view;
}

}  // namespace

RunOnScreen::RunOnScreen(const RunRequest& request, Attacker& attacker)
    : attacker_(attacker),
      reads_stdin_(request.body == "@-" || (request.is_curl && request.curl.empty())),
      options_(request.attack.options),
      most_allowed_(std::min(RunRequest::kMostConcurrency, request.attack.guard.most_concurrency())),
      at_once_(options_.max_workers == kUnlimited ? 0 : options_.max_workers),
      most_at_once_(at_once_) {}

Expected<std::unique_ptr<RunOnScreen>> RunOnScreen::open(const RunRequest& request, Attacker& attacker) {
  std::unique_ptr<RunOnScreen> screen(new RunOnScreen(request, attacker));
  auto dashboard = ui::RunDashboard::open(view_of(request), ui::palette_of(variable),
                                          [s = screen.get()](ui::RunCommand command) { return s->asked(command); });
  if (!dashboard) return std::unexpected(dashboard.error());
  screen->dashboard_ = std::move(*dashboard);
  return screen;
}

bool RunOnScreen::asked(ui::RunCommand command) {
  switch (command) {
    case ui::RunCommand::none:
      break;
    case ui::RunCommand::pause:
      pause();
      break;
    case ui::RunCommand::more:
    case ui::RunCommand::fewer:
      change_concurrency(command == ui::RunCommand::more);
      break;
    case ui::RunCommand::stop: {
      attacker_.stop();
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      break;
    }
    case ui::RunCommand::again:
    case ui::RunCommand::edit: {
      if (reads_stdin_) {
        notify("what is sent came from stdin, which can't be read a second time");
        return false;
      }
      attacker_.cut();
      const std::lock_guard lock(mutex_);
      next_ = command == ui::RunCommand::again ? RunNext::What::again : RunNext::What::form;
      break;
    }
    case ui::RunCommand::leave:
      attacker_.cut();
      break;
  }
  return true;
}

void RunOnScreen::pause() {
  const bool is_paused = attacker_.progress().is_paused;
  const auto at = is_paused ? attacker_.resume() : attacker_.pause();
  if (!at) return notify(at.error().text);
  const std::lock_guard lock(mutex_);
  if (!is_paused)
    pauses_.push_back({*at});
  else if (!pauses_.empty())
    pauses_.back().to = *at;
}

// By a tenth, and by one at least.
void RunOnScreen::change_concurrency(bool up) {
  std::uint64_t now_at_once = 0;
  {
    const std::lock_guard lock(mutex_);
    now_at_once = at_once_;
  }
  if (now_at_once == 0) return notify("requests in flight have no bound here: -c would set one");
  const std::uint64_t step = std::max<std::uint64_t>(1, now_at_once / 10);
  const std::uint64_t wanted = up ? std::min(most_allowed_, now_at_once + step) : std::max<std::uint64_t>(1, now_at_once - step);
  if (auto changed = attacker_.change_workers(wanted); !changed) return notify(changed.error().text);
  notify(fmt::format("{} at once", wanted));
  const std::lock_guard lock(mutex_);
  at_once_ = wanted;
  most_at_once_ = std::max(most_at_once_, wanted);
}

// Called without the mutex.
void RunOnScreen::notify(std::string text) {
  {
    const std::lock_guard lock(mutex_);
    notice_ = text;
    notice_until_ = now() + kNoticeFor;
    if (!is_over_) return;
  }
  // No tick takes it there any more.
  dashboard_->update([&](ui::RunView& view) { view.notice = std::move(text); });
}

// The time of the run without its pauses, by `elapsed` of it with them.
Nanos RunOnScreen::active(Nanos elapsed) const {
  Nanos out = elapsed;
  for (const Pause& p : pauses_) out -= std::clamp(elapsed, p.from, p.to) - p.from;
  return out;
}

void RunOnScreen::show(const RunBlock& block) {
  dashboard_->update([&](ui::RunView& view) { view.watch.add(block); });
}

void RunOnScreen::tick(const std::vector<Anomaly>& anomalies) {
  const Progress p = attacker_.progress();
  if (anomalies.size() > anomalies_told_) notify(anomalies.back().text);
  anomalies_told_ = anomalies.size();
  if (p.busiest_shard >= kBusy && !is_busy_told_) {
    is_busy_told_ = true;
    notify(fmt::format("thrum's busiest thread uses {:.0f} % of a core: what is measured may be thrum", p.busiest_shard * 100));
  }
  const std::lock_guard lock(mutex_);
  const Nanos elapsed = active(p.elapsed);
  const bool has_all = options_.hits != kUnlimited && p.sent >= options_.hits;
  const bool is_past_end = options_.duration > Nanos(0) && elapsed >= options_.duration;
  dashboard_->update([&](ui::RunView& view) {
    view.state = p.warmup_left > Nanos(0)                 ? ui::RunState::warming
                 : p.is_paused                            ? ui::RunState::paused
                 : is_stopping_ || has_all || is_past_end ? ui::RunState::draining
                                                          : ui::RunState::running;
    view.elapsed = elapsed;
    view.warmup_left = p.warmup_left;
    if (p.warmup_left > Nanos(0)) view.warmup_sent = p.sent;
    view.concurrency = at_once_;
    view.in_flight = p.in_flight;
    view.missed = p.missed;
    view.connections_open = p.connections_open;
    view.busy = p.busiest_shard;
    view.notice = now() < notice_until_ ? notice_ : "";
  });
}

void RunOnScreen::finish(const Summary& summary, const Verdict& verdict, std::string figures) {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  dashboard_->update([&](ui::RunView& view) {
    view.state = summary.stopped ? ui::RunState::stopped : ui::RunState::done;
    view.elapsed = summary.elapsed;
    view.in_flight = 0;
    view.missed = summary.books.missed;
    view.notice.clear();
    view.verdict = verdict;
    view.summary = std::move(figures);
  });
}

std::vector<RunOnScreen::Pause> RunOnScreen::pauses() const {
  const std::lock_guard lock(mutex_);
  return pauses_;
}

RunNext RunOnScreen::next() const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t asked = options_.max_workers == kUnlimited ? 0 : options_.max_workers;
  return {next_, at_once_ == asked ? std::nullopt : std::optional(at_once_)};
}

std::uint64_t RunOnScreen::most_at_once() const {
  const std::lock_guard lock(mutex_);
  return most_at_once_;
}

}  // namespace thrum::mode
