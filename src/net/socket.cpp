#include "net/socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace thrum::net {
namespace {

int family_of(const Address& a) { return a.is_v6 ? AF_INET6 : AF_INET; }

void set_on(int fd, int level, int option) {
  const int on = 1;
  setsockopt(fd, level, option, &on, sizeof on);
}

std::uint16_t port_of(const sockaddr_storage& s) {
  return ntohs(s.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(s).sin6_port
                                       : reinterpret_cast<const sockaddr_in&>(s).sin_port);
}

bool bind_to(int fd, const Address& from) {
  sockaddr_storage at;
  const socklen_t size = fill_sockaddr(from, 0, at);
  return ::bind(fd, reinterpret_cast<sockaddr*>(&at), size) == 0;
}

Connecting gave_up(Connecting c) {
  c.error = errno;
  c.socket.reset();
  return c;
}

}  // namespace

Connecting start_connect(const Address& address, std::uint16_t port, const Address* from) {
  Connecting c{Fd(::socket(family_of(address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)), 0};
  if (!c.socket.is_open()) return gave_up(std::move(c));
  set_on(c.socket.get(), IPPROTO_TCP, TCP_NODELAY);
  if (from != nullptr) set_on(c.socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT);  // of both families
  if (from != nullptr && !bind_to(c.socket.get(), *from)) return gave_up(std::move(c));
  sockaddr_storage to;
  const socklen_t size = fill_sockaddr(address, port, to);
  // EINTR: the connection goes on in the background, as with EINPROGRESS.
  if (::connect(c.socket.get(), reinterpret_cast<sockaddr*>(&to), size) != 0 && errno != EINPROGRESS && errno != EINTR)
    return gave_up(std::move(c));
  return c;
}

Connecting start_connect(const std::string& unix_path) {
  Connecting c{Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)), 0};
  if (!c.socket.is_open()) return gave_up(std::move(c));
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const std::size_t length = std::min(unix_path.size(), longest_unix_path());
  std::memcpy(to.sun_path, unix_path.data(), length);
  std::size_t size = offsetof(sockaddr_un, sun_path) + length;
  // An abstract name begins with a zero and has its length's bytes, none more.
  if (unix_path.starts_with('@'))
    to.sun_path[0] = '\0';
  else
    ++size;
  if (::connect(c.socket.get(), reinterpret_cast<sockaddr*>(&to), static_cast<socklen_t>(size)) != 0 && errno != EINPROGRESS &&
      errno != EINTR)
    return gave_up(std::move(c));
  return c;
}

std::size_t longest_unix_path() { return sizeof(sockaddr_un::sun_path) - 1; }

bool is_out_of_ports(const Address& address, const Address* from) {
  const Fd probe(::socket(family_of(address), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe.is_open()) return false;
  if (from != nullptr && !bind_to(probe.get(), *from)) return false;
  sockaddr_storage to;
  const socklen_t size = fill_sockaddr(address, 9, to);  // nothing is sent: connecting a datagram socket only looks for a route
  return ::connect(probe.get(), reinterpret_cast<sockaddr*>(&to), size) == 0;
}

bool is_connected_to_itself(int fd, const Address& address, std::uint16_t port) {
  sockaddr_storage local{};
  socklen_t size = sizeof local;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size) != 0 || port_of(local) != port) return false;
  const auto own = address_of(reinterpret_cast<sockaddr*>(&local));
  return own && own->bytes == address.bytes;
}

Expected<Fd> listen_on(const Address& address, std::uint16_t port, bool share) {
  const auto fail = [&](const char* what, int error) {
    const std::string host = address.is_v6 ? "[" + format_address(address) + "]" : format_address(address);
    return failure(std::string(what) + " " + host + ":" + std::to_string(port) + ": " + std::strerror(error));
  };
  Fd fd(::socket(family_of(address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.is_open()) return fail("socket for", errno);
  set_on(fd.get(), SOL_SOCKET, SO_REUSEADDR);
  set_on(fd.get(), IPPROTO_TCP, TCP_NODELAY);  // inherited by what is accepted
  if (share) set_on(fd.get(), SOL_SOCKET, SO_REUSEPORT);
  if (address.is_v6) set_on(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY);
  sockaddr_storage at;
  const socklen_t size = fill_sockaddr(address, port, at);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&at), size) != 0) return fail("listen on", errno);
  if (::listen(fd.get(), SOMAXCONN) != 0) return fail("listen on", errno);
  return fd;
}

std::uint16_t local_port(int fd) {
  sockaddr_storage local{};
  socklen_t size = sizeof local;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size) == 0 ? port_of(local) : std::uint16_t{0};
}

}  // namespace thrum::net
