// The floor with epoll: what one send and one receive per request cost, and nothing else. One thread.
#include <sys/epoll.h>

#include <array>
#include <cerrno>

#include "request.hpp"

using namespace thrum::bench;

int main(int argc, char** argv) {
  const Plan plan = plan_from(argc, argv);
  const int epoll = ::epoll_create1(0);
  std::vector<std::size_t> left;  // of the answer, by descriptor
  std::vector<int> all;
  for (int i = 0; i < plan.connections; ++i) {
    const int fd = connected(plan.port);
    all.push_back(fd);
    left.resize(std::max<std::size_t>(left.size(), static_cast<std::size_t>(fd) + 1), plan.answer);
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.fd = fd}};
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
  for (const int fd : all) send_all(fd, plan.request);
  static std::array<char, 64 * 1024> buffer;
  std::array<epoll_event, 512> events;
  std::uint64_t done = 0;
  const auto end = std::chrono::steady_clock::now() + plan.time;
  while (std::chrono::steady_clock::now() < end) {
    const int n = ::epoll_wait(epoll, events.data(), events.size(), 100);
    for (int i = 0; i < n; ++i) {
      const int fd = events[i].data.fd;
      std::size_t& to_come = left[static_cast<std::size_t>(fd)];
      for (ssize_t got = buffer.size(); got == static_cast<ssize_t>(buffer.size());) {
        got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN) break;
        if (got <= 0) refuse("floor: recv");
        to_come -= static_cast<std::size_t>(got);
        if (to_come > 0) continue;
        ++done;
        to_come = plan.answer;
        send_all(fd, plan.request);
      }
    }
  }
  std::printf("%llu\n", static_cast<unsigned long long>(done));
}
