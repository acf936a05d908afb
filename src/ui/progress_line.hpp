// Room ui: what a person watches while an attack runs. It must not know where numbers come from.
//
// One line of live figures: rewritten in place on a terminal, a line a second elsewhere. It never waits: a terminal that
// doesn't take the line (Ctrl-S) misses it.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "thrum/attacker.hpp"

namespace thrum::ui {

struct ProgressPlan {
  Nanos duration{0};    // 0: open-ended
  bool closed = false;  // no schedule: nothing is asked for, nothing can be missed
};

// "12s of 1m0s  asked 1200  sent 1200  answered 1198  in flight 2  ok 100.00 %  missed 0"
std::string progress_text(const ProgressPlan& plan, const Progress& progress);

class ProgressLine {
 public:
  // `fd` stays the caller's. `in_place`: it is a terminal.
  ProgressLine(int fd, bool in_place, ProgressPlan plan) : fd_(fd), in_place_(in_place), plan_(plan) {}

  // Shows `progress` when it is time to; call it as often as you like.
  void show(const Progress& progress, Instant now);
  // The same for any text of one line.
  void show(std::string text, Instant now);
  // Takes the line away, so that what comes next stands at the start of an empty one.
  void clear();

 private:
  void write(std::string_view text);

  int fd_;
  bool in_place_;
  ProgressPlan plan_;
  Instant next_{};         // not before
  std::size_t shown_ = 0;  // columns of the line that stands there
};

}  // namespace thrum::ui
