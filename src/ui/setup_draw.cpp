// A setup form on its grid: cards side by side where there is room, else one column that follows the field at hand; below it the
// command line, what the field is for, and the keys.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "ui/run_screen.hpp"
#include "ui/setup_form.hpp"

namespace thrum::ui {
namespace {

using Id = SetupField::Id;
using Kind = SetupField::Kind;

constexpr Style kQuiet{Tone::quiet}, kStrong{Tone::strong}, kAccent{Tone::accent};
constexpr int kLabel = 14;
constexpr int kSections = 3, kErrorIndent = 4;
constexpr std::size_t kMostErrorLines = 3;
constexpr std::array<std::string_view, kSections> kSectionNames{"Request", "Load", "Connections"};

struct About {
  Id id;
  int section;
  std::string_view label, hint;
};
constexpr auto kAbout = std::to_array<About>({
    {Id::url, 0, "URL",
     "Where to send. No target at hand? thrum serve is one: http://127.0.0.1:18080/. A pasted curl command fills the form."},
    {Id::method, 0, "method", "← → chooses; any other is typed."},
    {Id::header, 0, "header", "\"Name: value\". Typing in the last one makes another; an emptied one goes."},
    {Id::body, 0, "body", "A text, or @FILE for a file's bytes."},
    {Id::user_agent, 0, "user agent", "A header of that name wins over it."},
    {Id::by, 1, "run by", "← → chooses what ends the run: a number of requests, or a time."},
    {Id::count, 1, "requests", "Exactly so many are sent."},
    {Id::time, 1, "time", "How long to send: 10s, 1m30s, 2h. What is in flight then is waited for."},
    {Id::concurrency, 1, "at once", "Requests in flight at once: each sends the next as soon as its answer came."},
    {Id::rate, 1, "rate", "On a schedule instead, whatever the target does: 100/s, 6/m, 10..500/s over 1m."},
    {Id::warmup, 1, "warm-up", "For so long requests are sent and not counted: 5s."},
    {Id::threads, 1, "threads", "Sending threads: a number, or auto."},
    {Id::timeout, 2, "timeout", "Longest time for a whole answer: 500ms, 20s; 0 is none."},
    {Id::redirects, 2, "redirects", "space switches: followed, or a 3xx is the answer (and a failure)."},
    {Id::keep_alive, 2, "keep-alive", "space switches: connections stay open, or each request opens its own."},
    {Id::verify, 2, "verify TLS", "space switches: certificates are checked, or any is taken."},
    {Id::proxy, 2, "proxy", "http://proxy.test:3128, socks5://…; none goes straight."},
});

const About& about(Id id) {
  return *std::ranges::find_if(kAbout, [=](const About& a) { return a.id == id; });
}

}  // namespace

struct SetupForm::Row {
  const SetupField* field = nullptr;  // null: a line of text
  std::string text{};
  Style style{};
  bool is_focused = false;
};

// Its fields, each error below its field, for a place that is so wide.
std::vector<SetupForm::Row> SetupForm::rows(int section, int width) {
  std::vector<Row> out;
  const auto all = visible();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (about(all[i]->id).section != section) continue;
    out.push_back({all[i], {}, {}, i == focus_});
    if (all[i]->error.empty()) continue;
    bool is_first = true;
    for (const std::string& line : wrapped(all[i]->error, width - kErrorIndent - 3, kMostErrorLines))
      out.push_back({nullptr, (std::exchange(is_first, false) ? "✖ " : "  ") + line, {Tone::bad}});
  }
  return out;
}

void SetupForm::draw_field(Grid& grid, int x, int y, int width, const SetupField& f) {
  const bool is_here = visible()[focus_] == &f;
  const bool is_new_header = f.id == Id::header && &f == &headers_.back();
  grid.text(x, y, is_here ? "▸" : " ", kAccent);
  grid.text(x + 2, y, is_new_header && headers_.size() > 1 ? "+" : about(f.id).label, is_here ? kStrong : kQuiet, kLabel - 2);
  const int at = x + kLabel, room = width - kLabel;
  if (room <= 1) return;
  if (f.kind == Kind::choice || f.kind == Kind::toggle) {
    const bool is_choice = f.kind == Kind::choice;
    int to = at;
    for (const std::string_view each : {is_choice ? "count" : "on", is_choice ? "time" : "off"}) {
      const bool is_it = f.text == each;
      to = grid.text(to, y, fmt::format(" {} ", each), is_it ? (is_here ? Style{Tone::accent, true} : kStrong) : kQuiet, at + room - to);
    }
    return;
  }
  if (f.text.empty()) {
    const std::string quiet = is_new_header ? "Name: value" : f.is_set ? f.initial + "  (set already)" : f.initial;
    grid.text(at, y, quiet, kQuiet, room);
  } else {
    // As much as has room, with the caret in it.
    const int before = columns_of(std::string_view(f.text).substr(0, f.caret));
    std::string_view shown = f.text;
    for (int skip = is_here ? std::max(0, before - room + 2) : 0; skip > 0; --skip) {
      std::uint32_t point = 0;
      shown.remove_prefix(std::max<std::size_t>(1, utf8_length(shown, point)));
    }
    grid.text(at, y, shown, is_here ? kStrong : Style{}, room);
  }
  if (!is_here) return;
  const int caret = at + std::min(columns_of(std::string_view(f.text).substr(0, f.caret)), room - 2);
  grid.put(caret, y, {f.caret < f.text.size() || f.text.empty() ? grid.at(caret, y).glyph : U' ', {Tone::accent, true}});
}

