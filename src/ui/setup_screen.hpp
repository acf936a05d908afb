// A setup form on the terminal, on its owner's thread: it is drawn when something was typed, the terminal was resized or somebody woke it.
#pragma once

#include <atomic>
#include <memory>

#include "base/fd.hpp"
#include "ui/cell_writer.hpp"
#include "ui/setup_form.hpp"
#include "ui/terminal.hpp"

namespace thrum::ui {

class SetupScreen {
 public:
  // Takes the terminal of stdout, and gives it back in the end.
  static Expected<std::unique_ptr<SetupScreen>> open(Palette palette);

  // Until the person asks for something, or wake() was called (`none`). `leave` is asked for also when the terminal is gone.
  SetupCommand ask(SetupForm& form);
  // From any thread, and from a signal handler.
  void wake() noexcept;

 private:
  SetupScreen(std::unique_ptr<Terminal> terminal, Palette palette);
  void draw(SetupForm& form);

  std::unique_ptr<Terminal> terminal_;
  Fd wake_;
  CellWriter writer_;
  KeyReader keys_;
  std::vector<Key> typed_;  // not yet pressed
  TerminalSize size_;
};

}  // namespace thrum::ui
