// All that is known of one request: its figures, and, where it was kept, what the response was.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "ui/body_text.hpp"
#include "ui/run_screen.hpp"

namespace thrum::ui {
namespace {

constexpr Style kQuiet{Tone::quiet}, kStrong{Tone::strong};

class Facts {
 public:
  void add(std::string_view label, std::string value, Style style = kStrong) {
    PanelLine& line = lines.emplace_back();
    line.spans.push_back({fmt::format("{:<21}", label), kQuiet});
    line.spans.push_back({std::move(value), style});
  }
  std::vector<PanelLine> lines;
};

void add_times(Facts& facts, const RecentResult& r, const RunView& v) {
  facts.add("ended", fmt::format("{:.3f} s after the start", static_cast<double>(r.at.count()) / 1e9));
  std::uint64_t faster = 0;
  const auto counts = v.watch.latencies().counts();
  for (std::size_t bin = 0; bin < CoarseHistogram::bin_of(r.latency) && bin < counts.size(); ++bin) faster += counts[bin];
  const double rank = v.watch.ended() > 0 ? static_cast<double>(faster) / static_cast<double>(v.watch.ended()) * 100 : 0;
  facts.add("latency", fmt::format("{}, longer than {:.0f} % of all", time_text(r.latency), rank));
  if (r.service != r.latency) facts.add("  waiting to be sent", time_text(r.latency - r.service));
  if (r.connecting > Nanos(0)) facts.add("  connecting", time_text(r.connecting));
  if (r.first_byte > Nanos(0)) {
    facts.add("  first byte", time_text(std::max(Nanos(0), r.first_byte - r.connecting)));
    facts.add("  download", time_text(r.service - r.first_byte));
  }
  facts.add("size", bytes_text(r.bytes));
}

void add_response(Facts& facts, const RecentResult& r, bool is_raw) {
  facts.lines.emplace_back();
  if (!r.kept) {
    facts.add("headers and body", "not kept: of a run's responses a sample is; [ and ] lead to the nearest", kQuiet);
    return;
  }
  for (const auto& [name, value] : r.kept->headers) {
    PanelLine& line = facts.lines.emplace_back();
    line.spans.push_back({printable(name) + ": ", kQuiet});
    line.spans.push_back({printable(value), {}});
  }
  if (!r.kept->headers.empty()) facts.lines.emplace_back();
  for (PanelLine& line : body_lines(r.kept->body, is_raw)) facts.lines.push_back(std::move(line));
  if (r.kept->body.size() < r.bytes)
    facts.lines.emplace_back(fmt::format("(the first {} of {})", bytes_text(r.kept->body.size()), bytes_text(r.bytes)), kQuiet);
}

}  // namespace

const RecentResult* RunScreen::picked(const RunView& v) const {
  const auto& recent = v.watch.recent();
  const auto it = std::ranges::find_if(recent, [&](const RecentResult& r) { return picked_ && r.seq == *picked_; });
  return it == recent.end() ? nullptr : &*it;
}

void RunScreen::inspector(Grid& grid, Area area, const RunView& v) {
  const RecentResult* const r = picked(v);
  if (r == nullptr) {
    const Area inside = card(grid, area, "Gone");
    grid.text(inside.x + 1, inside.y, "this result was among the oldest and is kept no longer", kQuiet, inside.width - 2);
    return;
  }
  // Made anew when there is something else to show: while it goes on only its rank would change.
  if (inspected_ != std::pair(r->seq, is_raw_) || inspected_kept_ != r->kept.get()) {
    Facts facts;
    const Tone tone = r->is_good ? Tone::good : r->status >= 300 && r->status < 400 ? Tone::plain : Tone::bad;
    facts.add("status", r->status == 0 ? "no response" : std::to_string(r->status), {tone});
    if (!r->error.empty()) facts.add("error", printable(r->error), {Tone::bad});
    facts.add("request", printable_prefix(v.method, 20) + ' ' + printable(v.url));
    add_times(facts, *r, v);
    add_response(facts, *r, is_raw_);
    panel_.show(fmt::format("Request {}{}", count_text(r->seq + 1), v.is_over() ? "" : " · the list is held"), std::move(facts.lines));
    inspected_ = {r->seq, is_raw_};
    inspected_kept_ = r->kept.get();
  }
  panel_.draw(grid, area);
}

// Whether the key meant something here.
bool RunScreen::press_in_inspector(const Key& key, const RunView& v) {
  using Kind = Key::Kind;
  if (key.kind == Kind::left) return step(-1, v, false);
  if (key.kind == Kind::right) return step(1, v, false);
  if (key.kind == Kind::escape) return is_open_ = false, true;
  if (panel_.press(key)) return true;
  if (key.kind == Kind::enter) return found_.empty() || (panel_.find(found_), true);
  if (key.kind != Kind::text) return false;
  switch (key.text) {
    case U'v':
      is_raw_ = !is_raw_;
      return true;
    case U'[':
      return step(-1, v, true);
    case U']':
      return step(1, v, true);
    case U'/':
      is_typing_ = true;
      found_.clear();
      return true;
    default:
      return false;
  }
}

}  // namespace thrum::ui
