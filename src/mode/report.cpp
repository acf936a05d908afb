#include "mode/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/clock.hpp"
#include "mode/product.hpp"
#include "mode/results_input.hpp"
#include "report/entries.hpp"
#include "report/hdr_log.hpp"
#include "report/histogram.hpp"
#include "report/json.hpp"
#include "report/seconds.hpp"
#include "report/text.hpp"
#include "report/type.hpp"
#include "ui/screen.hpp"

namespace thrum::mode {
namespace {

// One run while it is read.
struct Reading {
  explicit Reading(const Run& r) : run(&r), success(success_of(r)), metrics({success}) {}

  const Run* run;
  StatusSet success;
  Metrics metrics;
  std::string attack;          // the name that all results carry
  bool several_names = false;  // they don't
};

class ReportRun final : public Report {
 public:
  ReportRun(ReportRequest request, ReportHooks hooks, report::Type type, std::vector<double> percentiles)
      : request_(std::move(request)),
        hooks_(std::move(hooks)),
        type_(std::move(type)),
        percentiles_(std::move(percentiles)),
        input_(request_.inputs),
        product_(request_.output, input_.files(), request_.force) {
    if (!type_.buckets.empty()) buckets_.emplace(type_.buckets);
    if (type_.kind == report::Kind::histogram && !buckets_) rows_.emplace();
  }

  Expected<void> run() override;
  void stop() noexcept override { input_.stop(); }
  void cut() noexcept override { input_.cut(); }

 private:
  Expected<void> carry_out();
  Expected<void> check_output();
  Expected<void> read();
  void take(const Run& run, std::span<const Result> results);
  bool is_due();
  Expected<void> print(bool interim);
  Expected<std::string> written(bool interim);
  report::Input input(bool interim);
  void name_runs(std::vector<report::RunInput>& runs) const;
  void warn_of_interruption() const;
  void warn_of_damage();

  ReportRequest request_;
  ReportHooks hooks_;
  report::Type type_;
  std::vector<double> percentiles_;
  ResultsInput input_;  // owns the runs that runs_ point to
  Product product_;
  bool is_refused_ = false;  // the output: writing it would hurt
  std::vector<Reading> runs_;
  std::optional<BucketCounts> buckets_;
  std::optional<CoarseHistogram> rows_;
  std::optional<Series> series_;
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
  if (auto opened = input_.open({.strict = request_.strict}); !opened) return opened;
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
  if (!input_.was_interrupted()) return;
  std::uint64_t read = 0;
  for (const Reading& r : runs_) read += r.metrics.requests();
  hooks_.warn(fmt::format("interrupted: this report is of the {} results read so far", read));
}

void ReportRun::take(const Run& run, std::span<const Result> results) {
  auto at = std::find_if(runs_.rbegin(), runs_.rend(), [&](const Reading& r) { return r.run == &run; });
  if (at == runs_.rend()) {
    runs_.emplace_back(run);
    at = runs_.rbegin();
    if (!results.empty()) at->attack = results[0].attack;
  }
  Reading& reading = *at;
  reading.metrics.add(results);
  if (run.encoding != Encoding::native)
    for (const Result& r : results) reading.several_names |= r.attack != reading.attack;
  if (buckets_)
    for (const Result& r : results) buckets_->add(r.latency);
  if (rows_)
    for (const Result& r : results) rows_->record(r.latency);
  if (type_.kind == report::Kind::seconds) {
    // Without a recorded start the first results are taken to be the first sent, in some order.
    if (!series_ && !results.empty()) {
      const auto earliest = std::min_element(results.begin(), results.end(),
                                             [](const Result& a, const Result& b) { return a.timestamp.before(b.timestamp); });
      series_.emplace(plan_of(run) ? run.header.start : earliest->timestamp);
    }
    for (const Result& r : results) series_->add(r, is_success(r, reading.success));
  }
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
  for (Reading& r : runs_) {
    report::RunInput run;
    r.metrics.close();
    in.total.merge(r.metrics);
    run.metrics = interim ? r.metrics : std::move(r.metrics);
    run.plan = plan_of(*r.run);
    in.runs.push_back(std::move(run));
  }
  name_runs(in.runs);
  in.total.close();
  in.percentiles = percentiles_;
  in.buckets = buckets_;
  in.rows = rows_;
  in.series = series_ ? &*series_ : nullptr;
  return in;
}

Expected<std::string> ReportRun::written(bool interim) {
  const report::Input in = input(interim);
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
  if (request_.every > Nanos(0) && for_people && product_.is_terminal()) text->insert(0, ui::kClearScreen);
  return product_.write(*text);
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
  }
  if (request.every < Nanos(0)) return usage_error("-every: it should not be negative, as in -every=1s");
  return std::make_unique<ReportRun>(std::move(request), std::move(hooks), std::move(*type), std::move(percentiles));
}

}  // namespace thrum::mode
