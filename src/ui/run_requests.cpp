// The Requests view: the latest results and older failures, newest first, with filters; and all that is known of one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "ui/run_screen.hpp"

namespace thrum::ui {
namespace {

constexpr Style kQuiet{Tone::quiet}, kStrong{Tone::strong};
constexpr std::size_t kLongestSearch = 200, kBodyBegin = 300;

Tone tone_of(const RecentResult& r) { return r.is_good ? Tone::good : r.status >= 300 && r.status < 400 ? Tone::plain : Tone::bad; }

}  // namespace

bool RunScreen::fits(const RecentResult& r, const RunView& v) const {
  const auto is_class = [&](int hundred) { return r.status / 100 == hundred; };
  switch (class_) {
    case Class::all:
      break;
    case Class::c2:
    case Class::c3:
    case Class::c4:
    case Class::c5:
      if (!is_class(static_cast<int>(class_) - static_cast<int>(Class::c2) + 2)) return false;
      break;
    case Class::none:
      if (r.status != 0) return false;
      break;
    case Class::failed:
      if (r.is_good) return false;
      break;
  }
  if (only_failed_ && r.is_good) return false;
  const double least = slow_ == Slow::p50 ? 0.5 : slow_ == Slow::p90 ? 0.9 : slow_ == Slow::p99 ? 0.99 : -1;
  if (least > 0 && r.latency < v.watch.latencies().quantile(least)) return false;
  return query_.fits(r);
}

// Places in the list of results, newest first.
std::vector<std::size_t> RunScreen::shown(const RunView& v) const {
  std::vector<std::size_t> out;
  const auto& recent = v.watch.recent();
  for (std::size_t i = recent.size(); i-- > 0;)
    if (fits(recent[i], v)) out.push_back(i);
  return out;
}

void RunScreen::requests(Grid& grid, Area area, const RunView& v) {
  static constexpr std::string_view kClasses[]{"all", "2xx", "3xx", "4xx", "5xx", "no response", "failed"};
  static constexpr std::string_view kSlow[]{"any", "≥ p50", "≥ p90", "≥ p99"};
  const auto lines = shown(v);
  const auto& recent = v.watch.recent();
  std::string name = fmt::format("{} of {} kept", count_text(lines.size()), count_text(recent.size()));
  if (class_ != Class::all) name += fmt::format(" · status {}", kClasses[static_cast<std::size_t>(class_)]);
  if (slow_ != Slow::any) name += fmt::format(" · latency {}", kSlow[static_cast<std::size_t>(slow_)]);
  if (only_failed_) name += " · failed only";
  if (!query_.empty()) name += " · \"" + printable_prefix(held_, 30) + '"';
  if (std::ranges::any_of(recent, [](const RecentResult& r) { return r.kept != nullptr; })) name += " · ● whole";
  if (picked_) name += " · held";
  const Area inside = card(grid, area, name);
  page_ = std::max(1, inside.height - 1);
  grid.text(inside.x + 1, inside.y,
            fmt::format("{:>9} {:>6} {:>8} {:<16} {:>9}  {}", "ended", "status", "latency", "", "size", "error, body"), kQuiet,
            inside.width - 2);
  const auto picked = std::ranges::find_if(lines, [&](std::size_t i) { return picked_ && recent[i].seq == *picked_; });
  const int at = picked == lines.end() ? -1 : static_cast<int>(picked - lines.begin());
  const int first = std::clamp(at - page_ / 2, 0, std::max(0, static_cast<int>(lines.size()) - page_));
  const double longest = std::max(1.0, static_cast<double>(v.watch.latencies().quantile(0.99).count()));
  for (int row = 0; row < page_ && first + row < static_cast<int>(lines.size()); ++row) {
    const RecentResult& r = recent[lines[static_cast<std::size_t>(first + row)]];
    const int y = inside.y + 1 + row;
    const bool is_picked = first + row == at;
    const Style plain = is_picked ? Style{Tone::accent, true} : Style{};
    if (is_picked) grid.fill({inside.x, y, inside.width, 1}, {U' ', plain});
    const auto style = [&](Tone tone) { return is_picked ? plain : Style{tone}; };
    if (r.kept) grid.text(inside.x, y, "●", style(Tone::accent));
    int x = grid.text(inside.x + 1, y, fmt::format("{:>8.2f}s", static_cast<double>(r.at.count()) / 1e9), style(Tone::quiet));
    x = grid.text(x + 1, y, fmt::format("{:>6}", r.status == 0 ? "---" : std::to_string(r.status)), style(tone_of(r)));
    const std::string latency = time_text(r.latency);
    x = grid.text(x + 1 + std::max(0, 8 - columns_of(latency)), y, latency, style(Tone::strong)) + 1;
    const int bar = std::clamp(static_cast<int>(std::lround(static_cast<double>(r.latency.count()) / longest * 16)), 0, 16);
    for (int i = 0; i < bar; ++i) grid.put(x + i, y, {U'▬', style(Tone::accent)});
    x = grid.text(x + 17, y, fmt::format("{:>9}", bytes_text(r.bytes)), style(Tone::quiet));
    const int room = inside.x + inside.width - x - 3;
    const int after = grid.text(x + 2, y, printable(r.error), style(Tone::bad), room);
    const std::string_view body = r.kept ? std::string_view(r.kept->body).substr(0, kBodyBegin) : std::string_view();
    if (!body.empty())
      grid.text(after + (r.error.empty() ? 0 : 1), y, printable(body), style(Tone::quiet),
                inside.x + inside.width - 1 - after - (r.error.empty() ? 0 : 1));
  }
  if (lines.empty())
    grid.text(inside.x + 1, inside.y + 2, recent.empty() ? "nothing ended yet" : "none of those kept fits the filter; c clears it", kQuiet,
              inside.width - 2);
}

void RunScreen::clear_filter() {
  class_ = Class::all, slow_ = Slow::any, only_failed_ = false;
  search_.clear(), search_fault_.clear();
  query_ = {};
}

// What makes no sense is said, and the last that made some holds.
bool RunScreen::press_in_search(const Key& key) {
  using Kind = Key::Kind;
  std::string& text = is_open_ ? found_ : search_;
  if (key.kind == Kind::enter || key.kind == Kind::escape) {
    is_typing_ = false;
    if (key.kind == Kind::escape) text.clear();
    if (is_open_ && !text.empty()) panel_.find(text);
  } else if (key.kind == Kind::backspace) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
    if (!text.empty()) text.pop_back();
  } else if (key.kind == Kind::text && text.size() < kLongestSearch) {
    append_utf8(text, key.text);
  }
  if (is_open_) return true;
  auto query = RequestQuery::parse(search_);
  search_fault_ = query ? "" : query.error().text;
  if (query) query_ = std::move(*query), held_ = search_;
  return true;
}

