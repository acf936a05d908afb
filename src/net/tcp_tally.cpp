#include "net/tcp_tally.hpp"

#include <linux/tcp.h>  // more of it than the C library's has
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>

namespace thrum::net {

std::optional<TcpInfo> tcp_info(int fd) {
  ::tcp_info said{};  // an older kernel fills less of it
  socklen_t size = sizeof said;
  if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &said, &size) != 0) return std::nullopt;
  TcpInfo info;
  info.data_segments_out = said.tcpi_data_segs_out;
  info.data_segments_in = said.tcpi_data_segs_in;
  info.retransmitted = said.tcpi_total_retrans;
  info.out_of_order = said.tcpi_rcv_ooopack;
  info.rtt = Nanos(std::int64_t{said.tcpi_rtt} * 1000);
  if (said.tcpi_min_rtt != UINT32_MAX) info.least_rtt = Nanos(std::int64_t{said.tcpi_min_rtt} * 1000);
  return info;
}

std::uint64_t syns_again(Nanos took) {
  const auto seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, took.count()) / 1'000'000'000);
  return static_cast<std::uint64_t>(std::bit_width(seconds + 1)) - 1;
}

void TcpTally::Totals::add(const Totals& other) {
  connections += other.connections;
  segments_out += other.segments_out;
  segments_in += other.segments_in;
  retransmitted += other.retransmitted;
  retransmitted_opening += other.retransmitted_opening;
  out_of_order += other.out_of_order;
  rtt_sum += other.rtt_sum;
  rtts += other.rtts;
  least_rtt = std::min(least_rtt, other.least_rtt);
}

bool TcpTally::may_ask(Instant t) {
  if (!is_sparing_) return true;
  if (asked_ != Instant::min()) left_ = std::min(kAtOnce, left_ + static_cast<double>((t - asked_).count()) / 1e9 * kPerSecond);
  asked_ = t;
  if (left_ < 1) return false;
  --left_;
  return true;
}

void TcpTally::ends(int fd, std::optional<Nanos> opening, Instant t) {
  if (!may_ask(t)) return;
  if (const auto info = tcp_info(fd)) add(*info, opening);
}

void TcpTally::look(int fd) {
  if (const auto info = tcp_info(fd)) add_rtt(*info);
}

void TcpTally::add(const TcpInfo& info, std::optional<Nanos> opening) {
  const std::uint64_t again = opening ? std::min(info.retransmitted, syns_again(*opening)) : info.retransmitted;
  ++totals_.connections;
  totals_.segments_out += info.data_segments_out + 1 + again;  // with its SYNs
  totals_.segments_in += info.data_segments_in;
  totals_.retransmitted += info.retransmitted;
  totals_.retransmitted_opening += again;
  totals_.out_of_order += info.out_of_order;
  if (opening) add_rtt(info);
}

void TcpTally::add_rtt(const TcpInfo& info) {
  if (info.rtt <= Nanos(0)) return;
  totals_.rtt_sum += static_cast<double>(info.rtt.count());
  ++totals_.rtts;
  if (info.least_rtt > Nanos(0)) totals_.least_rtt = std::min(totals_.least_rtt, info.least_rtt);
}

}  // namespace thrum::net
