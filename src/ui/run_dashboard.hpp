// A run's screen on the terminal, on a thread of its own: it draws ten times a second while the run goes on, afterwards only when
// something is typed or resized, and never waits for a terminal that takes nothing: frames are left out.
//
// What is known of the run comes by update(), from any one thread; what the person asks for goes out by `asked`, on the dashboard's.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "base/fd.hpp"
#include "ui/cell_writer.hpp"
#include "ui/run_screen.hpp"
#include "ui/terminal.hpp"

namespace thrum::ui {

class RunDashboard {
 public:
  // Takes the terminal of stdout. `asked` says whether it will be done; `leave` is asked for also when the terminal is gone.
  static Expected<std::unique_ptr<RunDashboard>> open(RunView view, Palette palette, std::function<bool(RunCommand)> asked);
  ~RunDashboard();
  RunDashboard(const RunDashboard&) = delete;
  RunDashboard& operator=(const RunDashboard&) = delete;

  void update(const std::function<void(RunView&)>& change);
  // The line of Requests that is picked, as it is now; none: none is.
  std::optional<RecentResult> picked();
  // What there is to export, copied: the run goes on.
  RunWatch watch();
  // Into the clipboard of whoever sits at the terminal, if it takes that (OSC 52). On the dashboard's thread: from `asked`.
  void copy(std::string_view text);
  // Until the person, or leave(), has left.
  void wait_until_left();
  bool has_left() const { return has_left_.load(); }
  // From any thread and from a signal handler: the screen goes away.
  void leave() noexcept;
  // Gives the terminal back.
  void close();

 private:
  RunDashboard(std::unique_ptr<Terminal> terminal, RunView view, Palette palette, std::function<bool(RunCommand)> asked);
  void loop();
  bool read_keys();
  void draw();

  std::unique_ptr<Terminal> terminal_;
  std::function<bool(RunCommand)> asked_;
  Fd wake_;
  std::mutex mutex_;  // of what follows
  RunView view_;
  RunScreen screen_;
  // Of the thread.
  CellWriter writer_;
  KeyReader keys_;
  TerminalSize size_;
  int frame_ = 0;
  std::atomic<bool> has_left_{false};
  std::thread thread_;
};

}  // namespace thrum::ui
