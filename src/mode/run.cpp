#include "mode/run.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "host/limits.hpp"
#include "host/program_pages.hpp"
#include "mode/abort_watch.hpp"
#include "mode/attack_product.hpp"
#include "mode/checkup.hpp"
#include "mode/demand.hpp"
#include "mode/dry_run.hpp"
#include "mode/gate_watch.hpp"
#include "mode/guarding.hpp"
#include "mode/live_metrics.hpp"
#include "mode/masked_flags.hpp"
#include "mode/open_attacker.hpp"
#include "mode/product.hpp"
#include "mode/proxy_environment.hpp"
#include "mode/rate_kept.hpp"
#include "mode/run_curl.hpp"
#include "mode/run_gathering.hpp"
#include "mode/run_on_screen.hpp"
#include "mode/run_snapshot.hpp"
#include "mode/same_file.hpp"
#include "mode/so_far.hpp"
#include "mode/standard_streams.hpp"
#include "report/bottleneck.hpp"
#include "report/judgement.hpp"
#include "report/run_report.hpp"
#include "targets/url_guess.hpp"
#include "thrum/targets.hpp"
#include "ui/progress_line.hpp"

namespace thrum::mode {
namespace {

constexpr Nanos kLongEnough{1'000'000'000};  // for the rate that was achieved, and a thread's CPU, to mean something

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string system_name() {
  utsname name{};
  return ::uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "";
}

bool shows_colour(int fd) {
  const char* const no = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return ::isatty(fd) == 1 && (no == nullptr || *no == '\0') && term != nullptr && std::string_view(term) != "dumb";
}

// The asked rate's mean, over the time in which what was scheduled was due.
double mean_asked(const Shape& shape, std::uint64_t scheduled) {
  if (shape.is_closed() || scheduled == 0) return 0;
  const Nanos time = shape.due_when(static_cast<long double>(scheduled));
  return time <= Nanos(0) || time == Nanos::max() ? shape.peak() : static_cast<double>(scheduled) * 1e9 / static_cast<double>(time.count());
}

double achieved(const Figures& f, Nanos sending, double asked) {
  if (f.requests < 2 || sending < kLongEnough || f.duration <= Nanos(0)) return asked;
  return static_cast<double>(f.requests - 1) * 1e9 / static_cast<double>(f.duration.count());
}

Timestamp wall_clock() { return Timestamp::from_unix(std::chrono::system_clock::now().time_since_epoch()); }

// Of a run by a rate: whose limit it met, also where only answers kept coming later and later.
std::string limit_of(const report::RunReport& r, const RunTally& tally) {
  report::RunInput run;
  run.metrics = tally.metrics();
  run.plan.emplace();
  run.plan->start = r.summary.started;
  run.plan->rate = r.asked_rate;
  run.plan->summary = r.summary;
  return report::plain_words(report::bottleneck(run));
}

bool wants_screen(const RunRequest& request) { return can_show_run() && !request.json && request.screen.value_or(true); }

// Of responses, for the screen: a sample of each sending thread's.
constexpr std::uint32_t kKeptPerSecond = 100;
constexpr std::int64_t kMostBodyKept = std::int64_t{64} << 10;

class RunImpl final : public Run {
 public:
  RunImpl(RunRequest request, RunHooks hooks)
      : request_(std::move(request)),
        hooks_(std::move(hooks)),
        judging_{StatusSet::parse(successes_of(request_)).value_or(StatusSet()), LatencyClock::response},
        shows_screen_(wants_screen(request_)),
        gathering_(judging_, shows_screen_,
                   {[this](auto results) { return take(results); }, [this] { return tick(); },
                    [this](const RunBlock& b) {
                      if (screen_) screen_->show(b);
                    },
                    [this](std::int64_t second) { return screen_ != nullptr && has_pause(second); }}) {}

  Expected<void> prepare();
  Expected<RunEnd> run() override;
  void stop() override {
    attacker_->stop();
    if (page_) page_->stop();
    is_signalled_.store(true);
    if (RunOnScreen* const screen = to_leave_.load()) screen->leave();
  }
  void cut() override {
    attacker_->cut();
    if (page_) page_->cut();
  }
  RunNext next() const override { return screen_ ? screen_->next() : RunNext{}; }

 private:
  Expected<RunEnd> carry_out();
  Expected<void> check_files() const;
  Expected<void> open();
  Expected<void> take(std::span<const Result> results);
  std::span<const Result> without_captures(std::span<const Result> results);
  Expected<void> tick();
  void take_snapshot();
  void keep_snapshot(const report::RunReport& report);
  void tell_anomalies();
  void tell(std::string_view line);
  bool has_pause(std::int64_t second) const;
  std::vector<RunPoint> without_pauses(std::vector<RunPoint> points) const;
  RunFacts facts(const report::RunReport& report) const;
  report::RunReport report(const Summary& summary, const RunTally& tally);
  Expected<void> judge_gates(report::RunReport& report);
  Expected<void> write(const report::RunReport& report);

  RunRequest request_;
  RunHooks hooks_;
  MetricsOptions judging_;
  bool shows_screen_;
  RunGathering gathering_;
  std::optional<Target> of_curl_;
  std::unique_ptr<Attacker> attacker_;
  std::optional<GateWatch> gates_;
  bool gates_need_results_ = false;
  AbortWatch abort_watch_;
  std::optional<std::string> aborted_by_;
  bool has_ticked_ = false;
  std::optional<RunSnapshot> snapshot_;
  bool is_snapshot_failing_ = false;
  std::size_t anomalies_told_ = 0;
  std::unique_ptr<LiveMetrics> page_;
  std::unique_ptr<AttackProduct> record_;
  std::vector<Result> bare_;
  std::string dry_run_;  // what is printed instead
  std::optional<ui::ProgressLine> progress_;
  std::unique_ptr<RunOnScreen> screen_;
  std::atomic<RunOnScreen*> to_leave_{nullptr};  // for a signal handler
  std::atomic<bool> is_signalled_{false};
};

Expected<void> RunImpl::prepare() {
  if (request_.is_curl) {
    auto target = take_curl(request_, hooks_.warn);
    if (!target) return std::unexpected(std::move(target.error()));
    of_curl_ = std::move(*target);
  }
  if (auto guess = targets::guessed_url(request_.url); guess && !request_.url.empty()) {
    hooks_.warn(fmt::format("taking {} for {}", printable_prefix(request_.url, 100), printable_prefix(masked_url(*guess), 120)));
    request_.url = std::move(*guess);
  }
  AttackRequest& attack = request_.attack;
  if (attack.heeds_environment) add_environment(attack.options.proxy, environment_variable);
  if (auto settled = settle(request_, host::cores().usable()); !settled) return settled;
  if (auto checked = check(attack); !checked) return checked;
  if (auto within = check_target(attack.guard, {.url = request_.url}); !within) return within;
  // A number of requests at once that nobody has asked for is lowered to what is allowed.
  if (!request_.concurrency) attack.options.max_workers = std::min(attack.options.max_workers, attack.guard.most_concurrency());
  if (auto within = hold_to_guard(attack); !within) return within;
  if (!request_.snapshot.empty()) snapshot_.emplace(request_.snapshot, request_.snapshot_every);
  if (auto fine = check_files(); !fine) return fine;
  if (auto opened = open(); !opened) return opened;
  for (const std::string_view line : without_effect(attack)) hooks_.warn(line);
  const std::array urls{request_.url};
  const Demand demand = demand_of(attack, urls);
  for (const Finding& f : forewarnings(look_at_machine(demand), demand)) hooks_.warn(fmt::format("{}; {}", f.says, f.cure));
  const bool in_place = ::isatty(STDERR_FILENO) == 1;
  if (!shows_screen_ && attack.progress.value_or(in_place))
    progress_.emplace(STDERR_FILENO, in_place, ui::ProgressPlan{attack.options.duration, attack.options.shape.is_closed()});
  return {};
}

// Before anything is sent, so that nobody waits for nothing.
Expected<void> RunImpl::check_files() const {
  if (auto open = check_stdout(); !open) return open;
  const std::array<std::pair<std::string_view, const std::string*>, 7> files{{{"-output", &request_.output},
                                                                              {"-md", &request_.markdown},
                                                                              {"-html", &request_.html},
                                                                              {"-series-csv", &request_.series_csv},
                                                                              {"-snapshot", &request_.snapshot},
                                                                              {"-record", &request_.record},
                                                                              {"-junit", &request_.attack.junit}}};
  const std::string body = request_.body.starts_with('@') ? request_.body.substr(1) : "";
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& [flag, file] = files[i];
    if (file->empty()) continue;
    if (!body.empty() && is_same_file(*file, body))
      return usage_error(fmt::format("{}={} is what -d reads: name another file", flag, printable(*file)));
    for (std::size_t j = 0; j < i; ++j)
      if (*files[j].second == *file)
        return usage_error(fmt::format("{} and {} both write {}: name another file", files[j].first, flag, printable(*file)));
    const bool is_own_matter = flag == "-record" || flag == "-snapshot";
    if (!is_own_matter)
      if (auto fine = Product(*file, {}, false, flag).check(); !fine) return fine;
  }
  return snapshot_ ? snapshot_->check() : Expected<void>{};
}

Expected<void> RunImpl::open() {
  AttackRequest& attack = request_.attack;
  auto gates = parse_gates(attack.fail_if);
  if (!gates) return std::unexpected(std::move(gates.error()));
  auto abort_watch = AbortWatch::parse(attack.abort_if, judging_);
  if (!abort_watch) return std::unexpected(std::move(abort_watch.error()));
  abort_watch_ = std::move(*abort_watch);
  auto target = of_curl_ ? Expected<Target>(std::move(*of_curl_)) : target_of(request_);
  if (!target) return std::unexpected(std::move(target.error()));
  attack.options.is_steerable = shows_screen_;
  if (shows_screen_) {
    attack.options.capture_headers = true;
    attack.options.captures_per_second = kKeptPerSecond;
    attack.max_body = kMostBodyKept;
  }
  host::give_back_program_pages();  // what the command line took
  auto opened = open_attacker(attack, std::move(*target));
  if (!opened) return std::unexpected(std::move(opened.error()));
  attacker_ = std::move(opened->attacker);
  if (attack.dry_run) {
    dry_run_ = dry_run_text("thrum run", load_words(request_), attack, *opened);
    return {};
  }
  gathering_.follow(*attacker_);
  if (!gates->empty()) {
    gates_need_results_ = GateWatch::needs_results(*gates, attack.options, opened->mix);
    gates_.emplace(std::move(*gates), attack.junit, attack.options, opened->mix, judging_);
  }
  if (!attack.metrics_addr.empty()) {
    auto page = LiveMetrics::open(attack, "-metrics", hooks_.warn);
    if (!page) return std::unexpected(std::move(page.error()));
    page_ = std::move(*page);
  }
  if (request_.record.empty()) return {};
  attack.output = request_.record;
  auto record = open_product(attack, opened->mix, {hooks_.print, hooks_.warn});
  if (!record) return std::unexpected(std::move(record.error()));
  record_ = std::move(*record);
  return {};
}

Expected<void> RunImpl::take(std::span<const Result> results) {
  while (!results.empty()) {
    const bool is_warmup = results[0].is_warmup;
    const auto end = std::ranges::find_if(results, [=](const Result& r) { return r.is_warmup != is_warmup; });
    const auto part = results.first(static_cast<std::size_t>(end - results.begin()));
    results = results.subspan(part.size());
    if (gates_need_results_ && !is_warmup) gates_->add(part);
    if (!is_warmup) abort_watch_.add(part);
    if (page_ && !is_warmup) page_->add(part);
    if (record_)
      if (auto taken = record_->take(shows_screen_ ? without_captures(part) : part); !taken) return taken;
  }
  return {};
}

// What the screen keeps is none of a file's.
std::span<const Result> RunImpl::without_captures(std::span<const Result> results) {
  bare_.assign(results.begin(), results.end());
  for (Result& r : bare_) {
    r.body.reset();
    r.has_headers = false;
    r.headers = {};
  }
  return bare_;
}

Expected<void> RunImpl::tick() {
  if (!std::exchange(has_ticked_, true)) host::give_back_program_pages();  // what the first connections took
  if (!aborted_by_ && !abort_watch_.empty()) {
    aborted_by_ = abort_watch_.met(now());
    if (aborted_by_) attacker_->stop();
  }
  if (progress_) progress_->show(attacker_->progress(), now());
  if (page_) page_->show(attacker_->progress());
  if (snapshot_) take_snapshot();
  tell_anomalies();
  if (screen_) {
    screen_->tick(gathering_.anomalies().found());
    for (const Event& change : screen_->take_changes())
      if (record_) record_->change(change);
  }
  return record_ ? record_->tick() : Expected<void>{};
}

// Failing to write one is no reason to end a run that goes on for days.
void RunImpl::keep_snapshot(const report::RunReport& told) {
  const auto written = snapshot_->write(report::run_json(told));
  if (!written && !std::exchange(is_snapshot_failing_, true)) tell(written.error().text);
  if (written) is_snapshot_failing_ = false;
}

void RunImpl::take_snapshot() {
  if (snapshot_->is_due(attacker_->progress().elapsed)) gathering_.ask_for_copies();
  const auto tally = gathering_.copied();
  if (tally == nullptr) return;
  Summary summary = so_far(attacker_->progress());
  summary.shards = gathering_.threads();
  report::RunReport told = report(summary, *tally);
  told.snapshot = {wall_clock(), true};
  keep_snapshot(told);
}

// Whoever looks on is told what stands out as soon as it is seen: on the screen (which has eyes of its own), beside the progress line.
void RunImpl::tell_anomalies() {
  if (screen_ || (!progress_ && !snapshot_)) return;
  const auto& found = gathering_.anomalies().found();
  for (; anomalies_told_ < found.size(); ++anomalies_told_) tell(found[anomalies_told_].text);
}

void RunImpl::tell(std::string_view line) {
  if (screen_) return screen_->notify(std::string(line));
  if (progress_) progress_->clear();
  hooks_.warn(line);
}

Expected<RunEnd> RunImpl::run() {
  if (request_.attack.dry_run) {
    if (auto printed = hooks_.print(dry_run_); !printed) return std::unexpected(printed.error());
    return RunEnd::done;
  }
  if (shows_screen_) {
    auto screen = RunOnScreen::open(request_, *attacker_);
    if (screen) {
      screen_ = std::move(*screen);
      to_leave_ = screen_.get();
      if (is_signalled_.load()) screen_->leave();
    } else {
      hooks_.warn(fmt::format("goes on without its screen: {}", screen.error().text));
    }
  }
  auto end = carry_out();
  to_leave_ = nullptr;
  if (page_ && end && next().what == RunNext::What::nothing) page_->linger(true);
  return end;
}

Expected<RunEnd> RunImpl::carry_out() {
  const bool figures_only = !record_ && !gates_need_results_ && abort_watch_.empty() && !page_;
  host::give_back_program_pages();  // what getting ready took
  const auto summary =
      figures_only ? attacker_->run(static_cast<ShardSinks&>(gathering_)) : attacker_->run(static_cast<ResultSink&>(gathering_));
  if (progress_) progress_->clear();
  if (!summary) {
    if (screen_) screen_->close();
    return std::unexpected(summary.error());
  }
  if (page_) page_->finish(*summary);
  if (record_)
    if (auto finished = record_->finish(*summary); !finished) return std::unexpected(finished.error());
  RunTally& tally = gathering_.finish();
  report::RunReport told = report(*summary, tally);
  const auto judged = judge_gates(told);
  if (screen_) {
    screen_->finish(told);
    screen_->wait();
    screen_->close();
  }
  if (!judged) return std::unexpected(judged.error());
  if (auto written = write(told); !written) return std::unexpected(written.error());
  if (aborted_by_) hooks_.warn(fmt::format("ended early: {}", printable_prefix(*aborted_by_, 200)));
  for (const report::Judged& each : told.judged) hooks_.warn(line_of(each));
  if (tally.metrics().answered() == 0 && !summary->stopped && !request_.allow_all_failed) return RunEnd::unanswered;
  if (request_.attack.strict_rate && !kept_rate(*summary)) return RunEnd::off_rate;
  return aborted_by_ || report::any_crossed(told.judged) ? RunEnd::gate : RunEnd::done;
}

Expected<void> RunImpl::judge_gates(report::RunReport& told) {
  if (!gates_) return {};
  if (!gates_need_results_) gates_->add(told.tally->metrics(), told.tally->peaks());
  auto judged = gates_->judge(told.summary);
  if (!judged) return std::unexpected(judged.error());
  told.judged = std::move(*judged);
  return {};
}

bool RunImpl::has_pause(std::int64_t second) const {
  const Nanos from(second * 1'000'000'000), to((second + 1) * 1'000'000'000);
  return std::ranges::any_of(screen_->pauses(), [&](const RunOnScreen::Pause& p) { return from < p.to && to > p.from; });
}

// Seconds of which a pause took a part are no measure of the target.
std::vector<RunPoint> RunImpl::without_pauses(std::vector<RunPoint> points) const {
  if (!screen_) return points;
  std::erase_if(points, [&](const RunPoint& point) { return has_pause(point.at); });
  return points;
}

report::RunReport RunImpl::report(const Summary& summary, const RunTally& tally) {
  const AttackOptions& o = request_.attack.options;
  report::RunReport r;
  r.method = request_.method;
  r.url = masked_url(request_.url);
  r.load = load_words(request_);
  r.concurrency = o.max_workers == kUnlimited ? 0 : o.max_workers;
  if (!o.shape.is_closed()) r.asked = o.shape.text();
  r.asked_rate = mean_asked(o.shape, summary.books.scheduled);
  // Changed by hand: what was due in the time that was carried out.
  if (screen_ && screen_->has_other_rate() && summary.sending > Nanos(0))
    r.asked_rate = static_cast<double>(summary.books.scheduled) * 1e9 / static_cast<double>(summary.sending.count());
  r.settings = masked(request_.attack.typed);
  r.host = host_name();
  r.os = system_name();
  r.cpus = host::cores().usable();
  r.summary = summary;
  r.tally = &tally;
  r.seconds = without_pauses(gathering_.seconds().points(summary.elapsed));
  r.by_second = &gathering_.seconds();
  r.minutes = gathering_.seconds().minutes(summary.elapsed);
  if (screen_) {
    r.concurrency = screen_->most_at_once();
    for (const RunOnScreen::Pause& p : screen_->pauses())
      r.summary.elapsed -= std::min(p.to, summary.elapsed) - std::min(p.from, summary.elapsed);
  }
  r.aborted_by = aborted_by_.value_or("");
  r.anomalies = gathering_.anomalies().found();
  r.peak_busy = gathering_.peak_busy();
  if (summary.elapsed >= kLongEnough) r.peak_busy = std::max(r.peak_busy, summary.busiest_shard);
  if (!o.shape.is_closed()) r.limit = limit_of(r, tally);
  r.verdict = judge(facts(r));
  return r;
}

RunFacts RunImpl::facts(const report::RunReport& r) const {
  const RunTally& t = *r.tally;
  const Metrics& m = t.metrics();
  const Figures& f = m.figures();
  RunFacts facts;
  facts.requests = m.requests();
  facts.succeeded = m.succeeded();
  facts.timeouts = t.timeouts();
  facts.http_errors = t.http_errors();
  facts.connection_errors = t.connection_errors();
  facts.causes = t.causes().by_count();
  facts.p50 = f.latencies.p50;
  facts.p99 = f.latencies.p99;
  facts.service_p95 = m.service_latencies().quantile(0.95);
  facts.groups = two_groups(m.latencies());
  facts.points = r.minutes.size() >= 3 ? r.minutes : r.seconds;
  facts.is_interrupted = r.summary.stopped;
  facts.aborted_by = r.aborted_by;
  facts.keeps_alive = request_.attack.options.keep_alive;
  facts.concurrency = r.concurrency;
  facts.connections_opened = r.summary.connections.opened - std::min(r.summary.connections.opened, r.summary.connections.preconnected);
  facts.connect_median = t.connects().quantile(0.5);
  if (m.phases().dns.count() > 0) facts.dns_mean = m.phases().dns.mean();
  facts.download_median = m.phases().transfer.quantile(0.5);
  facts.body_mean = f.bytes_in.mean;
  facts.anomalies = r.anomalies;
  facts.peak_busy = r.peak_busy;
  facts.threads = r.summary.shards;
  facts.asked_rate = r.asked_rate;
  facts.achieved_rate = achieved(f, r.summary.sending, r.asked_rate);
  if (!request_.attack.options.shape.is_closed())
    if (const auto growth = report::falling_behind(m)) facts.fell_behind = {growth->early, growth->late};
  facts.missed = r.summary.books.missed;
  facts.lag_p99 = m.lags().quantile(0.99);
  facts.limit = r.limit;
  return facts;
}

Expected<void> RunImpl::write(const report::RunReport& r) {
  const auto to_file = [](std::string_view flag, const std::string& file, auto text) {
    return file.empty() ? Expected<void>{} : Product(file, {}, false, flag).write(text());
  };
  if (snapshot_) {
    report::RunReport last = r;
    last.snapshot = {wall_clock(), false};
    keep_snapshot(last);
  }
  const std::string json = request_.json || !request_.output.empty() ? report::run_json(r) : "";
  if (auto done = to_file("-output", request_.output, [&] { return json; }); !done) return done;
  if (auto done = to_file("-md", request_.markdown, [&] { return report::run_markdown(r); }); !done) return done;
  if (auto done = to_file("-html", request_.html, [&] { return report::run_page(r); }); !done) return done;
  if (auto done = to_file("-series-csv", request_.series_csv, [&] { return report::run_series_csv(r); }); !done) return done;
  if (next().what != RunNext::What::nothing) return {};  // the screen goes on
  return hooks_.print(request_.json ? json : report::run_text(r, shows_colour(STDOUT_FILENO)));
}

}  // namespace

bool can_show_run() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

Expected<std::unique_ptr<Run>> Run::prepare(RunRequest request, RunHooks hooks) {
  auto run = std::make_unique<RunImpl>(std::move(request), std::move(hooks));
  if (auto ready = run->prepare(); !ready) return std::unexpected(std::move(ready.error()));
  return std::unique_ptr<Run>(std::move(run));
}

}  // namespace thrum::mode
