// The monotonic clock. Everything that waits or measures uses it; wall-clock times are start + offset.
#pragma once

#include <chrono>

#include "thrum/result.hpp"  // Nanos

namespace thrum {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC, nanoseconds, by the vDSO
using Instant = Clock::time_point;

inline Instant now() { return Clock::now(); }
inline constexpr Instant kNever = Instant::max();

}  // namespace thrum
