#include "host/tcp.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "host/kernel_text.hpp"

namespace thrum::host {
namespace {

constexpr unsigned kListening = 10;  // TCP_LISTEN

std::string word_in(const std::string& path) {
  const std::string text = read_text(path);
  return std::string(trim(text));
}

std::optional<std::uint64_t> number_in(const std::string& path) { return number<std::uint64_t>(word_in(path)); }

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value) : std::nullopt;
}

void take_tighter(std::optional<Listener>& least, const Listener& other) {
  const auto left = [](const Listener& l) { return l.room.value_or(UINT64_MAX) - std::min(l.waiting, l.room.value_or(UINT64_MAX)); };
  if (!least || left(other) < left(*least) || (left(other) == left(*least) && other.waiting > least->waiting)) least = other;
}

struct Question {
  nlmsghdr head{};
  inet_diag_req_v2 asked{};
};

// One datagram of the kernel's answer. False: it was the last.
bool take_answers(const char* bytes, std::size_t size, std::uint16_t port, std::optional<Listener>& least) {
  while (size >= sizeof(nlmsghdr)) {
    nlmsghdr head;
    std::memcpy(&head, bytes, sizeof head);
    if (head.nlmsg_len < sizeof head || head.nlmsg_len > size || head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR)
      return false;
    inet_diag_msg said;
    if (head.nlmsg_len >= sizeof head + sizeof said) {
      std::memcpy(&said, bytes + sizeof head, sizeof said);
      if (ntohs(said.id.idiag_sport) == port) take_tighter(least, {said.idiag_rqueue, said.idiag_wqueue});
    }
    const std::size_t whole = std::min<std::size_t>(size, (head.nlmsg_len + 3U) & ~std::size_t{3});
    bytes += whole;
    size -= whole;
  }
  return true;
}

// What ss asks: sock_diag(7).
void ask_kernel(std::uint8_t family, std::uint16_t port, std::optional<Listener>& least) {
  const Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket.is_open()) return;
  const timeval patience{1, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  Question question;
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.asked.sdiag_family = family;
  question.asked.sdiag_protocol = IPPROTO_TCP;
  question.asked.idiag_states = 1U << kListening;
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  if (sendto(socket.get(), &question, sizeof question, 0, reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel) < 0) return;
  std::array<char, 32 * 1024> answer;
  for (;;) {
    const ssize_t n = recv(socket.get(), answer.data(), answer.size(), 0);
    if (n <= 0 || !take_answers(answer.data(), static_cast<std::size_t>(n), port, least)) return;
  }
}

}  // namespace

TcpSettings tcp_settings(const std::string& root) {
  const std::string net = root + "/proc/sys/net/";
  return {number_in(net + "ipv4/tcp_tw_reuse"), number_in(net + "ipv4/tcp_timestamps"), number_in(net + "core/somaxconn"),
          word_in(net + "ipv4/tcp_congestion_control")};
}

// "TCP: inuse 5 orphan 0 tw 12 alloc 7 mem 1"
std::optional<std::uint64_t> time_waits(const std::string& root) {
  const std::string text = read_text(root + "/proc/net/sockstat");
  for (const std::string_view line : split(text, "\n")) {
    const auto words = split(line, " ");
    if (words.empty() || words[0] != "TCP:") continue;
    const auto found = std::ranges::find(words, "tw");
    if (words.end() - found > 1) return number<std::uint64_t>(*(found + 1));
  }
  return std::nullopt;
}

// "  0: 0100007F:1F90 00000000:0000 0A 00000000:00000003 …": address and port, the peer's, state, queues out and in.
std::optional<Listener> listener_in(const std::string& table, std::uint16_t port) {
  std::optional<Listener> least;
  for (const std::string_view line : split(table, "\n")) {
    const auto words = split(line, " ");
    if (words.size() < 5 || hexadecimal(words[3]) != kListening) continue;
    const std::size_t colon = words[1].rfind(':'), queues = words[4].find(':');
    if (colon == words[1].npos || queues == words[4].npos || hexadecimal(words[1].substr(colon + 1)) != port) continue;
    if (const auto waiting = hexadecimal(words[4].substr(queues + 1))) take_tighter(least, {*waiting, std::nullopt});
  }
  return least;
}

std::optional<Listener> listener_on(std::uint16_t port, const std::string& root) {
  std::optional<Listener> least;
  if (root.empty())
    for (const int family : {AF_INET, AF_INET6}) ask_kernel(static_cast<std::uint8_t>(family), port, least);
  if (least) return least;
  for (const char* name : {"/proc/net/tcp", "/proc/net/tcp6"})
    if (const auto found = listener_in(read_text(root + name), port)) take_tighter(least, *found);
  return least;
}

}  // namespace thrum::host
