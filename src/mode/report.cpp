#include "mode/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/clock.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"
#include "measure/grouping.hpp"
#include "measure/where.hpp"
#include "mode/gate_watch.hpp"
#include "mode/live_run.hpp"
#include "mode/product.hpp"
#include "mode/results_input.hpp"
#include "report/entries.hpp"
#include "report/hdr_log.hpp"
#include "report/histogram.hpp"
#include "report/json.hpp"
#include "report/judgement.hpp"
#include "report/seconds.hpp"
#include "report/stages.hpp"
#include "report/text.hpp"
#include "report/type.hpp"
#include "ui/screen.hpp"

namespace thrum::mode {
namespace {

constexpr std::size_t kUsualGroups = 100;

// One run while it is read.
struct Reading {
  Reading(const Run& r, LatencyClock clock) : run(&r), judging{success_of(r), clock}, metrics(judging) {}

  const Run* run;
  MetricsOptions judging;
  Metrics metrics;
  SendPeaks peaks;
  std::optional<Timestamp> start;  // known once there are results
  std::string attack;              // the name that all results carry
  bool several_names = false;      // they don't
  std::optional<report::StageSplit> stages;
  std::size_t changes = 0;  // of the run's events, that stages know of
  std::optional<report::ShareSplit> shares;
};

// Without a recorded start the first results are taken to be the first sent, in some order.
Timestamp start_of(const Run& run, std::span<const Result> first) {
  if (is_recorded_live(run)) return run.header.start;
  return std::min_element(first.begin(), first.end(), [](const Result& a, const Result& b) { return a.timestamp.before(b.timestamp); })
      ->timestamp;
}

// What the report is of and how it is split, once understood.
struct Selection {
  std::optional<Where> where;
  std::optional<GroupBy> by;
  GroupRules rules;
  report::Gates gates;
};

class ReportRun final : public Report {
 public:
  ReportRun(ReportRequest request, ReportHooks hooks, report::Type type, std::vector<double> percentiles, Selection selection)
      : request_(std::move(request)),
        hooks_(std::move(hooks)),
        type_(std::move(type)),
        percentiles_(std::move(percentiles)),
        where_(std::move(selection.where)),
        by_(selection.by),
        gates_(std::move(selection.gates)),
        is_filtered_(where_ || request_.from > Nanos(0) || request_.to),
        input_(request_.inputs),
        product_(request_.output, input_.files(), request_.force) {
    if (!type_.buckets.empty()) buckets_.emplace(type_.buckets);
    if (type_.kind == report::Kind::histogram && !buckets_) rows_.emplace();
    if (by_ && *by_ != GroupBy::run) groups_.emplace(*by_, std::move(selection.rules));
  }

  Expected<void> run() override;
  void stop() noexcept override { input_.stop(); }
  void cut() noexcept override { input_.cut(); }
  bool is_gate_crossed() const override { return is_gate_crossed_; }

 private:
  Expected<void> carry_out();
  Expected<void> check_output();
  Expected<void> read();
  void take(const Run& run, std::span<const Result> results);
  LatencyClock clock_for(const Run& run);
  std::span<const Result> by_response(std::span<const Result> results);
  static void note_changes(Reading& reading);
  std::span<const Result> passing(const Reading& reading, std::span<const Result> results);
  bool is_due();
  Expected<void> print(bool interim);
  Expected<std::string> written(bool interim);
  report::Input input(bool interim);
  Expected<void> judge(report::Input& in);
  std::optional<GroupTable> group_table(const std::vector<report::RunInput>& runs) const;
  void name_runs(std::vector<report::RunInput>& runs) const;
  void warn_of_interruption() const;
  void warn_of_damage();

