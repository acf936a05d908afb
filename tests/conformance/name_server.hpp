// A name server on loopback for whom every name is 127.0.0.1, and which counts how often it is asked. A thread of its own; it shares
// no code with what it tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace thrum::golden {

class NameServer {
 public:
  NameServer() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&at), size) == 0) ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~NameServer() {
    ::shutdown(socket_, SHUT_RDWR);  // ends a recvfrom() that waits, on Linux
    thread_.join();
    ::close(socket_);
  }
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::size_t questions() const { return questions_; }  // for IPv4 addresses

 private:
  void serve() {
    char bytes[1500];
    sockaddr_in from{};
    for (;;) {
      socklen_t size = sizeof from;
      const ssize_t n = ::recvfrom(socket_, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (n < 17) return;
      std::string reply(bytes, static_cast<std::size_t>(n));
      const std::size_t end = reply.find('\0', 12) + 5;  // after the question
      const bool is_v4 = reply[end - 3] == 1;
      reply.resize(end);  // RFC 1035, section 4.1.1: the flags, one question, one answer or none
      reply.replace(2, 10, std::string("\x81\x80\x00\x01\x00", 5) + static_cast<char>(is_v4) + std::string(4, '\0'));
      if (is_v4) {
        ++questions_;
        reply += std::string("\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00\x01", 16);
      }
      (void)::sendto(socket_, reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&from), size);
    }
  }

  const int socket_;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> questions_{0};
  std::thread thread_;
};

}  // namespace thrum::golden
