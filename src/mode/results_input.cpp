#include "mode/results_input.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "mode/live_run.hpp"

namespace thrum::mode {
namespace {

constexpr Nanos kLook{100'000'000};  // how often a wait for results is broken off to see whether it is to end

bool is_stdin(const std::string& file) { return file == "stdin" || file == "-"; }

bool is_live(const std::string& file) {
  struct stat s{};
  if ((is_stdin(file) ? ::fstat(STDIN_FILENO, &s) : ::stat(file.c_str(), &s)) != 0) return false;
  return !S_ISREG(s.st_mode);
}

}  // namespace

ResultsInput::ResultsInput(std::vector<std::string> files) : files_(std::move(files)) {
  if (files_.empty()) files_.emplace_back("stdin");
}

Expected<void> ResultsInput::open(ReaderOptions options) {
  live_ = std::ranges::any_of(files_, is_live);
  options.give_up = [this](bool heard_from) { return gives_up(heard_from); };
  auto opened = open_results(files_, std::move(options));
  if (interrupted_) return failure("interrupted before there were any results");
  if (!opened) return std::unexpected(std::move(opened.error()));
  reader_ = std::move(*opened);
  return {};
}

// Asked while a writer is waited for.
bool ResultsInput::gives_up(bool heard_from) {
  interrupted_ = is_over() || (!heard_from && stopped_.load(std::memory_order_relaxed));
  return interrupted_;
}

Expected<std::span<const Result>> ResultsInput::next() {
  while (!is_over())
    if (!live_ || reader_->ready(kLook)) {
      auto results = reader_->next();
      if (interrupted_) return std::span<const Result>();
      return results;
    }
  interrupted_ = true;
  return std::span<const Result>();
}

bool ResultsInput::reads_pipe() const {
  struct stat in{};
  return std::ranges::any_of(files_, is_stdin) && ::fstat(STDIN_FILENO, &in) == 0 && S_ISFIFO(in.st_mode);
}

void ResultsInput::let_through() const {
  char forgotten[16 * 1024];
  while (!cut_.load(std::memory_order_relaxed)) {
    pollfd fd{STDIN_FILENO, POLLIN, 0};
    if (::poll(&fd, 1, static_cast<int>(kLook.count() / 1'000'000)) <= 0) continue;
    const ssize_t n = ::read(STDIN_FILENO, forgotten, sizeof forgotten);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return;
  }
}

StatusSet success_of(const Run& run) { return StatusSet::parse(run.header.success).value_or(StatusSet()); }

bool is_recorded_live(const Run& run) { return run.encoding == Encoding::native && run.header.source.empty(); }

std::optional<report::Plan> plan_of(const Run& run) {
  const FileHeader& h = run.header;
  if (!is_recorded_live(run)) return {};
  report::Plan plan;
  plan.start = h.start;
  plan.shape = h.shape;
  plan.order = h.mix.order;
  plan.seed = h.seed;
  plan.rate = h.asked_rate;
  if (auto shape = parse_shape(h.shape); shape && !shape->is_closed()) plan.asked = std::move(*shape);
  plan.duration = h.duration;
  plan.hits = h.hits;
  for (const Event& event : run.events) plan.changes.push_back(change_of(event));
  if (run.closing) {
    plan.summary = run.closing->summary;
    plan.results = run.closing->results - std::min(run.closing->results, run.closing->summary.warmup.sent);
    plan.spooled_bytes = run.closing->spooled_bytes;
  }
  return plan;
}

}  // namespace thrum::mode
