// The server's own books. One thread writes, any thread may read: relaxed atomics, no locked instruction.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace thrum::serve {

class Tally {
 public:
  void add(std::uint64_t n = 1) { value_.store(get() + n, std::memory_order_relaxed); }
  void take(std::uint64_t n = 1) { value_.store(get() - n, std::memory_order_relaxed); }
  void raise_to(std::uint64_t n) {
    if (n > get()) value_.store(n, std::memory_order_relaxed);
  }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct Counters {
  Tally connections_total, connections_open, connections_peak;
  Tally requests;                       // complete and well-formed, handed to the handler
  Tally responses;                      // answered; less than requests while some are in progress or left unanswered
  Tally in_progress, in_progress_peak;  // requests being answered
  Tally malformed;                      // requests refused by the parser or a limit
  Tally timed_out;                      // connections ended because the client was too slow
  Tally tls_failed;                     // handshakes that did not succeed
  Tally accept_errors;                  // for want of descriptors, usually
  Tally bytes_in, bytes_out;            // of HTTP: without TLS's own
  std::array<Tally, 600> by_status;     // responses, refused requests included
};

}  // namespace thrum::serve
