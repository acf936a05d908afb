#include "net/epoll_reactor.hpp"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "net/accepting.hpp"

namespace thrum::net {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr std::uint64_t kSkipAtOnce = 1 << 30;
constexpr int kEvents = 256;
constexpr int kReadsPerWake = 16;    // of one socket, so that a fast sender can't starve the others
constexpr int kAcceptsPerWake = 64;  // of one listener, likewise
// epoll's 64 bits of data: a socket's slot and generation, or kForeign and a descriptor.
constexpr std::uint64_t kForeign = std::uint64_t{1} << 63;

std::uint64_t data_of(std::uint32_t slot, std::uint32_t generation) { return std::uint64_t{generation} << 32 | slot; }

std::string errno_text(const char* what, int error) { return std::string(what) + ": " + std::strerror(error); }

}  // namespace

Expected<std::unique_ptr<Reactor>> EpollReactor::create() {
  Fd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.is_open()) return failure(errno_text("epoll_create1", errno));
  Fd wakeup(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakeup.is_open()) return failure(errno_text("eventfd", errno));
  epoll_event ev{};
  ev.events = EPOLLIN;
  ev.data.u64 = kForeign | static_cast<std::uint32_t>(wakeup.get());
  if (epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wakeup.get(), &ev) != 0) return failure(errno_text("epoll_ctl", errno));
  return std::unique_ptr<Reactor>(new EpollReactor(std::move(epoll), std::move(wakeup)));
}

// Uninitialised on purpose: only the pages that responses fill become resident.
EpollReactor::EpollReactor(Fd epoll, Fd wakeup) : epoll_(std::move(epoll)), wakeup_(std::move(wakeup)), buffer_(new char[kBufferBytes]) {}

SocketId EpollReactor::adopt(Fd socket, SocketHandler& handler, bool connecting) {
  const SocketId id = sockets_.take(std::move(socket));
  Socket& s = *sockets_.find(id);
  s.handler = &handler;
  s.connecting = connecting;
  enter(id, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  return id;
}

SocketId EpollReactor::listen(Fd socket, ListenHandler& handler) {
  const SocketId id = sockets_.take(std::move(socket));
  sockets_.find(id)->listener = &handler;
  enter(id, EPOLLIN | EPOLLET);
  return id;
}

// A user may watch only so many descriptors (fs.epoll.max_user_watches): a socket beyond them breaks, on the next turn.
void EpollReactor::enter(SocketId id, std::uint32_t mask) {
  Socket& s = *sockets_.find(id);
  epoll_event ev{};
  ev.events = mask;
  ev.data.u64 = data_of(id.slot, id.generation);
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, s.fd.get(), &ev) == 0) return;
  s.send_error = errno;
  doomed_.push_back(id);
}

void EpollReactor::tell_doomed() {
  std::vector<SocketId> list;
  list.swap(doomed_);
  for (const SocketId id : list) {
    Socket* s = sockets_.find(id);
    if (s == nullptr) continue;
    if (s->listener != nullptr)
      s->listener->on_accept_error(s->send_error);
    else if (s->connecting)
      s->handler->on_connected(s->send_error);
    else
      finish(id, s->send_error);
  }
}

SendOutcome EpollReactor::send(SocketId id, std::span<const char> head, std::span<const char> body) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return {SendOutcome::State::failed, ENOTCONN};
  assert(!is_sending(id));
  const SendOutcome outcome = s->unsent.begin(s->fd.get(), head, body, bytes_.out);
  if (outcome.state == SendOutcome::State::failed) {
    s->send_error = outcome.error;
    resumed_.push_back(id);  // what stands to be read, then the end
  }
  return outcome;
}

bool EpollReactor::is_sending(SocketId id) const {
  const Socket* s = sockets_.find(id);
  return s != nullptr && !s->unsent.is_empty();
}

void EpollReactor::skip(SocketId id, std::uint64_t n) {
  if (Socket* s = sockets_.find(id)) s->skip += n;
}

void EpollReactor::pause(SocketId id) {
  if (Socket* s = sockets_.find(id)) s->paused = true;
}

void EpollReactor::resume(SocketId id) {
  Socket* s = sockets_.find(id);
  if (s == nullptr || !s->paused) return;
  s->paused = false;
  if (std::exchange(s->unread, false)) resumed_.push_back(id);
}

