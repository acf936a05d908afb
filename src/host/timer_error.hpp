// How much later than asked this machine wakes a thread that sleeps, as thrum's sending threads do.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "base/clock.hpp"

namespace thrum::host {

struct TimerError {
  Nanos p50{0}, p99{0}, max{0};
};

struct TimerTrial {
  std::size_t sleeps = 250;
  Nanos each{1'000'000};
  Nanos most{1'000'000'000};  // ends it, however few sleeps there were
};
// Sleeps on the calling thread, with the finest timers it may have. None: no sleep came to an end.
std::optional<TimerError> timer_error(const TimerTrial& trial = {});
// The same with another clock: `sleep_until` sleeps, `clock` tells the time.
std::optional<TimerError> timer_error(const TimerTrial& trial, const std::function<void(Instant)>& sleep_until,
                                      const std::function<Instant()>& clock);

}  // namespace thrum::host