// To the next of the list, newer or older; `only_kept`: the next that was kept whole.
bool RunScreen::step(int by, const RunView& v, bool only_kept) {
  const auto lines = shown(v);
  const auto& recent = v.watch.recent();
  const auto here = std::ranges::find_if(lines, [&](std::size_t i) { return picked_ && recent[i].seq == *picked_; });
  const int count = static_cast<int>(lines.size());
  for (int at = (here == lines.end() ? -1 : static_cast<int>(here - lines.begin())) + by; at >= 0 && at < count; at += by) {
    const RecentResult& r = recent[lines[static_cast<std::size_t>(at)]];
    if (only_kept && !r.kept) continue;
    picked_ = r.seq;
    break;
  }
  return true;
}

// Whether the key meant something here.
bool RunScreen::press_in_requests(const Key& key, const RunView& v) {
  using Kind = Key::Kind;
  if (is_typing_) return press_in_search(key);
  if (is_open_) return press_in_inspector(key, v);
  const auto lines = shown(v);
  const auto& recent = v.watch.recent();
  const auto picked = std::ranges::find_if(lines, [&](std::size_t i) { return picked_ && recent[i].seq == *picked_; });
  const int at = picked == lines.end() ? -1 : static_cast<int>(picked - lines.begin());
  const auto pick = [&](int line) {
    if (!lines.empty()) picked_ = recent[lines[static_cast<std::size_t>(std::clamp(line, 0, static_cast<int>(lines.size()) - 1))]].seq;
    return true;
  };
  switch (key.kind) {
    case Kind::up:
      return pick(at - 1);
    case Kind::down:
      return pick(at + 1);
    case Kind::page_up:
      return pick(at - page_);
    case Kind::page_down:
      return pick(at + page_);
    case Kind::home:
      return pick(0);
    case Kind::end:
      return pick(static_cast<int>(lines.size()));
    case Kind::enter:
      if (at < 0) pick(0);
      is_open_ = picked_.has_value();
      return true;
    case Kind::escape:  // lets go of what is held, one after the other
      if (picked_) return picked_.reset(), true;
      if (!has_filter()) return false;
      clear_filter();
      return true;
    case Kind::text:
      break;
    default:
      return false;
  }
  switch (key.text) {
    case U'k':
      return pick(at - 1);
    case U'j':
      return pick(at + 1);
    case U'g':
      return pick(0);
    case U'G':
      return pick(static_cast<int>(lines.size()));
    case U'f':
      class_ = static_cast<Class>((static_cast<int>(class_) + 1) % 7);
      return true;
    case U'l':
      slow_ = static_cast<Slow>((static_cast<int>(slow_) + 1) % 4);
      return true;
    case U'x':
      only_failed_ = !only_failed_;
      return true;
    case U'c':
      clear_filter();
      return true;
    case U'/':
      is_typing_ = true;
      return true;
    default:
      return false;
  }
}

}  // namespace thrum::ui