void EpollReactor::shutdown_write(SocketId id) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  if (is_sending(id))
    s->shut_after_send = true;
  else
    ::shutdown(s->fd.get(), SHUT_WR);
}

void EpollReactor::close(SocketId id, bool abort) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  if (abort) {
    const linger hard{1, 0};
    setsockopt(s->fd.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  sockets_.release(id);  // closing takes it out of epoll
}

int EpollReactor::descriptor(SocketId id) const {
  const Socket* s = sockets_.find(id);
  return s == nullptr ? -1 : s->fd.get();
}

void EpollReactor::watch(int fd, WatchHandler& handler, bool readable, bool writable) {
  const std::uint32_t mask = (readable ? EPOLLIN : 0u) | (writable ? EPOLLOUT : 0u);
  const auto known = watched_.find(fd);
  epoll_event ev{};
  ev.events = mask;
  ev.data.u64 = kForeign | static_cast<std::uint32_t>(fd);
  if (mask == 0) {
    if (known == watched_.end()) return;
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);  // fails when its owner closed it first: just as well
    watched_.erase(known);
    return;
  }
  const int first = known == watched_.end() ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(epoll_.get(), first, fd, &ev) != 0)  // a descriptor closed and opened anew under the same number
    epoll_ctl(epoll_.get(), first == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &ev);
  watched_[fd] = {&handler, mask};
}

