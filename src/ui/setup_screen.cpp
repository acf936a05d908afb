#include "ui/setup_screen.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace thrum::ui {
namespace {

// A resize is seen, and what others wrote to the terminal is written over.
constexpr std::chrono::milliseconds kLook{200}, kEscape{50};
constexpr int kWholeEvery = 5;  // looks

}  // namespace

Expected<std::unique_ptr<SetupScreen>> SetupScreen::open(Palette palette) {
  auto terminal = Terminal::take();
  if (!terminal) return std::unexpected(terminal.error());
  return std::unique_ptr<SetupScreen>(new SetupScreen(std::move(*terminal), palette));
}

SetupScreen::SetupScreen(std::unique_ptr<Terminal> terminal, Palette palette)
    : terminal_(std::move(terminal)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), writer_(palette) {}

void SetupScreen::wake() noexcept {
  const int saved = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = ::write(wake_.get(), &one, sizeof one);
  errno = saved;
}

void SetupScreen::draw(SetupForm& form) {
  if (terminal_->has_rest()) return;
  Grid grid(size_.width, size_.height);
  form.draw(grid);
  terminal_->write(writer_.differences(grid));
}

SetupCommand SetupScreen::ask(SetupForm& form) {
  size_ = terminal_->size();
  for (int looks = 1;; ++looks) {
    while (!typed_.empty()) {
      const Key key = std::move(typed_.front());
      typed_.erase(typed_.begin());
      if (const SetupCommand command = form.press(key); command != SetupCommand::none) return command;
    }
    draw(form);
    pollfd fds[2]{{terminal_->fd(), static_cast<short>(POLLIN | (terminal_->has_rest() ? POLLOUT : 0)), 0}, {wake_.get(), POLLIN, 0}};
    const int ready = ::poll(fds, 2, static_cast<int>((keys_.waits() ? kEscape : kLook).count()));
    size_ = terminal_->size();
    if (looks % kWholeEvery == 0) writer_.rewrite();
    if (ready == 0 && keys_.waits()) keys_.pause(typed_);
    if ((fds[0].revents & POLLOUT) != 0) terminal_->flush();
    if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      bool is_gone = false;
      const std::string bytes = terminal_->read(is_gone);
      if (is_gone) return SetupCommand::leave;
      keys_.feed(bytes, typed_);
    }
    if ((fds[1].revents & POLLIN) != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto n = ::read(wake_.get(), &count, sizeof count);
      return SetupCommand::none;
    }
  }
}

}  // namespace thrum::ui
