// Time that passes at the end of a run, unless somebody ends it.
#pragma once

#include "base/fd.hpp"
#include "thrum/result.hpp"  // Nanos

namespace thrum::mode {

class Linger {
 public:
  Linger();
  // Returns when `time` has passed or end() was called, now or before.
  void wait(Nanos time);
  void end() noexcept;  // from any thread and from a signal handler

 private:
  Fd event_;
};

}  // namespace thrum::mode