int EpollReactor::wait(Instant until) {
  if (!resumed_.empty() || !doomed_.empty()) until = Instant::min();
  until = std::min(until, starved_until_);
  epoll_event events[kEvents];
  int n;
  for (;;) {
    timespec timeout{};
    timespec* limit = &timeout;
    std::int64_t left = 0;
    if (until == kNever) {
      limit = nullptr;
    } else if (until != Instant::min()) {
      left = std::max<std::int64_t>(0, (until - now()).count());
      timeout = {left / 1'000'000'000, left % 1'000'000'000};
    }
    if (has_pwait2_) {
      n = epoll_pwait2(epoll_.get(), events, kEvents, limit, nullptr);
      if (n < 0 && (errno == ENOSYS || errno == EPERM)) {  // old kernels; sandboxes that don't know it
        has_pwait2_ = false;
        continue;
      }
    } else {
      // Milliseconds only: sleep short rather than long, the caller comes again.
      const int ms = limit == nullptr ? -1 : static_cast<int>(std::min<std::int64_t>(left / 1'000'000, 1'000'000'000));
      n = epoll_wait(epoll_.get(), events, kEvents, ms);
    }
    break;
  }
  if (n < 0) n = 0;  // EINTR: the caller looks at its flags and comes again
  int handled = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t data = events[i].data.u64;
    if ((data & kForeign) == 0) {
      handle_socket(static_cast<std::uint32_t>(data), static_cast<std::uint32_t>(data >> 32), events[i].events);
      ++handled;
      continue;
    }
    const int fd = static_cast<int>(data & 0xffffffff);
    if (fd == wakeup_.get()) {
      std::uint64_t ignored;
      [[maybe_unused]] const auto r = ::read(fd, &ignored, sizeof ignored);
    } else if (const auto w = watched_.find(fd); w != watched_.end()) {
      const std::uint32_t mask = events[i].events;
      w->second.handler->on_ready(fd, (mask & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0, (mask & EPOLLOUT) != 0);
      ++handled;
    }
  }
  if (!resumed_.empty()) handled += go_on();
  if (!doomed_.empty()) tell_doomed();
  if (starved_until_ != kNever) retry_accepts(now());
  return handled;
}

void EpollReactor::wake() {
  const int before = errno;  // of whatever a signal handler that calls this interrupted
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto r = ::write(wakeup_.get(), &one, sizeof one);
  errno = before;
}

int EpollReactor::go_on() {
  going_on_.swap(resumed_);
  const int count = static_cast<int>(going_on_.size());
  for (const SocketId id : going_on_) {
    const Socket* s = sockets_.find(id);
    if (s == nullptr) continue;
    s->listener != nullptr ? accept_all(id) : read(id, EPOLLRDHUP);
  }
  going_on_.clear();
  return count;
}

void EpollReactor::retry_accepts(Instant t) {
  if (t < starved_until_) return;
  starved_until_ = kNever;
  std::vector<SocketId> list;
  list.swap(starved_);
  for (const SocketId id : list) {
    if (Socket* s = sockets_.find(id)) s->starved = false;
    accept_all(id);
  }
}

void EpollReactor::handle_socket(std::uint32_t slot, std::uint32_t generation, std::uint32_t mask) {
  const SocketId id{slot, generation};
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  if (s->listener != nullptr) return accept_all(id);
  if (s->connecting) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(s->fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0 && (mask & EPOLLOUT) == 0) return;  // not yet
    s->connecting = false;
    s->handler->on_connected(error);
    s = sockets_.find(id);
    if (s == nullptr || error != 0) return;
  }
  if ((mask & EPOLLOUT) != 0 && !s->unsent.is_empty()) {
    write(id);
    s = sockets_.find(id);
    if (s == nullptr) return;
  }
  if ((mask & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) read(id, mask);
}

void EpollReactor::accept_all(SocketId id) {
  for (int accepted = 0;; ++accepted) {
    Socket* s = sockets_.find(id);
    if (s == nullptr) return;
    if (accepted == kAcceptsPerWake) {
      resumed_.push_back(id);
      return;
    }
    const int fd = accept4(s->fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      s->listener->on_accepted(Fd(fd));
      continue;
    }
    const int error = errno;
    if (error == EAGAIN || error == EWOULDBLOCK) return;
    if (is_of_one_connection(error)) continue;
    // Out of descriptors or memory: the connection stays in the backlog and no new edge will announce it.
    if (!std::exchange(s->starved, true)) starved_.push_back(id);
    starved_until_ = std::min(starved_until_, now() + kAcceptRetry);
    s->listener->on_accept_error(error);
    return;
  }
}

// Reads until the socket is empty. A short read proves that, unless the mask says that a FIN or an error may stand behind the
// data: those make no edge of their own.
void EpollReactor::read(SocketId id, std::uint32_t mask) {
  const bool to_the_end = (mask & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  for (int reads = 0;; ++reads) {
    Socket* s = sockets_.find(id);
    if (s == nullptr || s->broken) return;
    if (s->ended) return look_for_error(id);
    if (s->paused) {
      s->unread = true;
      return;
    }
    if (reads == kReadsPerWake) {
      resumed_.push_back(id);  // go on after the others had their turn
      return;
    }
    const bool skipping = s->skip > 0;
    const std::size_t most = skipping ? static_cast<std::size_t>(std::min(s->skip, kSkipAtOnce)) : kBufferBytes;
    const ssize_t n =
        skipping ? recv(s->fd.get(), nullptr, most, MSG_DONTWAIT | MSG_TRUNC) : recv(s->fd.get(), buffer_.get(), most, MSG_DONTWAIT);
    if (n > 0) {
      const auto got = static_cast<std::size_t>(n);
      bytes_.in += got;
      if (skipping) {
        s->skip -= got;
        s->handler->on_skipped(got);
      } else {
        s->handler->on_received({buffer_.get(), got});
      }
      if (got < most && !to_the_end) return;
      continue;
    }
    if (n == 0) return finish(id, 0);
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (s->send_error != 0) finish(id, s->send_error);
      return;
    }
    return finish(id, errno);
  }
}

void EpollReactor::write(SocketId id) {
  Socket* s = sockets_.find(id);
  const SendOutcome outcome = s->unsent.go_on(s->fd.get(), bytes_.out);
  if (outcome.state == SendOutcome::State::pending) return;
  if (outcome.state == SendOutcome::State::failed) {
    s->send_error = outcome.error;
    return read(id, EPOLLERR);  // what came before it broke may say why: an answer sent early
  }
  if (std::exchange(s->shut_after_send, false)) ::shutdown(s->fd.get(), SHUT_WR);
  s->handler->on_sent();
}

// After the peer's FIN there is nothing to read, but a reset may still come, and sending may break.
void EpollReactor::look_for_error(SocketId id) {
  Socket* s = sockets_.find(id);
  int error = s->send_error;
  socklen_t size = sizeof error;
  if (error == 0) getsockopt(s->fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) finish(id, error);
}

// The end of what is received: FIN (0) or an error. After a FIN, an error may still follow, once.
void EpollReactor::finish(SocketId id, int error) {
  Socket* s = sockets_.find(id);
  if (s == nullptr || s->broken) return;
  if (s->send_error != 0) error = s->send_error;
  if (error == 0 && std::exchange(s->ended, true)) return;
  if (error != 0) s->ended = s->broken = true;
  s->handler->on_end(error);
}

}  // namespace thrum::net
