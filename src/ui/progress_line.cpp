#include "ui/progress_line.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/duration.hpp"

namespace thrum::ui {
namespace {

constexpr std::chrono::milliseconds kInPlaceEvery{200}, kLineEvery{1000};

// Columns of the terminal, less one: a full last column makes some terminals wrap.
std::size_t columns(int fd) {
  struct winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1u : 79u;
}

// To the second; of a run that is over in a few, to the tenth.
Nanos rounded(Nanos elapsed, Nanos duration) {
  const bool is_short = duration > Nanos(0) && duration < std::chrono::seconds(10);
  const Nanos unit = is_short ? Nanos(std::chrono::milliseconds(100)) : Nanos(std::chrono::seconds(1));
  return elapsed - elapsed % unit;
}

}  // namespace

std::string progress_text(const ProgressPlan& plan, const Progress& p) {
  if (p.warmup_left > Nanos(0))
    return fmt::format("warming up, {} left  sent {}", format_duration(rounded(p.warmup_left, p.warmup_left)), p.sent);
  std::string out = format_duration(rounded(p.elapsed, plan.duration));
  if (plan.duration > Nanos(0)) out += fmt::format(" of {}", format_duration(plan.duration));
  if (!plan.closed) out += fmt::format("  asked {}", p.due);
  out += fmt::format("  sent {}  answered {}  in flight {}", p.sent, p.answered, p.in_flight);
  if (p.answered > 0) {
    // Cut, not rounded: 100.00 % means every one.
    const std::uint64_t hundredths = static_cast<std::uint64_t>(static_cast<unsigned __int128>(p.ok) * 10'000 / p.answered);
    out += fmt::format("  ok {}.{:02} %", hundredths / 100, hundredths % 100);
  }
  if (!plan.closed) out += fmt::format("  missed {}", p.missed);
  if (p.is_paused) out += "  paused";
  return out;
}

void ProgressLine::show(const Progress& progress, Instant now) {
  if (now >= next_) show(progress_text(plan_, progress), now);
}

void ProgressLine::show(std::string text, Instant now) {
  if (now < next_) return;
  next_ = now + (in_place_ ? kInPlaceEvery : kLineEvery);
  if (!in_place_) {
    write(text + '\n');
    return;
  }
  text.resize(std::min(text.size(), columns(fd_)));
  const std::size_t length = text.size();
  if (length < shown_) text.append(shown_ - length, ' ');  // blanks over what was longer: no escape codes needed
  write('\r' + text);
  shown_ = length;
}

void ProgressLine::clear() {
  if (shown_ == 0) return;
  write('\r' + std::string(std::min(shown_, columns(fd_)), ' ') + '\r');
  shown_ = 0;
}

void ProgressLine::write(std::string_view text) {
  struct pollfd ready{fd_, POLLOUT, 0};
  if (::poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) (void)!::write(fd_, text.data(), text.size());
}

}  // namespace thrum::ui
