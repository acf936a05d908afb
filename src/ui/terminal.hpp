// The terminal while a screen is on it: raw input, another page, no cursor; and all of that taken back however the program ends. What is
// written never waits: the terminal is opened anew, so that the flags of stdout, which others share, stay as they are.
//
// One at a time in a process. take() and give_back() are for the thread that owns it; a crash gives it back from the handler.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "thrum/error.hpp"

namespace thrum::ui {

struct TerminalSize {
  int width = 80, height = 24;
  bool operator==(const TerminalSize&) const = default;
};

class Terminal {
 public:
  // Of stdout; keys come from there, too, so stdin may be a pipe.
  static Expected<std::unique_ptr<Terminal>> take();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int fd() const { return fd_.get(); }
  TerminalSize size() const;
  // As much as it takes now; the rest stays for the next call. False: there is a rest.
  bool write(std::string_view bytes);
  bool flush() { return write({}); }
  bool has_rest() const { return !rest_.empty(); }
  // What was typed, as bytes; empty if nothing was. `is_gone`: the terminal is.
  std::string read(bool& is_gone);
  // Back to how it was. Harmless when done before.
  void give_back();

 private:
  explicit Terminal(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
  std::string rest_;
};

}  // namespace thrum::ui
