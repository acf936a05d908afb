#include "report/plot.hpp"

#include <algorithm>
#include <array>

#include "report/plot_data.hpp"

namespace thrum::report {
namespace {

// How much a page holds besides vegeta's series, however many results there are and runs.
constexpr std::size_t kStretches = 1000, kLeastStretches = 50, kStretchesOfAll = 8000;
constexpr std::uint64_t kSpikesOfAll = 20'000;

// What a run was asked, from its sources, and how it went.
PlotDataRun describe(const PlotRun& run, const std::vector<PlotSource>& sources, const PlotSchedule& schedule, PlotChart chart) {
  PlotDataRun data{.attack = run.attack,
                   .start = run.start(),
                   .results = run.points.count(),
                   .succeeded = run.succeeded,
                   .answered = run.answered,
                   .chart = std::move(chart)};
  data.asked = schedule.due(data.chart.bins.grid());
  const bool is_closed = std::ranges::any_of(run.sources, [&](std::size_t n) { return sources[n].plan && sources[n].plan->rate == 0; });
  if (!data.asked && !is_closed && data.chart.bins.has_lags()) data.asked = data.chart.bins.due();
  data.missed = 0;
  for (const std::size_t number : run.sources) {
    const PlotSource& source = sources[number];
    data.files.push_back(source.file);
    data.judged_by_response |= source.judged_by_response;
    if (data.missed && source.plan && source.plan->summary)
      *data.missed += source.plan->summary->books.missed;
    else
      data.missed.reset();
    if (!source.plan) continue;
    if (run.sources.size() == 1) data.shape = source.plan->shape;
    const Nanos first_sent = run.start().since(source.plan->start);
    for (const PlotMark& mark : source.marks) data.marks.push_back({mark.at - first_sent, mark.text});
  }
  return data;
}

}  // namespace

std::size_t Plot::add_source(PlotSource source) {
  sources_.push_back(std::move(source));
  return sources_.size() - 1;
}

PlotRun& Plot::run_of(std::size_t source, std::string_view attack) {
  if (source == last_source_ && runs_[last_run_]->attack == attack) return *runs_[last_run_];
  const std::string& id = sources_[source].run_id;
  Key key{id.empty() ? std::to_string(source) : id, attack};
  if (!index_.contains(key) && runs_.size() >= kMostRuns) key = {"", "other attacks"};
  const auto [at, is_new] = index_.try_emplace(std::move(key), runs_.size());
  if (is_new) {
    runs_.push_back(std::make_unique<PlotRun>(store_));
    runs_.back()->attack = at->first.second;
  }
  last_source_ = source;
  last_run_ = at->second;
  std::vector<std::size_t>& sources = runs_[last_run_]->sources;
  if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  return *runs_[last_run_];
}

void Plot::add(std::size_t source, std::span<const Result> results) {
  const StatusSet& success = sources_[source].success;
  for (const Result& result : results) {
    const bool succeeded = is_success(result, success);
    run_of(source, result.attack).add(result, kinds_.count(result, succeeded), succeeded);
  }
  results_ += results.size();
}

Expected<std::string> Plot::page() {
  std::vector<NamedRun> named;
  std::vector<PlotSchedule> schedules;
  std::vector<PlotSpan> spans;
  Timestamp earliest = runs_.front()->start();
  for (const auto& run : runs_) {
    run->points.seal();
    named.push_back({run->attack, sources_[run->sources.front()].file});
    schedules.emplace_back(*run, sources_);
    spans.push_back(span_of(*run, schedules.back()));
    if (run->start().before(earliest)) earliest = run->start();
  }
  const std::vector<RunName> names = names_of(named);
  const PlotLines lines(kinds_);
  PlotData data{.title = title_,
                .bin_width = bin_width(spans),
                .codes = lines.codes(),
                .other_codes = lines.has_other_codes(),
                .other_errors = lines.has_other_errors()};
  for (const std::uint32_t error : lines.errors()) data.errors.push_back(kinds_.error(error));
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const PlotRun& run = *runs_[i];
    const bool by_response = std::ranges::any_of(run.sources, [&](std::size_t source) { return sources_[source].judged_by_response; });
    PlotDataRun drawn =
        describe(run, sources_, schedules[i], draw(run, scale_of(run, spans[i], data.bin_width), kinds_, lines, by_response));
    drawn.name = names[i];
    drawn.after_first = static_cast<double>(run.start().since(earliest).count()) / 1e9;
    drawn.seconds = static_cast<double>(spans[i].whole) / 1e9;
    data.runs.push_back(std::move(drawn));
  }
  if (store_.has_failed()) return failure("results that were moved to a temporary file can't be read back");
  return plot_page(data);
}

PlotScale Plot::scale_of(const PlotRun& run, const PlotSpan& span, std::int64_t bin_width) const {
  const std::uint64_t results = run.points.count();
  return {
      .threshold = threshold_,
      .stretches = std::clamp(kStretchesOfAll / (2 * runs_.size()), kLeastStretches, kStretches),
      .spikes = std::min(results / 1000, kSpikesOfAll * results / results_) + 1,
      .grid = {.width = bin_width, .slack = run.slack(), .bins = bins_of(span, bin_width), .end = span.whole},
  };
}

}  // namespace thrum::report
