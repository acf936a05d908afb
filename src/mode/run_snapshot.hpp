// A file that holds the report of a run as it stands: written again and again while the run goes on, and at its end. Whoever reads it
// finds a whole report at any time, as each takes the place of the last at once.
#pragma once

#include <string>
#include <string_view>

#include "thrum/error.hpp"
#include "thrum/result.hpp"  // Nanos

namespace thrum::mode {

class RunSnapshot {
 public:
  RunSnapshot(std::string file, Nanos every) : file_(std::move(file)), every_(every), due_(every) {}

  // Whether writing would work and do no harm.
  Expected<void> check() const;
  // Whether it is time for the next, so long after the run's start; once for each.
  bool is_due(Nanos elapsed);
  Expected<void> write(std::string_view text) const;

 private:
  std::string file_;
  Nanos every_, due_;
};

}  // namespace thrum::mode
