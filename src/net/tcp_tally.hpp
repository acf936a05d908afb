// What the kernel knows of TCP connections (TCP_INFO), added up for one thread: segments, those sent again, round trips.
//
// A connection is asked about when it ends. Where many end quickly only some are: asking costs a system call, and none is made
// per request.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/clock.hpp"

namespace thrum::net {

// Of one connection, since its beginning.
struct TcpInfo {
  std::uint64_t data_segments_out = 0;  // those sent again are in it
  std::uint64_t data_segments_in = 0;
  std::uint64_t retransmitted = 0;  // SYNs and data
  std::uint64_t out_of_order = 0;   // of those in: came before one that was sent earlier
  Nanos rtt{0}, least_rtt{0};       // 0: not measured yet
};
// None where `fd` is no TCP connection.
std::optional<TcpInfo> tcp_info(int fd);

// SYNs that were sent again when a connection took so long to come up: after 1 s, 3 s, 7 s, … (RFC 6298 section 2).
std::uint64_t syns_again(Nanos took);

class TcpTally {
 public:
  struct Totals {
    std::uint64_t connections = 0;  // asked about
    std::uint64_t segments_out = 0, segments_in = 0;
    std::uint64_t retransmitted = 0, retransmitted_opening = 0;  // of segments out; of these: before the connection was up
    std::uint64_t out_of_order = 0;                              // of segments in
    double rtt_sum = 0;                                          // ns
    std::uint64_t rtts = 0;
    Nanos least_rtt = kNone;
    static constexpr Nanos kNone = Nanos::max();

    Nanos mean_rtt() const { return rtts == 0 ? kNone : Nanos(static_cast<std::int64_t>(rtt_sum / static_cast<double>(rtts))); }
    void add(const Totals& other);
  };

  // At `t` a connection is about to be closed that took `opening` to come up; none: it never did.
  void ends(int fd, std::optional<Nanos> opening, Instant t);
  // A connection that carries requests: how long its round trips take now.
  void look(int fd);
  // From now on every connection that ends is asked about: the run is over.
  void spare_nothing() { is_sparing_ = false; }

  void add(const TcpInfo& info, std::optional<Nanos> opening);
  const Totals& totals() const { return totals_; }

 private:
  static constexpr double kAtOnce = 256, kPerSecond = 1000;  // questions

  bool may_ask(Instant t);
  void add_rtt(const TcpInfo& info);

  Totals totals_;
  bool is_sparing_ = true;
  double left_ = kAtOnce;
  Instant asked_ = Instant::min();
};

}  // namespace thrum::net
