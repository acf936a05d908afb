#include "ui/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace thrum::ui {
namespace {

// The other page, no cursor, no wrapping at the last column, the wheel of the mouse, pastes told apart from typing.
constexpr std::string_view kTake = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[H";
constexpr std::string_view kGiveBack = "\x1b[0m\x1b[?2004l\x1b[?1006l\x1b[?1000l\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::array<int, 6> kCrashes{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT};
constexpr int kGiveBackWithin = 200;  // ms: a terminal that is stopped (Ctrl-S) is not waited for longer

// What a handler of a crash needs, and nothing but.
std::atomic<int> taken_fd{-1};
termios before_it;
std::array<struct sigaction, kCrashes.size()> actions_before;

void restore(int fd) {
  std::string_view bytes = kGiveBack;
  pollfd ready{fd, POLLOUT, 0};
  while (!bytes.empty() && ::poll(&ready, 1, kGiveBackWithin) == 1) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR && errno != EAGAIN) break;
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  tcsetattr(fd, TCSANOW, &before_it);
}

void on_crash(int signal) {
  const int saved = errno;
  if (const int fd = taken_fd.exchange(-1); fd >= 0) restore(fd);
  errno = saved;
  // What would have happened without us: its handler was reset (SA_RESETHAND).
  ::raise(signal);
}

void watch_for_crashes() {
  struct sigaction action{};
  action.sa_handler = on_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) sigaction(kCrashes[i], &action, &actions_before[i]);
}

}  // namespace

Expected<std::unique_ptr<Terminal>> Terminal::take() {
  std::array<char, 256> name{};
  if (::ttyname_r(STDOUT_FILENO, name.data(), name.size()) != 0) return failure("stdout is no terminal");
  Fd fd(::open(name.data(), O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (fd.get() < 0) return failure(fmt::format("can't open the terminal {}: {}", name.data(), std::strerror(errno)));
  if (tcgetattr(fd.get(), &before_it) != 0) return failure(fmt::format("can't ask the terminal {}: {}", name.data(), std::strerror(errno)));
  std::unique_ptr<Terminal> terminal(new Terminal(std::move(fd)));
  taken_fd = terminal->fd();
  watch_for_crashes();
  termios raw = before_it;
  raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(terminal->fd(), TCSANOW, &raw);
  terminal->write(kTake);
  return terminal;
}

Terminal::~Terminal() { give_back(); }

void Terminal::give_back() {
  const int fd = taken_fd.exchange(-1);
  if (fd < 0) return;
  rest_.clear();
  restore(fd);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) sigaction(kCrashes[i], &actions_before[i], nullptr);
}

TerminalSize Terminal::size() const {
  winsize size{};
  if (::ioctl(fd(), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

bool Terminal::write(std::string_view bytes) {
  rest_ += bytes;
  std::size_t done = 0;
  while (done < rest_.size()) {
    const ssize_t n = ::write(fd(), rest_.data() + done, rest_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  rest_.erase(0, done);
  return rest_.empty();
}

std::string Terminal::read(bool& is_gone) {
  std::array<char, 512> bytes;
  const ssize_t n = ::read(fd(), bytes.data(), bytes.size());
  is_gone = n < 0 && errno == EIO;
  return n > 0 ? std::string(bytes.data(), static_cast<std::size_t>(n)) : std::string();
}

}  // namespace thrum::ui
