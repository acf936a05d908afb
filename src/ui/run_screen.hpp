// The screen of a run, drawn on a grid: a pure function of what is known of the run and of what the person has chosen to see. Keys turn
// that choice; what they ask of the run itself comes back as a command.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/findings.hpp"
#include "measure/run_watch.hpp"
#include "ui/grid.hpp"
#include "ui/keys.hpp"
#include "ui/request_query.hpp"
#include "ui/text_panel.hpp"

namespace thrum::ui {

enum class RunState : std::uint8_t { warming, running, paused, draining, done, stopped };

struct RunView {
  std::string method, url;                                      // the latter without passwords
  std::string load;                                             // "100 requests, 4 at once"
  std::uint64_t hits = 0;                                       // asked for; 0: no count
  Nanos duration{0};                                            // asked for; 0: no time
  std::vector<std::pair<std::string, std::string>> settings{};  // secrets masked

  RunState state = RunState::running;
  Nanos elapsed{0};  // pauses left out
  Nanos warmup_left{0};
  std::uint64_t warmup_sent = 0;
  std::uint64_t concurrency = 0;  // 0: no bound
  double rate = 0;                // asked for; 0: a closed loop
  std::uint64_t in_flight = 0, missed = 0;
  std::uint64_t connections_open = 0;
  double busy = 0;        // of the busiest sending thread
  std::string notice{};   // for a few seconds
  RunWatch watch{};       //
  Verdict verdict{};      // once it is over
  std::string summary{};  // likewise: "100 requests, 50/s, …"
  bool is_over() const { return state == RunState::done || state == RunState::stopped; }
};

enum class RunCommand : std::uint8_t {
  none,
  pause,
  more,  // at once
  fewer,
  faster,  // the rate
  slower,
  stop,
  again,
  edit,
  leave,
  // Files.
  export_json,
  export_markdown,
  export_html,
  export_csv,
  export_ndjson,
  export_svg,
  save_body,  // of the request that is open
  copy_curl
};
// Whether the screen goes away with it.
inline bool is_leaving(RunCommand command) {
  return command == RunCommand::leave || command == RunCommand::again || command == RunCommand::edit;
}

// What the person looks at.
class RunScreen {
 public:
  static constexpr int kLeastWidth = 60, kLeastHeight = 18;

  void draw(Grid& grid, const RunView& view);
  RunCommand press(const Key& key, const RunView& view);
  // The line of Requests that is picked; null: none is, or it is kept no longer.
  const RecentResult* picked(const RunView& view) const;

 private:
  enum class Tab : std::uint8_t { live, stats, requests };
  enum class Class : std::uint8_t { all, c2, c3, c4, c5, none, failed };
  enum class Slow : std::uint8_t { any, p50, p90, p99 };

  // run_screen.cpp
  int header(Grid& grid, const RunView& view) const;
  int verdict(Grid& grid, const RunView& view) const;
  void tabs(Grid& grid, int y) const;
  void footer(Grid& grid, const RunView& view) const;
  void help(Grid& grid);
  // run_live.cpp
  static void live(Grid& grid, Area area, const RunView& view);
  // run_stats.cpp
  static void stats(Grid& grid, Area area, const RunView& view);
  // run_requests.cpp
  void requests(Grid& grid, Area area, const RunView& view);
  bool press_in_requests(const Key& key, const RunView& view);
  bool press_in_search(const Key& key);
  void clear_filter();
  bool step(int by, const RunView& view, bool only_kept);
  // run_inspector.cpp
  void inspector(Grid& grid, Area area, const RunView& view);
  bool press_in_inspector(const Key& key, const RunView& view);
  // run_export.cpp
  void export_menu(Grid& grid, const RunView& view) const;
  static RunCommand press_in_export(const Key& key);
  bool fits(const RecentResult& result, const RunView& view) const;
  std::vector<std::size_t> shown(const RunView& view) const;
  bool has_filter() const { return class_ != Class::all || slow_ != Slow::any || only_failed_ || !query_.empty(); }

  Tab tab_ = Tab::live;
  bool has_help_ = false, is_help_made_ = false, has_export_ = false;
  TextPanel help_;
  Class class_ = Class::all;
  Slow slow_ = Slow::any;
  bool only_failed_ = false;
  std::string search_;                   // as typed …
  RequestQuery query_;                   // … as it holds: the last that made sense, …
  std::string held_;                     // … which was this
  std::string search_fault_;             // what is wrong with search_
  bool is_typing_ = false;               // into search_, or into found_ in the inspector
  std::optional<std::uint64_t> picked_;  // the seq of the line; none: the newest is followed
  bool is_open_ = false;                 // the inspector
  bool is_raw_ = false;                  // its body is shown as it came
  std::string found_;                    // looked for in it
  TextPanel panel_;
  std::pair<std::uint64_t, bool> inspected_{UINT64_MAX, false};  // what the panel shows: seq, raw
  const KeptResponse* inspected_kept_ = nullptr;
  int page_ = 10;  // lines of the list when it was drawn last
};

// Shared by the parts of the screen.
std::string time_text(Nanos d);            // "1.24ms"
std::string count_text(std::uint64_t n);   // "12,345"
std::string bytes_text(std::uint64_t n);   // "1.2 MB"
std::string rate_text(double per_second);  // "1,234/s"
Tone tone_of(Level level);
// Of its share of good ones.
Tone tone_of_success(std::uint64_t ok, std::uint64_t ended);
// A box with a name in its upper edge; returns what is inside.
Area card(Grid& grid, Area area, std::string_view name);
// Keys and what they do, on one line. They drop from the left where it is narrow; the last two stay.
using Chip = std::pair<std::string_view, std::string_view>;
void chips(Grid& grid, int y, std::vector<Chip> all);
// Keys and what they do, in a box in the middle.
void keys_overlay(Grid& grid, std::span<const Chip> keys);
// In as few lines of so many columns as it takes; the last ends in an ellipsis where there is no room for more.
std::vector<std::string> wrapped(std::string_view text, int width, std::size_t most);

}  // namespace thrum::ui