// As many as there is room for, the one at hand among them.
void SetupForm::draw_rows(Grid& grid, Area a, const std::vector<Row>& rows) {
  const auto focused = std::ranges::find_if(rows, &Row::is_focused);
  const int at = focused == rows.end() ? 0 : static_cast<int>(focused - rows.begin()), count = static_cast<int>(rows.size());
  // With its error.
  const int first = std::clamp(at - a.height + 2 + static_cast<int>(kMostErrorLines), 0, std::max(0, count - a.height));
  for (int i = 0; i < a.height && first + i < count; ++i) {
    const Row& row = rows[static_cast<std::size_t>(first + i)];
    const int y = a.y + i;
    if (row.field != nullptr)
      draw_field(grid, a.x, y, a.width - 2, *row.field);
    else
      grid.text(a.x + (row.style.tone == Tone::bad ? kErrorIndent : 1), y, row.text, row.style, a.width - kErrorIndent - 1);
  }
  if (first > 0) grid.put(a.x + a.width - 1, a.y, {U'↑', kQuiet});
  if (first + a.height < count) grid.put(a.x + a.width - 1, a.y + a.height - 1, {U'↓', kQuiet});
}

void SetupForm::draw_command(Grid& grid, Area a) const {
  const Area inside = card(grid, a, "Command line");
  int y = inside.y;
  for (const std::string& line : wrapped(command_line(), inside.width - 2, static_cast<std::size_t>(std::max(0, inside.height))))
    grid.text(inside.x + 1, y++, line, kStrong, inside.width - 2);
}

void SetupForm::draw_help(Grid& grid) const {
  static constexpr std::array<Chip, 11> kKeys{{
      {"↑ ↓ tab", "field (also the wheel)"},
      {"← → home end", "place in a text; choice"},
      {"space", "switches on and off"},
      {"backspace del", "takes a character away"},
      {"Ctrl-U", "empties the field"},
      {"enter", "starts the run"},
      {"Ctrl-T", "sends it once, and shows the answer"},
      {"Ctrl-S", "saves it to thrum.toml (or -config)"},
      {"paste", "a curl command fills the form"},
      {"F1", "these keys"},
      {"esc Ctrl-C", "leaves; the command line stays"},
  }};
  keys_overlay(grid, kKeys);
}

void SetupForm::draw(Grid& grid) {
  if (grid.width() < kLeastWidth || grid.height() < kLeastHeight) {
    const std::string text = fmt::format("{}×{} is too small: {}×{} needed", grid.width(), grid.height(), kLeastWidth, kLeastHeight);
    grid.text(std::max(0, (grid.width() - columns_of(text)) / 2), grid.height() / 2, text, kStrong);
    return;
  }
  int x = grid.text(1, 0, "thrum", kAccent);
  x = grid.text(x + 2, 0, "set up a run", kStrong);
  if (!source_.empty()) grid.text(x + 3, 0, printable(source_), kQuiet, grid.width() - x - 4);

  const int below = grid.height() >= 24 ? 5 : 4;  // lines of the command's card
  const Area body{0, 1, grid.width(), grid.height() - below - 4};
  const int left = grid.width() * 11 / 20, right = grid.width() - left;
  std::array<std::vector<Row>, kSections> sections{rows(0, left - 2), rows(1, right - 2), rows(2, right - 2)};
  const int right_rows = static_cast<int>(sections[1].size() + sections[2].size()) + 4;
  if (grid.width() >= kWidthForCards && body.height >= right_rows) {
    const int load = static_cast<int>(sections[1].size()) + 2;
    draw_rows(grid, card(grid, {0, body.y, left, body.height}, kSectionNames[0]), sections[0]);
    draw_rows(grid, card(grid, {left, body.y, grid.width() - left, load}, kSectionNames[1]), sections[1]);
    draw_rows(grid, card(grid, {left, body.y + load, grid.width() - left, body.height - load}, kSectionNames[2]), sections[2]);
  } else {
    std::vector<Row> all;
    for (int i = 0; i < kSections; ++i) {
      all.push_back({nullptr, std::string(kSectionNames[static_cast<std::size_t>(i)]), kAccent});
      for (Row& row : rows(i, body.width - 2)) all.push_back(std::move(row));
    }
    draw_rows(grid, {body.x + 1, body.y, body.width - 2, body.height}, all);
  }

  int y = body.y + body.height;
  const bool has_message = !message_.empty();
  const std::string_view words = has_message ? std::string_view(message_) : about(visible()[focus_]->id).hint;
  for (const std::string& line : wrapped(words, grid.width() - 2, 2))
    grid.text(1, y++, line, has_message ? Style{message_tone_} : kQuiet, grid.width() - 2);
  draw_command(grid, {0, grid.height() - 1 - below, grid.width(), below});
  chips(grid, grid.height() - 1,
        {{"↑ ↓", "field"}, {"^S", "save"}, {"^T", "try once"}, {"enter", "start"}, {"F1", "keys"}, {"esc", "quit"}});

  const Area middle{2, 2, grid.width() - 4, grid.height() - 4};
  if (overlay_ == Overlay::help) draw_help(grid);
  if (overlay_ == Overlay::answer) {
    panel_.draw(grid, middle);
    grid.fill({0, grid.height() - 1, grid.width(), 1}, {});
    chips(grid, grid.height() - 1, {{"↑ ↓", "scroll"}, {"esc", "back to the form"}});
  }
  if (overlay_ == Overlay::testing) {
    const Area box{(grid.width() - 44) / 2, grid.height() / 2 - 1, 44, 3};
    grid.fill(box, {});
    const Area inside = card(grid, box, "One request");
    grid.text(inside.x + 1, inside.y, "sent; waiting for the answer (esc: enough)", kStrong, inside.width - 2);
  }
}

}  // namespace thrum::ui
