#include "mode/run_on_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "mode/masked_flags.hpp"
#include "mode/run_export.hpp"
#include "report/run_requests.hpp"

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
      curl_(curl_text(request)),
      guard_(request.attack.guard),
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
    case ui::RunCommand::faster:
    case ui::RunCommand::slower:
      change_rate(command == ui::RunCommand::faster);
      break;
    case ui::RunCommand::export_json:
    case ui::RunCommand::export_markdown:
    case ui::RunCommand::export_html:
    case ui::RunCommand::export_csv:
    case ui::RunCommand::export_ndjson:
    case ui::RunCommand::export_svg:
      write_file(command);
      break;
    case ui::RunCommand::save_body:
      save_body();
      break;
    case ui::RunCommand::copy_curl:
      dashboard_->copy(curl_);
      notify("the request is in the terminal's clipboard, as a curl command, if it takes that");
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
  changes_.push_back({*at, is_paused ? "resume" : "pause", ""});
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

// By a tenth of what it is now. A rate that was to change by itself stays from then on.
void RunOnScreen::change_rate(bool up) {
  if (options_.shape.is_closed())
    return notify("nothing is on a schedule here: -rate would set one; + and - change how many are sent at once");
  double rate = 0;
  {
    const std::lock_guard lock(mutex_);
    rate = rate_.value_or(options_.shape.rate_at(active(attacker_.progress().elapsed)));
  }
  const double wanted = std::max(0.1, up ? rate * 1.1 : rate / 1.1);
  const Rate next{std::llround(wanted * 1e9), Nanos(1'000'000'000)};
  if (const auto allowed = guard_.check_rate(wanted); !allowed) return notify(allowed.error().text);
  const auto at = attacker_.change_rate(Shape::constant(next));
  if (!at) return notify(at.error().text);
  notify(fmt::format("{} asked for", ui::rate_text(wanted)));
  const std::lock_guard lock(mutex_);
  rate_ = wanted;
  changes_.push_back({*at, "rate", Shape::constant(next).text()});
}

void RunOnScreen::write_file(ui::RunCommand command) {
  using C = ui::RunCommand;
  const report::RunReport* report = nullptr;
  {
    const std::lock_guard lock(mutex_);
    report = report_;
  }
  std::string text;
  std::string_view extension;
  if (command == C::export_ndjson) {
    text = report::run_requests_ndjson(dashboard_->watch().recent());
    extension = "ndjson";
  } else if (command == C::export_csv) {
    report::RunReport so_far;
    if (report == nullptr) so_far.seconds = dashboard_->watch().seconds().points(active(attacker_.progress().elapsed));
    text = report::run_series_csv(report == nullptr ? so_far : *report);
    extension = "csv";
  } else if (report == nullptr) {
    return notify("the report is there once the run is over; s stops it");
  } else {
    extension = command == C::export_json ? "json" : command == C::export_html ? "html" : command == C::export_markdown ? "md" : "svg";
    text = command == C::export_json       ? report::run_json(*report)
           : command == C::export_html     ? report::run_page(*report)
           : command == C::export_markdown ? report::run_markdown(*report)
                                           : report::run_card(*report);
  }
  const auto file = write_export(extension, text);
  notify(file ? "wrote " + *file : file.error().text);
}

void RunOnScreen::save_body() {
  const auto picked = dashboard_->picked();
  if (!picked || !picked->kept) return notify("this response was not kept: [ and ] lead to the nearest that was");
  const auto file = write_export("body", picked->kept->body);
  notify(file ? fmt::format("wrote {} ({})", *file, ui::bytes_text(picked->kept->body.size())) : file.error().text);
}

std::vector<Event> RunOnScreen::take_changes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(changes_, {});
}

bool RunOnScreen::has_other_rate() const {
  const std::lock_guard lock(mutex_);
  return rate_.has_value();
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
    if (!options_.shape.is_closed()) view.rate = rate_.value_or(options_.shape.rate_at(elapsed));
    view.in_flight = p.in_flight;
    view.missed = p.missed;
    view.connections_open = p.connections_open;
    view.busy = p.busiest_shard;
    view.notice = now() < notice_until_ ? notice_ : "";
  });
}

void RunOnScreen::finish(const report::RunReport& report) {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    report_ = &report;
  }
  dashboard_->update([&](ui::RunView& view) {
    view.state = report.summary.stopped ? ui::RunState::stopped : ui::RunState::done;
    view.elapsed = report.summary.elapsed;
    view.in_flight = 0;
    view.missed = report.summary.books.missed;
    view.notice.clear();
    view.verdict = report.verdict;
    view.summary = report::run_figures(report);
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
