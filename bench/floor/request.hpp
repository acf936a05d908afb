// What the floor clients share: their arguments, the one request they send, and how long its answer is.
//   floor_… PORT PATH CONNECTIONS SECONDS [BODY-BYTES]
// They learn the answer's length from the first one, and from then on count bytes: no parsing, no clock, no results. That is the point.
#pragma once
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace thrum::bench {

struct Plan {
  std::uint16_t port = 0;
  std::string request;
  int connections = 0;
  std::chrono::duration<double> time{};
  std::size_t answer = 0;  // bytes, head and body
};

[[noreturn]] inline void refuse(const char* what) {
  std::perror(what);
  std::exit(1);
}

inline int connected(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0), on = 1;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A server that doesn't answer is an error, not a wait for ever.
  const timeval patience{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) refuse("floor: connect");
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

inline void send_all(int fd, const std::string& bytes) {
  if (::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) refuse("floor: send");
}

// Asks once, and reads the length that all answers will have.
inline std::size_t answer_size(const Plan& plan) {
  const int fd = connected(plan.port);
  send_all(fd, plan.request);
  std::string head(4096, 0);
  std::size_t got = 0;
  while (got < head.size() && head.substr(0, got).find("\r\n\r\n") == std::string::npos) {
    const ssize_t n = ::recv(fd, head.data() + got, head.size() - got, 0);
    if (n <= 0) refuse("floor: first answer");
    got += static_cast<std::size_t>(n);
  }
  const char* length = std::strstr(head.c_str(), "Content-Length: ");
  if (length == nullptr) refuse("floor: no Content-Length");
  ::close(fd);
  return head.find("\r\n\r\n") + 4 + std::strtoull(length + 16, nullptr, 10);
}

inline Plan plan_from(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: %s PORT PATH CONNECTIONS SECONDS [BODY-BYTES]\n", argv[0]);
    std::exit(2);
  }
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const std::string body(argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 0, 'x');
  Plan plan;
  plan.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  plan.connections = std::atoi(argv[3]);
  plan.time = std::chrono::duration<double>(std::strtod(argv[4], nullptr));
  plan.request = (body.empty() ? "GET " : "POST ") + std::string(argv[2]) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
                 (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body;
  plan.answer = answer_size(plan);
  return plan;
}

}  // namespace thrum::bench
