#include "ui/run_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace thrum::ui {
namespace {

constexpr Style kQuiet{Tone::quiet}, kStrong{Tone::strong}, kAccent{Tone::accent};
constexpr std::size_t kMostFindings = 4;
constexpr int kKeyColumn = 14;

struct StateWords {
  std::string_view symbol, word;
  Tone tone;
};

StateWords words_of(RunState state) {
  switch (state) {
    case RunState::warming:
      return {"◌", "warming up", Tone::quiet};
    case RunState::running:
      return {"●", "running", Tone::accent};
    case RunState::paused:
      return {"‖", "paused", Tone::warning};
    case RunState::draining:
      return {"●", "waiting for the last answers", Tone::accent};
    case RunState::done:
      return {"✔", "done", Tone::good};
    case RunState::stopped:
      return {"■", "stopped", Tone::bad};
  }
  return {};
}

Nanos to_second(Nanos d) { return d - d % Nanos(1'000'000'000); }

// How much of it is done, 0 … 1, and in words. Nothing is asked of a run that goes on until it is stopped.
std::pair<double, std::string> progress_of(const RunView& v) {
  if (v.state == RunState::warming) return {0, fmt::format("{} sent, not counted", count_text(v.warmup_sent))};
  const double seconds = static_cast<double>(v.elapsed.count()) / 1e9;
  const std::uint64_t ended = v.watch.ended();
  if (v.hits > 0) {
    const double share = std::min(1.0, static_cast<double>(ended) / static_cast<double>(v.hits));
    std::string text = fmt::format("{} of {}", count_text(ended), count_text(v.hits));
    if (ended > 0 && share < 1 && !v.is_over())
      text += fmt::format(" · {} left", format_duration(to_second(Nanos(static_cast<std::int64_t>(seconds * (1 / share - 1) * 1e9)))));
    return {share, text};
  }
  if (v.duration > Nanos(0)) {
    const double share = std::min(1.0, static_cast<double>(v.elapsed.count()) / static_cast<double>(v.duration.count()));
    std::string text = fmt::format("{} of {}", format_duration(to_second(std::min(v.elapsed, v.duration))), format_duration(v.duration));
    if (share < 1 && !v.is_over()) text += fmt::format(" · {} left", format_duration(to_second(v.duration - v.elapsed)));
    return {share, text};
  }
  return {0, format_duration(to_second(v.elapsed))};
}

void bar(Grid& grid, int x, int y, int width, double share, Tone tone) {
  const int full = static_cast<int>(std::floor(share * width));
  for (int i = 0; i < width; ++i) grid.put(x + i, y, {i < full ? U'█' : U'░', {i < full ? tone : Tone::quiet}});
}

// The last whole second's rate.
double rate_now(const RunView& v) {
  const auto& seconds = v.watch.seconds().seconds();
  if (seconds.empty()) return 0;
  const std::int64_t last = v.elapsed.count() / 1'000'000'000 - 1;
  for (auto it = seconds.rbegin(); it != seconds.rend(); ++it)
    if (it->at == last) return static_cast<double>(it->ended());
  const double part = static_cast<double>(v.elapsed.count()) / 1e9;
  return last < 0 && part > 0.1 ? static_cast<double>(v.watch.ended()) / part : 0;
}

}  // namespace

void RunScreen::draw(Grid& grid, const RunView& view) {
  if (grid.width() < kLeastWidth || grid.height() < kLeastHeight) {
    const std::string text = fmt::format("{}×{} is too small: {}×{} needed", grid.width(), grid.height(), kLeastWidth, kLeastHeight);
    grid.text(std::max(0, (grid.width() - columns_of(text)) / 2), grid.height() / 2, text, kStrong);
    return;
  }
  const int top = header(grid, view);
  tabs(grid, top);
  const Area body{0, top + 1, grid.width(), grid.height() - top - 2};
  if (tab_ == Tab::live) live(grid, body, view);
  if (tab_ == Tab::stats) stats(grid, body, view);
  if (tab_ == Tab::requests) is_open_ ? inspector(grid, body, view) : requests(grid, body, view);
  footer(grid, view);
  if (has_help_) help(grid);
  if (has_export_) export_menu(grid, view);
}

// The first line is there always; below it progress and four numbers, or the verdict. Returns the line after it.
int RunScreen::header(Grid& grid, const RunView& v) const {
  const StateWords words = words_of(v.state);
  const std::string clock = format_duration(to_second(v.state == RunState::warming ? v.warmup_left : v.elapsed));
  std::string load = v.concurrency > 0 ? fmt::format("  {} at once", count_text(v.concurrency)) : "";
  if (v.rate > 0) load = fmt::format("  {}", rate_text(v.rate)) + load;
  const std::string right = fmt::format("{} {}{}  {}", words.symbol, words.word, load, clock);
  const int right_at = grid.width() - columns_of(right) - 1;
  int x = grid.text(1, 0, "thrum", kAccent);
  x = grid.text(x + 2, 0, printable_prefix(v.method, 20), kStrong);
  grid.text(x + 1, 0, printable(v.url), {}, right_at - x - 3);
  x = grid.text(right_at, 0, fmt::format("{} {}", words.symbol, words.word), {words.tone});
  x = grid.text(x, 0, load);
  grid.text(x + 2, 0, clock, kQuiet);
  if (v.is_over()) return verdict(grid, v);

  const auto [share, text] = progress_of(v);
  const int text_width = columns_of(text);
  const int bar_width = std::max(10, grid.width() - text_width - 10);
  bar(grid, 1, 1, bar_width, share, words.tone);
  x = grid.text(bar_width + 2, 1, fmt::format("{:3.0f} %", std::floor(share * 100)), kStrong);
  grid.text(x + 1, 1, text, kQuiet);

  const RunWatch& w = v.watch;
  const int column = (grid.width() - 2) / 4;
  const auto number = [&](int i, std::string_view label, const std::string& value, Tone tone) {
    const int after = grid.text(1 + i * column, 2, label, kQuiet);
    grid.text(after + 1, 2, value, {tone}, column - columns_of(label) - 2);
  };
  number(0, "now", rate_text(rate_now(v)), Tone::strong);
  number(1, "p50", w.ended() > 0 ? time_text(w.latencies().quantile(0.5)) : "-", Tone::strong);
  const bool has_tail = w.latencies().quantile(0.99) >= 10 * w.latencies().quantile(0.5) && w.ended() > 0;
  number(2, "p99", w.ended() > 0 ? time_text(w.latencies().quantile(0.99)) : "-", has_tail ? Tone::warning : Tone::strong);
  // Cut, not rounded: 100 % means every one.
  const double ok = w.ended() > 0 ? std::floor(static_cast<double>(w.ok()) * 10'000 / static_cast<double>(w.ended())) / 100 : 0;
  number(3, "ok", w.ended() > 0 ? fmt::format("{:.4g} %", ok) : "-", w.ended() > 0 ? tone_of_success(w.ok(), w.ended()) : Tone::strong);
  return 3;
}

int RunScreen::verdict(Grid& grid, const RunView& v) const {
  const Tone tone = tone_of(v.verdict.level);
  std::string badge(name_of(v.verdict.level));
  if (!badge.empty()) badge[0] = static_cast<char>(badge[0] - 'a' + 'A');
  int x = grid.text(1, 1, fmt::format(" {} {} ", symbol_of(v.verdict.level), badge), {tone, true});
  grid.text(x + 2, 1, v.summary, {}, grid.width() - x - 3);
  int y = 2;
  for (const RunFinding& f : std::span(v.verdict.findings).first(std::min(kMostFindings, v.verdict.findings.size()))) {
    x = grid.text(1, y, symbol_of(f.level), {tone_of(f.level)});
    grid.text(x + 1, y++, printable(f.text), {}, grid.width() - x - 2);
  }
  return y;
}

void RunScreen::tabs(Grid& grid, int y) const {
  int x = 1;
  int i = 0;
  for (const std::string_view name : {"Live", "Stats", "Requests"}) {
    const bool is_here = static_cast<int>(tab_) == i++;
    x = grid.text(x, y, fmt::format(" {} {} ", i, name), is_here ? Style{Tone::accent, true} : kQuiet) + 1;
  }
}

// Chips drop from the left where it is narrow; help and quit stay.
void RunScreen::footer(Grid& grid, const RunView& v) const {
  const int y = grid.height() - 1;
  if (!v.notice.empty()) {
    grid.text(1, y, printable(v.notice), {Tone::warning}, grid.width() - 2);
    return;
  }
  if (is_typing_) {
    const bool is_wrong = !is_open_ && !search_fault_.empty();
    const int x = grid.text(1, y, "/" + (is_open_ ? found_ : search_) + "▏", is_wrong ? Style{Tone::bad} : kStrong, grid.width() - 2);
    static constexpr std::string_view kWords = "status:5xx,429 lat>200ms size<1KB err:… body:… hdr:name=… after:30s -turned";
    std::string_view beside;
    if (is_wrong)
      beside = search_fault_;
    else if (!is_open_ && search_.empty())
      beside = kWords;
    grid.text(x + 2, y, beside, is_wrong ? Style{Tone::warning} : kQuiet, grid.width() - x - 3);
    return;
  }
  std::vector<Chip> all;
  if (!v.is_over()) {
    all.push_back({"space", v.state == RunState::paused ? "resume" : "pause"});
    all.push_back({"+ -", "concurrency"});
    if (v.rate > 0) all.push_back({"< >", "rate"});
    all.push_back({"s", "stop"});
  } else if (tab_ != Tab::requests) {
    all.push_back({"r", "once more"});
    all.push_back({"e", "change and run"});
  }
  if (tab_ == Tab::requests) {
    if (is_open_) {
      all.push_back({"w", "body to a file"});
      all.push_back({"y", "copy as curl"});
      all.push_back({"v", is_raw_ ? "formatted" : "as it came"});
      all.push_back({"[ ]", "whole ones"});
      all.push_back({"← →", "newer, older"});
    } else {
      all.push_back({"f l / x", "filter"});
    }
    all.push_back(is_open_ ? Chip{"esc", "back"} : Chip{"enter", "open"});
  }
  if (!is_open_) all.push_back({"o", "export"});
  all.push_back({"tab", "view"});
  all.push_back({"?", "keys"});
  all.push_back({"q", "quit"});
  chips(grid, y, std::move(all));
}

void RunScreen::help(Grid& grid) {
  static constexpr std::array<Chip, 22> kKeys{{
      {"space p", "pause, resume"},
      {"+ -", "more, fewer requests at once (a tenth)"},
      {"> <", "a rate: up, down (a tenth)"},
      {"s i", "stop, keep the results on the screen"},
      {"r", "the same run once more"},
      {"e", "to the form, with this run's settings"},
      {"o", "write a file: JSON, CSV, SVG, …"},
      {"1 2 3 tab", "view (also ← →)"},
      {"↑ ↓ j k", "line of Requests (also the wheel)"},
      {"PgUp PgDn", "a page"},
      {"home end g G", "newest, oldest"},
      {"enter", "all that is known of the line; in it:"},
      {"  ← → [ ]", "newer, older; those kept whole"},
      {"  v w y /", "as it came; to a file; as curl; find"},
      {"f", "by class of status"},
      {"l", "by latency: above p50, p90, p99"},
      {"x", "failed only"},
      {"/", "by text, or: status:5xx lat>9ms -err:x"},
      {"c", "no filter"},
      {"q esc Ctrl-C", "leave; the verdict stays in the shell"},
  }};
  // Where it has no room it is scrolled.
  std::vector<PanelLine> lines;
  for (const auto& [key, what] : kKeys) {
    PanelLine& line = lines.emplace_back();
    const int gap = std::max(1, kKeyColumn - columns_of(key));
    line.spans.push_back({std::string(key) + std::string(static_cast<std::size_t>(gap), ' '), kStrong});
    line.spans.push_back({std::string(what), {}});
  }
  const int width = std::min(grid.width() - 2, 62), height = std::min(grid.height(), static_cast<int>(lines.size()) + 2);
  if (has_help_ && !is_help_made_) help_.show("Keys", std::move(lines));
  is_help_made_ = true;
  help_.draw(grid, {(grid.width() - width) / 2, (grid.height() - height) / 2, width, height});
}

RunCommand RunScreen::press(const Key& key, const RunView& view) {
  using Kind = Key::Kind;
  if (key.kind == Kind::interrupt) return RunCommand::leave;
  if (has_help_) {
    has_help_ = is_help_made_ && help_.press(key);
    if (!has_help_) is_help_made_ = false;
    return RunCommand::none;
  }
  if (has_export_) {
    has_export_ = false;
    return press_in_export(key);
  }
  if (tab_ == Tab::requests && press_in_requests(key, view)) return RunCommand::none;
  const auto turn = [&](int by) { tab_ = static_cast<Tab>((static_cast<int>(tab_) + 3 + by) % 3); };
  if (key.kind == Kind::tab || key.kind == Kind::right) turn(1);
  if (key.kind == Kind::back_tab || key.kind == Kind::left) turn(-1);
  if (key.kind == Kind::escape) return RunCommand::leave;
  if (key.kind != Kind::text) return RunCommand::none;
  switch (key.text) {
    case U'1':
    case U'2':
    case U'3':
      tab_ = static_cast<Tab>(key.text - U'1');
      return RunCommand::none;
    case U' ':
    case U'p':
      return view.is_over() ? RunCommand::none : RunCommand::pause;
    case U'+':
      return view.is_over() ? RunCommand::none : RunCommand::more;
    case U'-':
      return view.is_over() ? RunCommand::none : RunCommand::fewer;
    case U'>':
      return view.is_over() ? RunCommand::none : RunCommand::faster;
    case U'<':
      return view.is_over() ? RunCommand::none : RunCommand::slower;
    case U'o':
      has_export_ = true;
      return RunCommand::none;
    case U'w':
      return is_open_ && tab_ == Tab::requests ? RunCommand::save_body : RunCommand::none;
    case U'y':
      return is_open_ && tab_ == Tab::requests ? RunCommand::copy_curl : RunCommand::none;
    case U's':
    case U'i':
      return view.is_over() ? RunCommand::none : RunCommand::stop;
    case U'r':
      return RunCommand::again;
    case U'e':
    case U'E':
      return RunCommand::edit;
    case U'?':
      has_help_ = true;
      return RunCommand::none;
    case U'q':
      return RunCommand::leave;
    default:
      return RunCommand::none;
  }
}

}  // namespace thrum::ui
