// The form by which a person at a terminal sets up a run: wired to whoever reads command lines, and to a request that is sent once to
// see what comes. It keeps what was typed from one run to the next.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mode/run.hpp"
#include "ui/setup_form.hpp"
#include "ui/setup_screen.hpp"

namespace thrum::mode {

// Each is given a command line without "thrum"; errors are those that the line would give.
struct SetupHooks {
  std::function<Expected<void>(std::span<const std::string>)> start;        // make the run ready
  std::function<Expected<RunRequest>(std::span<const std::string>)> read;   //
  std::function<Expected<std::string>(std::span<const std::string>)> save;  // to the file of settings; says what it did
};

class RunSetup {
 public:
  // `source`: the file that was read, for the form's head; empty: none.
  RunSetup(const ui::FlagValues& settled, const ui::FlagValues& typed, const std::string& source, SetupHooks hooks);

  ~RunSetup();

  // Shows the form until the run is ready to start (true), or the person has left.
  Expected<bool> ask();
  // From a signal handler: the form goes away.
  void leave() noexcept;

  // Empty: nothing was typed.
  std::string command_line() const;

 private:
  class Shot;

  bool carry_out(ui::SetupCommand command, ui::SetupScreen& screen);
  void test(ui::SetupScreen& screen);
  void look_at_shot();
  void read_curl();
  void save();
  void complain(const Error& error);

  SetupHooks hooks_;
  ui::SetupForm form_;
  std::unique_ptr<Shot> shot_;
  std::atomic<ui::SetupScreen*> to_leave_{nullptr};
  std::atomic<bool> has_left_{false};
};

}  // namespace thrum::mode
