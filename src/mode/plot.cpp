#include "mode/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "mode/product.hpp"
#include "mode/results_input.hpp"
#include "report/plot.hpp"

namespace thrum::mode {
namespace {

// Events after which a run's shape no longer says what was due when.
bool changes_rate(const Event& event) {
  constexpr std::array<std::string_view, 3> kinds{"rate", "pause", "resume"};
  return std::ranges::find(kinds, event.kind) != kinds.end();
}

class Plotting final : public Plot {
 public:
  Plotting(PlotRequest request, PlotHooks hooks)
      : request_(std::move(request)),
        hooks_(std::move(hooks)),
        input_(request_.inputs),
        product_(request_.output, input_.files(), request_.force),
        plot_(request_.title, request_.threshold) {}

  Expected<void> run() override;
  void stop() noexcept override { input_.stop(); }
  void cut() noexcept override { input_.cut(); }

 private:
  Expected<void> carry_out();
  Expected<void> check_output();
  Expected<void> read();
  std::size_t source_of(const Run& run);
  void complete_sources();

  PlotRequest request_;
  PlotHooks hooks_;
  ResultsInput input_;
  Product product_;
  bool is_refused_ = false;  // the output: writing it would hurt
  report::Plot plot_;
  std::unordered_map<const Run*, std::size_t> sources_;
};

Expected<void> Plotting::run() {
  auto done = carry_out();
  if (!done && is_refused_ && input_.reads_pipe()) {
    hooks_.warn(std::exchange(done.error().text, {}));
    input_.let_through();
  }
  return done;
}

Expected<void> Plotting::carry_out() {
  if (auto fine = check_output(); !fine) return fine;
  if (auto done = read(); !done) return done;
  if (plot_.results() == 0) return failure(fmt::format("no results in {}: there is nothing to plot", printable(input_.files().front())));
  const auto page = plot_.page();
  if (!page) return std::unexpected(page.error());
  return product_.write(*page);
}

// The output is looked at before anything is read, and again when there is something to lose.
Expected<void> Plotting::check_output() {
  auto fine = product_.check();
  if (fine && product_.is_terminal())
    fine = usage_error("a page in HTML is nothing for a terminal: name a file, as in -output=plot.html, or a pipe");
  is_refused_ = !fine;
  return fine;
}

Expected<void> Plotting::read() {
  if (auto opened = input_.open({.strict = request_.strict}); !opened) return opened;
  for (const std::string& repeat : input_.reader().repeats()) hooks_.warn(repeat);
  while (true) {
    const auto results = input_.next();
    if (!results) return std::unexpected(results.error());
    if (results->empty()) break;
    if (plot_.results() == 0)
      if (auto fine = check_output(); !fine) return fine;
    plot_.add(source_of(input_.reader().run()), *results);
  }
  if (input_.was_interrupted()) hooks_.warn(fmt::format("interrupted: this plot is of the {} results read so far", plot_.results()));
  for (const Damage& damage : input_.reader().damage()) hooks_.warn(damage.warning());
  complete_sources();
  return {};
}

std::size_t Plotting::source_of(const Run& run) {
  if (const auto known = sources_.find(&run); known != sources_.end()) return known->second;
  report::PlotSource source;
  source.file = run.file;
  source.run_id = run.header.run_id;
  source.judged_by_response = run.header.latency_clock == LatencyClock::response;
  source.success = success_of(run);
  return sources_[&run] = plot_.add_source(std::move(source));
}

// How a run ended, and what happened on the way, stands behind its results.
void Plotting::complete_sources() {
  for (const auto& [run, number] : sources_) {
    report::PlotSource& source = plot_.source(number);
    source.plan = plan_of(*run);
    source.rate_changed = std::ranges::any_of(run->events, changes_rate);
    for (const Event& event : run->events)
      source.marks.push_back({event.at, event.detail.empty() ? event.kind : fmt::format("{}: {}", event.kind, event.detail)});
  }
}

}  // namespace

Expected<std::unique_ptr<Plot>> Plot::create(PlotRequest request, PlotHooks hooks) {
  if (request.threshold != 0 && request.threshold < report::Lttb::kLeastThreshold)
    return usage_error(
        fmt::format("-threshold={}: a series needs at least {} points; 0 shows all", request.threshold, report::Lttb::kLeastThreshold));
  return std::make_unique<Plotting>(std::move(request), std::move(hooks));
}

}  // namespace thrum::mode
