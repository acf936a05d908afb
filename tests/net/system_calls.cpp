#include "system_calls.hpp"

#include <liburing.h>

using thrum::net::system_calls;

// The names are the linker's.
extern "C" {
ssize_t __real_recv(int, void*, size_t, int);
ssize_t __real_send(int, const void*, size_t, int);
ssize_t __real_sendmsg(int, const msghdr*, int);
int __real_accept4(int, sockaddr*, socklen_t*, int);
int __real_connect(int, const sockaddr*, socklen_t);
int __real_socket(int, int, int);
int __real_epoll_ctl(int, int, int, epoll_event*);
int __real_io_uring_queue_init_params(unsigned, io_uring*, io_uring_params*);
int __real_epoll_pwait2(int, epoll_event*, int, const timespec*, const sigset_t*);

ssize_t __wrap_recv(int fd, void* into, size_t size, int flags) {
  if (system_calls.recv)
    if (const auto r = system_calls.recv(fd)) return *r;
  return __real_recv(fd, into, size, flags);
}
ssize_t __wrap_send(int fd, const void* from, size_t size, int flags) {
  if (system_calls.send)
    if (const auto r = system_calls.send(fd)) return *r;
  return __real_send(fd, from, size, flags);
}
ssize_t __wrap_sendmsg(int fd, const msghdr* message, int flags) {
  if (system_calls.send)
    if (const auto r = system_calls.send(fd)) return *r;
  return __real_sendmsg(fd, message, flags);
}
int __wrap_accept4(int fd, sockaddr* from, socklen_t* size, int flags) {
  if (system_calls.accept4)
    if (const auto r = system_calls.accept4(fd)) return static_cast<int>(*r);
  return __real_accept4(fd, from, size, flags);
}
int __wrap_connect(int fd, const sockaddr* to, socklen_t size) {
  if (system_calls.connect)
    if (const auto r = system_calls.connect(fd)) return static_cast<int>(*r);
  return __real_connect(fd, to, size);
}
int __wrap_socket(int family, int type, int protocol) {
  if (system_calls.socket)
    if (const auto r = system_calls.socket(type)) return static_cast<int>(*r);
  return __real_socket(family, type, protocol);
}
int __wrap_epoll_ctl(int epoll, int act, int fd, epoll_event* event) {
  if (system_calls.epoll_ctl && act == EPOLL_CTL_ADD)
    if (const auto r = system_calls.epoll_ctl(fd)) return static_cast<int>(*r);
  return __real_epoll_ctl(epoll, act, fd, event);
}
int __wrap_epoll_pwait2(int epoll, epoll_event* events, int size, const timespec* limit, const sigset_t* mask) {
  if (system_calls.epoll_pwait2)
    if (const auto r = system_calls.epoll_pwait2(epoll)) return static_cast<int>(*r);
  return __real_epoll_pwait2(epoll, events, size, limit, mask);
}
int __wrap_io_uring_queue_init_params(unsigned entries, io_uring* ring, io_uring_params* params) {
  if (system_calls.uring_setup)
    if (const auto r = system_calls.uring_setup()) return *r;
  return __real_io_uring_queue_init_params(entries, ring, params);
}
}
