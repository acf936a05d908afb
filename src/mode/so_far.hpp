// The books of an attack that is not over, or that failed, as far as its live figures have them.
#pragma once

#include "thrum/attacker.hpp"

namespace thrum::mode {

inline Summary so_far(const Progress& p) {
  Summary summary;
  summary.books = {.scheduled = p.sent + p.missed, .sent = p.sent, .missed = p.missed, .ok = p.ok, .failed = p.sent - p.ok, .cut = 0};
  summary.connections.opened = p.connections_opened;
  summary.started = p.started;
  summary.elapsed = summary.sending = p.elapsed;
  summary.busiest_shard = p.busiest_shard;
  return summary;
}

}  // namespace thrum::mode
