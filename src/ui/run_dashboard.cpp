#include "ui/run_dashboard.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/clock.hpp"

namespace thrum::ui {
namespace {

constexpr std::chrono::milliseconds kFrame{100}, kEscape{50};
constexpr int kWholeEvery = 10;  // frames: others may have written to the terminal

}  // namespace

Expected<std::unique_ptr<RunDashboard>> RunDashboard::open(RunView view, Palette palette, std::function<bool(RunCommand)> asked) {
  auto terminal = Terminal::take();
  if (!terminal) return std::unexpected(terminal.error());
  return std::unique_ptr<RunDashboard>(new RunDashboard(std::move(*terminal), std::move(view), palette, std::move(asked)));
}

RunDashboard::RunDashboard(std::unique_ptr<Terminal> terminal, RunView view, Palette palette, std::function<bool(RunCommand)> asked)
    : terminal_(std::move(terminal)),
      asked_(std::move(asked)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      view_(std::move(view)),
      writer_(palette) {
  // Signals are for the thread that runs the program.
  sigset_t all, before;
  sigfillset(&all);
  for (const int crash : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, crash);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { loop(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RunDashboard::~RunDashboard() { close(); }

void RunDashboard::close() {
  leave();
  if (thread_.joinable()) thread_.join();
  terminal_->give_back();
}

void RunDashboard::leave() noexcept {
  const int saved = errno;
  has_left_.store(true);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = ::write(wake_.get(), &one, sizeof one);
  errno = saved;
}

void RunDashboard::update(const std::function<void(RunView&)>& change) {
  const std::lock_guard lock(mutex_);
  const bool was_over = view_.is_over();
  change(view_);
  if (view_.is_over() && !was_over) {  // drawn once more
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(wake_.get(), &one, sizeof one);
  }
}

std::optional<RecentResult> RunDashboard::picked() {
  const std::lock_guard lock(mutex_);
  const RecentResult* const picked = screen_.picked(view_);
  return picked == nullptr ? std::nullopt : std::optional(*picked);
}

RunWatch RunDashboard::watch() {
  const std::lock_guard lock(mutex_);
  return view_.watch;
}

void RunDashboard::copy(std::string_view text) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "\x1b]52;c;";
  for (std::size_t i = 0; i < text.size(); i += 3) {
    const std::string_view part = text.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < part.size() ? static_cast<unsigned char>(part[k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= part.size() ? kDigits[bits >> (18 - 6 * k) & 63u] : '=';
  }
  terminal_->write(out + '\a');
}

void RunDashboard::wait_until_left() {
  if (thread_.joinable()) thread_.join();
}

void RunDashboard::loop() {
  pthread_setname_np(pthread_self(), "thrum-screen");
  Instant next_frame = now();
  bool is_changed = true;
  while (!has_left_.load()) {
    const TerminalSize size = terminal_->size();
    is_changed = is_changed || !(size == size_);
    size_ = size;
    bool is_over = false;
    {
      const std::lock_guard lock(mutex_);
      is_over = view_.is_over();
    }
    if ((is_changed || (!is_over && now() >= next_frame)) && !terminal_->has_rest()) {
      draw();
      is_changed = false;
      next_frame = now() + kFrame;
    }
    pollfd fds[2]{{terminal_->fd(), static_cast<short>(POLLIN | (terminal_->has_rest() ? POLLOUT : 0)), 0}, {wake_.get(), POLLIN, 0}};
    const auto wait = keys_.waits() ? kEscape : kFrame;
    const int ready = ::poll(fds, 2, static_cast<int>(wait.count()));
    if (ready == 0 && keys_.waits()) is_changed = read_keys() || is_changed;
    if ((fds[0].revents & POLLOUT) != 0) terminal_->flush();
    if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) is_changed = read_keys() || is_changed;
    if ((fds[1].revents & POLLIN) != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto n = ::read(wake_.get(), &count, sizeof count);
      is_changed = true;
    }
  }
}

// Whether anything was typed.
bool RunDashboard::read_keys() {
  bool is_gone = false;
  const std::string bytes = terminal_->read(is_gone);
  std::vector<Key> keys;
  bytes.empty() ? keys_.pause(keys) : keys_.feed(bytes, keys);
  for (const Key& key : keys) {
    RunCommand command = RunCommand::none;
    {
      const std::lock_guard lock(mutex_);
      if (view_.is_over()) view_.notice.clear();  // it was read; what goes on takes it away in time
      command = screen_.press(key, view_);
    }
    if (has_left_.load()) break;  // what was typed behind it is for nobody
    if (command != RunCommand::none && asked_(command) && is_leaving(command)) has_left_.store(true);
  }
  if (is_gone && !has_left_.exchange(true)) asked_(RunCommand::leave);
  return !keys.empty();
}

void RunDashboard::draw() {
  Grid grid(size_.width, size_.height);
  {
    const std::lock_guard lock(mutex_);
    screen_.draw(grid, view_);
  }
  if (++frame_ % kWholeEvery == 0) writer_.rewrite();
  terminal_->write(writer_.differences(grid));
}

}  // namespace thrum::ui
