#include "host/timer_error.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <vector>

namespace thrum::host {
namespace {

void sleep_until(Instant t) {
  const Nanos since = t.time_since_epoch();
  const timespec until{since.count() / 1'000'000'000, since.count() % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace

std::optional<TimerError> timer_error(const TimerTrial& trial, const std::function<void(Instant)>& sleep_until,
                                      const std::function<Instant()>& clock) {
  std::vector<Nanos> late;
  const Instant begin = clock();
  for (Instant t = begin; late.size() < trial.sleeps && t - begin < trial.most;) {
    const Instant due = t + trial.each;
    sleep_until(due);
    t = clock();
    if (t >= due) late.push_back(t - due);  // else something woke it before
  }
  if (late.empty()) return std::nullopt;
  std::ranges::sort(late);
  const auto at = [&](std::size_t percent) { return late[std::min(late.size() - 1, late.size() * percent / 100)]; };
  return TimerError{at(50), at(99), late.back()};
}

std::optional<TimerError> timer_error(const TimerTrial& trial) {
  const int slack = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, 1);
  const auto error = timer_error(trial, sleep_until, now);
  if (slack > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack));
  return error;
}

}  // namespace thrum::host