  ReportRequest request_;
  ReportHooks hooks_;
  report::Type type_;
  std::vector<double> percentiles_;
  std::optional<Where> where_;
  std::optional<GroupBy> by_;
  report::Gates gates_;
  bool is_gate_crossed_ = false;
  bool is_filtered_;
  ResultsInput input_;  // owns the runs that runs_ point to
  Product product_;
  bool is_refused_ = false;  // the output: writing it would hurt
  std::vector<Reading> runs_;
  std::uint64_t read_ = 0;  // results, before filtering
  std::optional<LatencyClock> clock_;
  std::vector<Result> judged_;
  std::vector<Result> passing_;  // those of a batch that pass the filter
  std::optional<BucketCounts> buckets_;
  std::optional<CoarseHistogram> rows_;
  std::optional<Series> series_;
  std::optional<Groups> groups_;
  std::optional<Instant> due_;  // when the next interim report is
};

Expected<void> ReportRun::run() {
  auto done = carry_out();
  if (!done && is_refused_ && input_.reads_pipe()) {
    hooks_.warn(std::exchange(done.error().text, {}));
    input_.let_through();
  }
  return done;
}

// The output is looked at before anything is read, and again when there is something to lose.
Expected<void> ReportRun::check_output() {
  auto fine = product_.check();
  is_refused_ = !fine;
  return fine;
}

Expected<void> ReportRun::carry_out() {
  if (const auto fine = check_output(); !fine) return fine;
  if (request_.explain) return product_.write(report::explain());
  if (const auto done = read(); !done) return done;
  return print(false);
}

Expected<void> ReportRun::read() {
  if (auto opened = input_.open({.strict = request_.strict, .warmup = request_.with_warmup}); !opened) return opened;
  for (const std::string& repeat : input_.reader().repeats()) hooks_.warn(repeat);
  if (request_.every > Nanos(0)) due_ = now() + request_.every;
  for (bool first = true;; first = false) {
    const Expected<std::span<const Result>> next = input_.next();
    if (!next) return std::unexpected(next.error());
    std::span<const Result> results = *next;
    if (results.empty()) break;
    const Run& run = input_.reader().run();
    if (first)
      if (const auto fine = check_output(); !fine) return fine;
    if (is_due()) {
      // One result at least is new, and what came with it waits for the next report.
      take(run, results.first(1));
      results = results.subspan(1);
      if (const auto done = print(true); !done) return done;
    }
    take(run, results);
  }
  warn_of_interruption();
  // A run without results has its say, too: it may have missed all it was asked for.
  for (const std::unique_ptr<Run>& run : input_.reader().runs()) take(*run, {});
  warn_of_damage();
  return {};
}

void ReportRun::warn_of_interruption() const {
  if (input_.was_interrupted()) hooks_.warn(fmt::format("interrupted: this report is of the {} results read so far", read_));
}

void ReportRun::take(const Run& run, std::span<const Result> results) {
  auto at = std::find_if(runs_.rbegin(), runs_.rend(), [&](const Reading& r) { return r.run == &run; });
  if (at == runs_.rend()) {
    runs_.emplace_back(run, clock_for(run));
    at = runs_.rbegin();
    if (!results.empty()) at->attack = results[0].attack;
  }
  Reading& reading = *at;
  if (!reading.start && !results.empty()) {
    reading.start = start_of(run, results);
    if (!is_filtered_ && !run.header.mix.parts.empty()) reading.shares.emplace(run.header.mix);
    if (!is_filtered_ && is_recorded_live(run))
      if (auto shape = parse_shape(run.header.shape); shape && !shape->is_closed() && report::StageSplit::is_for(*shape))
        reading.stages.emplace(std::move(*shape), run.header.start, reading.judging);
  }
  if (run.encoding != Encoding::native)
    for (const Result& r : results) reading.several_names |= r.attack != reading.attack;
  if (reading.start && !is_filtered_) note_changes(reading);
  read_ += results.size();
  if (is_filtered_) results = passing(reading, results);
  reading.metrics.add(results);
  reading.peaks.add(results);
  if (reading.stages) reading.stages->add(results);
  if (reading.shares) reading.shares->add(results);
  gates_.add(results, reading.judging);
  const StatusSet& success = reading.judging.success;
  if (clock_ == LatencyClock::response) results = by_response(results);
  if (groups_)
    for (const Result& r : results) groups_->add(r, is_success(r, success));
  if (buckets_)
    for (const Result& r : results) buckets_->add(r.latency);
  if (rows_)
    for (const Result& r : results) rows_->record(r.latency);
  if (type_.kind == report::Kind::seconds) {
    if (!series_ && !results.empty()) series_.emplace(*reading.start);
    for (const Result& r : results) series_->add(r, is_success(r, success));
  }
}

// The first run says by which clock, unless the user did.
LatencyClock ReportRun::clock_for(const Run& run) {
  if (!clock_) clock_ = request_.latency.value_or(run.header.latency_clock);
  return *clock_;
}

// For those that know one latency only.
std::span<const Result> ReportRun::by_response(std::span<const Result> results) {
  judged_.assign(results.begin(), results.end());
  for (Result& r : judged_) r.latency = r.latency_by(LatencyClock::response);
  return judged_;
}

// Each change of the rate, and each pause, begins a stage.
void ReportRun::note_changes(Reading& reading) {
  for (; reading.changes < reading.run->events.size(); ++reading.changes) {
    const Event& event = reading.run->events[reading.changes];
    if (event.kind != "rate" && event.kind != "pause" && event.kind != "resume") continue;
    const auto plan = plan_of(*reading.run);
    if (!plan || !plan->asked) continue;
    if (!reading.stages) reading.stages.emplace(*plan->asked, plan->start, reading.judging, reading.metrics);
    reading.stages->change(event.at, change_of(event).text());
  }
}

std::span<const Result> ReportRun::passing(const Reading& reading, std::span<const Result> results) {
  passing_.clear();
  for (const Result& r : results) {
    const Nanos at = r.timestamp.since(*reading.start);
    // Before the start of a run that has recorded none lie results that were sent first and read later.
    const bool in_time = (request_.from == Nanos(0) || at >= request_.from) && (!request_.to || at < *request_.to);
    if (in_time && (!where_ || where_->matches(r))) passing_.push_back(r);
  }
  return passing_;
}

bool ReportRun::is_due() {
  if (!due_) return false;
  const Nanos late = now() - *due_;
  if (late < Nanos(0)) return false;
  *due_ += request_.every * (late / request_.every + 1);
  return true;
}

void ReportRun::warn_of_damage() {
  for (const Damage& damage : input_.reader().damage()) hooks_.warn(damage.warning());
  if (series_ && series_->left_out() > 0)
    hooks_.warn(fmt::format("{} results lie in more different seconds than the table can hold ({}) and are not in it", series_->left_out(),
                            Series::kMostSeconds));
  if (series_ && series_->fineness() > 0.001)
    hooks_.warn(fmt::format("so many seconds with so many latencies: each percentile in the table is known within {:.2g} %",
                            series_->fineness() * 100));
}

// The attack's name where it tells runs apart, else the file's; with a number where a file holds several.
void ReportRun::name_runs(std::vector<report::RunInput>& runs) const {
  std::map<std::string, int> attacks, files;
  std::vector<std::string> names;
  for (const Reading& r : runs_) {
    names.push_back(r.several_names ? "" : r.run->header.attack.empty() ? r.attack : r.run->header.attack);
    ++attacks[names.back()];
    ++files[r.run->file];
  }
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& file = runs_[i].run->file;
    runs[i].file = file;
    if (!names[i].empty() && attacks[names[i]] == 1)
      runs[i].name = names[i];
    else
      runs[i].name = files[file] == 1 ? file : fmt::format("{} #{}", file, ++seen[file]);
  }
}

report::Input ReportRun::input(bool interim) {
  report::Input in;
  in.total = Metrics({{}, clock_.value_or(LatencyClock::service)});
  for (Reading& r : runs_) {
    report::RunInput run;
    r.metrics.close();
    in.total.merge(r.metrics);
    run.metrics = interim ? r.metrics : std::move(r.metrics);
    if (!is_filtered_) run.plan = plan_of(*r.run);
    run.peaks = r.peaks;
    if (r.stages) {
      const auto& summary = run.plan->summary;
      const bool is_whole = summary && report::lost_of(std::span(&run, 1)) == 0;
      run.stages = r.stages->parts(summary ? summary->sending : run.metrics.figures().latest.since(r.run->header.start),
                                   is_whole ? std::optional(run.plan->hits) : std::nullopt);
    }
    if (r.shares) run.shares = r.shares->table();
    in.runs.push_back(std::move(run));
  }
  name_runs(in.runs);
  in.total.close();
  in.clock = clock_.value_or(LatencyClock::service);
  in.percentiles = percentiles_;
  in.buckets = buckets_;
  in.rows = rows_;
  in.series = series_ ? &*series_ : nullptr;
  in.groups = group_table(in.runs);
  if (is_filtered_) in.filter = report::Filter{request_.from, request_.to, request_.where, read_};
  return in;
}

// Runs are told apart here already; each is a group.
std::optional<GroupTable> ReportRun::group_table(const std::vector<report::RunInput>& runs) const {
  if (groups_) return groups_->table(request_.max_groups.value_or(kUsualGroups));
  if (!by_) return {};
  std::vector<Group> groups;
  for (const report::RunInput& run : runs) {
    const Figures& f = run.metrics.figures();
    groups.push_back({run.name, f.requests, run.metrics.succeeded(), f.bytes_in.total, f.bytes_out.total, run.metrics.latencies()});
  }
  return table_of(GroupBy::run, std::move(groups), request_.max_groups.value_or(kUsualGroups));
}

Expected<void> ReportRun::judge(report::Input& in) {
  in.judged = gates_.judge(in);
  is_gate_crossed_ = report::any_crossed(in.judged);
  for (const report::Judged& judged : in.judged)
    if (judged.is_crossed) hooks_.warn(line_of(judged));
  if (request_.junit.empty()) return {};
  return write_junit(request_.junit, in.judged);
}

Expected<std::string> ReportRun::written(bool interim) {
  report::Input in = input(interim);
  if (!interim && !gates_.empty())
    if (const auto judged = judge(in); !judged) return std::unexpected(judged.error());
  switch (type_.kind) {
    case report::Kind::text:
      return report::text(in);
    case report::Kind::json:
      return report::json(in);
    case report::Kind::histogram:
      return report::histogram(in);
    case report::Kind::hdrplot:
      return report::hdrplot(in);
    case report::Kind::hdrlog:
      return report::hdr_log(in);
    case report::Kind::seconds:
      return report::seconds(in);
  }
  return failure("no such report");
}

Expected<void> ReportRun::print(bool interim) {
  Expected<std::string> text = written(interim);
  if (!text) return std::unexpected(text.error());
  // What programs read has no place for escape codes, wherever it goes.
  const bool for_people = type_.kind == report::Kind::text || type_.kind == report::Kind::histogram;
  if (request_.every > Nanos(0) && for_people && product_.is_terminal() && ui::can_clear()) text->insert(0, ui::kClearScreen);
  return product_.write(*text);
}

Expected<Selection> selection_of(const ReportRequest& request, report::Kind kind) {
  Selection selection;
  if (request.from < Nanos(0)) return usage_error("-from: it counts from the run's start and can't be negative, as in -from=10s");
  if (request.to && *request.to <= request.from)
    return usage_error(fmt::format("-to: {} is not after -from={}", format_duration(*request.to), format_duration(request.from)));
  if (!request.where.empty()) {
    auto where = Where::parse(request.where);
    if (!where) return std::unexpected(where.error());
    selection.where = std::move(*where);
  }
  if (!request.by.empty()) {
    const auto by = parse_group_by(request.by);
    if (!by) return std::unexpected(by.error());
    if (kind != report::Kind::text && kind != report::Kind::json)
      return usage_error(fmt::format("-by: only -type=text and -type=json show groups, not -type={}; -where picks one group for any type",
                                     printable_prefix(request.type, 20)));
    selection.by = *by;
  }
  if (!request.junit.empty() && request.fail_if.empty()) return usage_error("-junit: it holds the verdicts on -fail-if, and there is none");
  auto gates = parse_gates(request.fail_if);
  if (!gates) return std::unexpected(gates.error());
  selection.gates = std::move(*gates);
  if (request.max_groups && !selection.by) return usage_error("-max-groups: there are no groups without -by, as in -by=url");
  if (!request.group_rules.empty() && selection.by != GroupBy::url && selection.by != GroupBy::target)
    return usage_error("-group: rules are for -by=url and -by=target");
  for (const std::string& rule : request.group_rules)
    if (const auto added = selection.rules.add(rule); !added) return std::unexpected(added.error());
  return selection;
}

}  // namespace

Expected<std::unique_ptr<Report>> Report::create(ReportRequest request, ReportHooks hooks) {
  auto type = report::parse_type(request.type, request.buckets);
  if (!type) return std::unexpected(type.error());
  std::vector<double> percentiles;
  if (!request.percentiles.empty()) {
    auto parsed = report::parse_percentiles(request.percentiles);
    if (!parsed) return std::unexpected(parsed.error());
    percentiles = std::move(*parsed);
    if (type->kind != report::Kind::text && type->kind != report::Kind::json)
      return usage_error(
          fmt::format("-percentiles: only -type=text and -type=json show them, not -type={}", printable_prefix(request.type, 20)));
  }
  if (request.every < Nanos(0)) return usage_error("-every: it should not be negative, as in -every=1s");
  if (request.every > Nanos(0) && type->kind == report::Kind::seconds)
    return usage_error("-every: -type=csv has a row for each second already, and is written once");
  auto selection = selection_of(request, type->kind);
  if (!selection) return std::unexpected(selection.error());
  return std::make_unique<ReportRun>(std::move(request), std::move(hooks), std::move(*type), std::move(percentiles), std::move(*selection));
}

}  // namespace thrum::mode
