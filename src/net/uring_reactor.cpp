#include "net/uring_reactor.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "base/mapped_file.hpp"
#include "net/accepting.hpp"

namespace thrum::net {
namespace {

constexpr std::size_t kReadAtOnce = 16 * 1024;
constexpr std::uint64_t kWorthDropping = 32 * 1024;  // below, what is left fills few buffers
constexpr std::uint64_t kDropAtOnce = 1 << 30;
constexpr int kReadsPerTurn = 16;  // of one socket, so that a fast sender can't starve the others

}  // namespace

Expected<std::unique_ptr<Reactor>> UringReactor::create(const Sizes& sizes) {
  auto ring = Uring::create(sizes.ring);
  if (!ring) return std::unexpected(ring.error());
  Fd wakeup(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakeup.is_open()) return failure(std::string("eventfd: ") + std::strerror(errno));
  std::unique_ptr<UringReactor> made(new UringReactor(std::move(*ring), std::move(wakeup), sizes));
  if (auto given = made->buffers_.give_to(*made->ring_); !given) return std::unexpected(given.error());
  return made;
}

UringReactor::UringReactor(std::unique_ptr<Uring> ring, Fd wakeup, const Sizes& sizes)
    : buffers_(sizes.buffers), ring_(std::move(ring)), wakeup_(std::move(wakeup)) {
  poll(Act::wakeup, {}, wakeup_.get(), POLLIN);
}

UringReactor::~UringReactor() {
  if (ring_->is_own_thread()) ring_->wait(Instant::min());  // what was closed, for one
}

// ---- entries ----

std::uint64_t UringReactor::data_of(Act act, SocketId id) {
  return static_cast<std::uint64_t>(act) << 60 | std::uint64_t{id.generation} << 32 | id.slot;
}

UringReactor::Name UringReactor::name_of(std::uint64_t data) {
  const auto generation = static_cast<std::uint32_t>(data >> 32) & SocketTable<Socket>::kGenerationMask;
  return {static_cast<Act>(data >> 60), {static_cast<std::uint32_t>(data), generation}};
}

void UringReactor::poll(Act act, SocketId id, int fd, std::uint32_t mask) {
  io_uring_sqe& e = ring_->entry();
  io_uring_prep_poll_add(&e, fd, mask);
  e.user_data = data_of(act, id);
}

void UringReactor::cancel(Act act, SocketId id) {
  io_uring_sqe& e = ring_->entry();
  io_uring_prep_cancel64(&e, data_of(act, id), 0);
  e.flags |= IOSQE_CQE_SKIP_SUCCESS;
  e.user_data = data_of(Act::none, {});
}

void UringReactor::start_receiving(SocketId id, Socket& s) {
  io_uring_sqe& e = ring_->entry();
  if (s.is_large && s.skip > 0) {
    // Not with MSG_WAITALL: a kernel that goes on with such a receive forgets what of it was dropped before.
    io_uring_prep_recv(&e, s.fd.get(), nullptr, static_cast<std::size_t>(std::min(s.skip, kDropAtOnce)), MSG_TRUNC);
  } else {
    if (s.is_large)
      io_uring_prep_recv(&e, s.fd.get(), nullptr, 0, 0);
    else
      io_uring_prep_recv_multishot(&e, s.fd.get(), nullptr, 0, 0);
    e.flags |= IOSQE_BUFFER_SELECT;
    e.buf_group = ReceiveBuffers::kGroup;
  }
  e.user_data = data_of(Act::receive, id);
  s.receiving = true;
}

// Its last completion is still to come, and data may come before.
void UringReactor::stop_receiving(SocketId id, Socket& s) {
  if (!s.receiving || std::exchange(s.stopping, true)) return;
  cancel(Act::receive, id);
}

void UringReactor::start_accepting(SocketId id, const Socket& s) {
  io_uring_sqe& e = ring_->entry();
  io_uring_prep_multishot_accept(&e, s.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  e.user_data = data_of(Act::accept, id);
}

// ---- calls ----

SocketId UringReactor::adopt(Fd socket, SocketHandler& handler, bool connecting) {
  const SocketId id = sockets_.take(std::move(socket));
  Socket& s = *sockets_.find(id);
  s.handler = &handler;
  s.connecting = connecting;
  if (connecting)
    poll(Act::connect, id, s.fd.get(), POLLOUT);
  else
    start_receiving(id, s);
  return id;
}

SocketId UringReactor::listen(Fd socket, ListenHandler& handler) {
  const SocketId id = sockets_.take(std::move(socket));
  Socket& s = *sockets_.find(id);
  s.listener = &handler;
  start_accepting(id, s);
  return id;
}

bool UringReactor::may_wait(std::size_t size, std::span<const char> body) const {
  return outbox_.has_room_for(size) && ring_->is_own_thread() && (body.empty() || !is_mapped(body));
}

// What a socket sends piece by piece, as at the end of a handshake, is one send as long as the kernel has not seen the first.
bool UringReactor::add_to_last(SocketId id, std::span<const char> head, std::span<const char> body) {
  const std::size_t size = head.size() + body.size();
  io_uring_sqe* const last = ring_->last_queued();
  if (last == nullptr || last->user_data != data_of(Act::send, id) || !may_wait(size, body)) return false;
  last->len = static_cast<std::uint32_t>(outbox_.add_to_last(head, body).size());
  bytes_.out += size;
  return true;
}

SendOutcome UringReactor::send(SocketId id, std::span<const char> head, std::span<const char> body) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return {SendOutcome::State::failed, ENOTCONN};
  assert(!is_sending(id));
  if (is_in_outbox(*s)) {
    if (add_to_last(id, head, body)) return {};
    s->unsent.add(head, body);
    s->owes_sent = true;
    behind_.push_back(id);
    return {SendOutcome::State::pending, 0};
  }
  const std::size_t size = head.size() + body.size();
  if (size > 0 && may_wait(size, body)) {
    const std::span<const char> copy = outbox_.add(id, head, body);
    io_uring_sqe& e = ring_->entry();
    // Either all of it is taken, or what is not is told, at once: it is not waited for.
    io_uring_prep_send(&e, s->fd.get(), copy.data(), copy.size(), MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
    e.flags |= IOSQE_CQE_SKIP_SUCCESS;
    e.user_data = data_of(Act::send, id);
    s->filling = outbox_.filling();
    bytes_.out += size;
    return {};
  }
  const SendOutcome outcome = s->unsent.begin(s->fd.get(), head, body, bytes_.out);
  if (outcome.state == SendOutcome::State::failed) {
    s->send_error = outcome.error;
    postponed_.push_back(id);  // what stands to be read, then the end
  } else if (outcome.state == SendOutcome::State::pending) {
    s->owes_sent = true;
    wait_to_write(id, *s);
  }
  return outcome;
}

bool UringReactor::is_sending(SocketId id) const {
  const Socket* s = sockets_.find(id);
  return s != nullptr && !s->unsent.is_empty();
}

void UringReactor::skip(SocketId id, std::uint64_t n) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  s->skip += n;
  if (s->skip < kWorthDropping || std::exchange(s->is_large, true)) return;
  stop_receiving(id, *s);  // the one that lasts would fill a buffer with each piece
}

void UringReactor::pause(SocketId id) {
  Socket* s = sockets_.find(id);
  if (s == nullptr || std::exchange(s->paused, true)) return;
  stop_receiving(id, *s);
}

void UringReactor::resume(SocketId id) {
  Socket* s = sockets_.find(id);
  if (s == nullptr || !std::exchange(s->paused, false)) return;
  postponed_.push_back(id);
}

void UringReactor::shutdown_write(SocketId id) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  if (is_in_outbox(*s)) behind_.push_back(id);
  if (is_sending(id) || is_in_outbox(*s))
    s->shut_after_send = true;
  else
    ::shutdown(s->fd.get(), SHUT_WR);
}

// By their names: to look for what is under way on a descriptor, the kernel goes through all of every socket's.
void UringReactor::cancel_all(SocketId id, const Socket& s) {
  if (s.receiving) cancel(Act::receive, id);
  if (s.connecting) cancel(Act::connect, id);
  if (s.waits_to_write) cancel(Act::writable, id);
  if (s.ended) cancel(Act::error, id);
  if (s.listener != nullptr) cancel(Act::accept, id);
}

// What is under way holds on to the socket, so that closing the descriptor alone would not end the connection. The kernel closes
// it once that is cancelled: its number is nobody else's while entries that were queued before name it.
void UringReactor::close(SocketId id, bool abort) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  if (abort) {
    const linger hard{1, 0};
    setsockopt(s->fd.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  cancel_all(id, *s);
  const int fd = s->fd.release();
  io_uring_sqe& last = ring_->entry();
  io_uring_prep_close(&last, fd);
  last.flags |= IOSQE_CQE_SKIP_SUCCESS;
  last.user_data = data_of(Act::none, {});
  sockets_.release(id);
  if (ring_->is_own_thread()) ring_->wait(Instant::min());
}

int UringReactor::descriptor(SocketId id) const {
  const Socket* s = sockets_.find(id);
  return s == nullptr ? -1 : s->fd.get();
}

void UringReactor::watch(int fd, WatchHandler& handler, bool readable, bool writable) {
  const auto mask = static_cast<std::uint32_t>((readable ? POLLIN : 0) | (writable ? POLLOUT : 0));
  const auto slot = static_cast<std::uint32_t>(fd);
  const auto known = watched_.find(fd);
  if (known != watched_.end()) {
    cancel(Act::watch, {slot, known->second.serial});
    if (mask == 0) watched_.erase(known);
  }
  if (mask == 0) return;
  const std::uint32_t serial = ++watch_serial_ & SocketTable<Socket>::kGenerationMask;
  watched_[fd] = {&handler, mask, serial};
  poll(Act::watch, {slot, serial}, fd, mask);
}

int UringReactor::wait(Instant until) {
  if (!postponed_.empty() || !behind_.empty()) until = Instant::min();
  ring_->wait(std::min(until, starved_until_));
  if (!outbox_.is_empty()) settle_sends();
  int handled = 0;
  io_uring_cqe c;
  for (unsigned left = ring_->completions(); left > 0 && ring_->take(c); --left) handled += handle(c) ? 1 : 0;
  if (!postponed_.empty()) handled += run_postponed();
  if (starved_until_ != kNever) retry_accepts(now());
  if (std::exchange(lacks_buffers_, false)) buffers_.add();
  return handled;
}

void UringReactor::wake() {
  const int before = errno;  // of whatever a signal handler that calls this interrupted
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto r = ::write(wakeup_.get(), &one, sizeof one);
  errno = before;
}

// ---- completions ----

// What of the sends in the outbox was not taken is known now, and told before what came in afterwards.
void UringReactor::settle_sends() {
  ring_->look_at_completions([this](io_uring_cqe& c) {
    const Name name = name_of(c.user_data);
    if (name.act != Act::send) return;
    not_sent(name.id, c.res);
    c.user_data = data_of(Act::none, {});
  });
  if (ring_->lacks_completions()) return;  // the next time
  outbox_.clear();
  std::vector<SocketId> list;
  list.swap(behind_);
  for (const SocketId id : list) {
    const Socket* s = sockets_.find(id);
    if (s != nullptr && !s->waits_to_write && s->send_error == 0 && !s->broken) write_on(id);
  }
}

void UringReactor::not_sent(SocketId id, int result) {
  Socket* s = sockets_.find(id);
  if (s == nullptr || !is_in_outbox(*s)) return;
  const std::span<const char> rest = outbox_.of(id).subspan(static_cast<std::size_t>(std::max(0, result)));
  bytes_.out -= rest.size();
  if (result >= 0 || result == -EAGAIN || result == -EINTR) {
    s->unsent.put_first(rest);
    return wait_to_write(id, *s);
  }
  s->unsent = {};
  s->send_error = -result;
  postponed_.push_back(id);  // what stands to be read, then the end
}

// False: nothing that the caller of wait() would call an event.
bool UringReactor::handle(const io_uring_cqe& c) {
  const Name name = name_of(c.user_data);
  switch (name.act) {
    case Act::receive:
      received(name.id, c);
      return true;
    case Act::accept:
      accepted(name.id, c);
      return true;
    case Act::connect:
      connected(name.id, c.res);
      return true;
    case Act::writable:
      writable(name.id);
      return true;
    case Act::error:
      look_for_error(name.id);
      return true;
    case Act::watch:
      watched(name.id, c.res);
      return true;
    case Act::wakeup:
      woken();
      return false;
    case Act::send:
      not_sent(name.id, c.res);
      return true;
    case Act::none:
      break;
  }
  return false;
}

void UringReactor::received(SocketId id, const io_uring_cqe& c) {
  const bool has_buffer = (c.flags & IORING_CQE_F_BUFFER) != 0;
  const auto buffer = static_cast<std::uint16_t>(c.flags >> IORING_CQE_BUFFER_SHIFT);
  Socket* s = sockets_.find(id);
  if (s != nullptr && (c.flags & IORING_CQE_F_MORE) == 0) s->receiving = s->stopping = false;
  if (c.res > 0) bytes_.in += static_cast<std::uint64_t>(c.res);
  if (has_buffer && c.res > 0) deliver(id, buffers_.bytes(buffer, static_cast<std::size_t>(c.res)));
  if (has_buffer) buffers_.give_back(buffer);
  if (!has_buffer && c.res > 0) deliver_skipped(id, static_cast<std::uint64_t>(c.res));
  s = sockets_.find(id);
  if (s == nullptr || s->receiving) return;
  // The receive is over: for want of buffers, or because it was told to, or for the kernel's own reasons; or the stream is.
  if (c.res == 0) return deliver_end(id, 0);
  if (c.res == -ENOBUFS) {
    lacks_buffers_ = true;
    read_unbuffered(id);
  }
  if (c.res < 0 && c.res != -ENOBUFS && c.res != -ECANCELED && c.res != -EINTR && c.res != -EAGAIN) return deliver_end(id, -c.res);
  go_on(id);
}

void UringReactor::accepted(SocketId id, const io_uring_cqe& c) {
  Fd socket(c.res);
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  const bool is_over = (c.flags & IORING_CQE_F_MORE) == 0;
  if (socket.is_open()) {
    s->listener->on_accepted(std::move(socket));
  } else if (const int error = -c.res; !is_of_one_connection(error) && error != EAGAIN) {
    // Out of descriptors or memory: the connection stays in the backlog.
    if (!std::exchange(s->starved, true)) starved_.push_back(id);
    starved_until_ = std::min(starved_until_, now() + kAcceptRetry);
    s->listener->on_accept_error(error);
  }
  s = sockets_.find(id);
  if (s != nullptr && is_over && !s->starved) start_accepting(id, *s);
}

void UringReactor::retry_accepts(Instant t) {
  if (t < starved_until_) return;
  starved_until_ = kNever;
  std::vector<SocketId> list;
  list.swap(starved_);
  for (const SocketId id : list) {
    Socket* s = sockets_.find(id);
    if (s == nullptr) continue;
    s->starved = false;
    start_accepting(id, *s);
  }
}

void UringReactor::connected(SocketId id, int result) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  int error = result < 0 ? -result : 0;
  socklen_t size = sizeof error;
  if (error == 0) getsockopt(s->fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0 && (result & POLLOUT) == 0) return poll(Act::connect, id, s->fd.get(), POLLOUT);  // not yet
  s->connecting = false;
  s->handler->on_connected(error);
  s = sockets_.find(id);
  if (s != nullptr && error == 0) go_on(id);
}

void UringReactor::wait_to_write(SocketId id, Socket& s) {
  if (!std::exchange(s.waits_to_write, true)) poll(Act::writable, id, s.fd.get(), POLLOUT);
}

void UringReactor::writable(SocketId id) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  s->waits_to_write = false;
  if (!s->unsent.is_empty()) write_on(id);
}

void UringReactor::write_on(SocketId id) {
  Socket* s = sockets_.find(id);
  const SendOutcome outcome = s->unsent.go_on(s->fd.get(), bytes_.out);
  if (outcome.state == SendOutcome::State::pending) return wait_to_write(id, *s);
  if (outcome.state == SendOutcome::State::failed) {
    s->send_error = outcome.error;
    return go_on(id);  // what came before it broke may say why: an answer sent early
  }
  if (std::exchange(s->shut_after_send, false)) ::shutdown(s->fd.get(), SHUT_WR);
  if (std::exchange(s->owes_sent, false)) s->handler->on_sent();
}

// After the peer's FIN there is nothing to read, but a reset may still come, and sending may break.
void UringReactor::look_for_error(SocketId id) {
  Socket* s = sockets_.find(id);
  if (s == nullptr) return;
  int error = s->send_error;
  socklen_t size = sizeof error;
  if (error == 0) getsockopt(s->fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) finish(id, error);
}

void UringReactor::watched(SocketId id, int result) {
  const int fd = static_cast<int>(id.slot);
  const auto at = watched_.find(fd);
  if (at == watched_.end() || at->second.serial != id.generation) return;
  if (result < 0) {  // it was closed before it was no longer watched
    watched_.erase(at);
    return;
  }
  at->second.handler->on_ready(fd, (result & (POLLIN | POLLHUP | POLLERR)) != 0, (result & POLLOUT) != 0);
  const auto still = watched_.find(fd);
  if (still != watched_.end() && still->second.serial == id.generation) poll(Act::watch, id, fd, still->second.mask);
}

void UringReactor::woken() {
  std::uint64_t ignored;
  [[maybe_unused]] const auto r = ::read(wakeup_.get(), &ignored, sizeof ignored);
  poll(Act::wakeup, {}, wakeup_.get(), POLLIN);
}

// ---- what handlers are told ----

void UringReactor::deliver(SocketId id, std::span<char> bytes) {
  while (!bytes.empty()) {
    Socket* s = sockets_.find(id);
    if (s == nullptr || s->broken) return;
    if (s->paused || s->held != nullptr) return hold(*s, bytes);
    if (s->skip == 0) return s->handler->on_received(bytes);
    const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(s->skip, bytes.size()));
    s->skip -= skipped;
    bytes = bytes.subspan(skipped);
    s->handler->on_skipped(skipped);
  }
}

void UringReactor::deliver_skipped(SocketId id, std::uint64_t n) {
  Socket* s = sockets_.find(id);
  if (s == nullptr || s->broken) return;
  s->skip -= std::min(s->skip, n);
  if (s->paused || s->held != nullptr) {
    hold(*s, {});
    s->held->skipped += n;
    return;
  }
  s->handler->on_skipped(static_cast<std::size_t>(n));
}

// An end that comes while the socket is paused waits as bytes do.
void UringReactor::deliver_end(SocketId id, int error) {
  Socket* s = sockets_.find(id);
  if (!s->paused && s->held == nullptr) return finish(id, error);
  hold(*s, {});
  s->held->has_end = true;
  s->held->end = error;
}

void UringReactor::hold(Socket& s, std::span<const char> bytes) {
  if (s.held == nullptr) s.held = std::make_unique<Held>();
  s.held->bytes.insert(s.held->bytes.end(), bytes.begin(), bytes.end());
}

// What is next on a socket: what was held back, the end that a broken send asks for, or another receive.
void UringReactor::go_on(SocketId id) {
  Socket* s = sockets_.find(id);
  if (s == nullptr || s->connecting || s->broken) return;
  if (s->ended) {
    if (s->send_error != 0) finish(id, s->send_error);
    return;
  }
  if (s->paused) return;
  if (s->held != nullptr) {
    const std::unique_ptr<Held> held = std::move(s->held);
    if (held->skipped > 0) s->handler->on_skipped(static_cast<std::size_t>(held->skipped));
    deliver(id, held->bytes);
    s = sockets_.find(id);
    if (s == nullptr) return;
    if (held->has_end) return deliver_end(id, held->end);
    if (s->paused) return;
  }
  if (s->send_error == 0) {
    if (!s->receiving) start_receiving(id, *s);
  } else if (s->receiving) {
    stop_receiving(id, *s);  // its last completion leads back here
  } else {
    read_the_rest(id);
  }
}

// There were bytes and no buffer for them. Of thousands of sockets to which that happens most would ask in vain again, and again.
void UringReactor::read_unbuffered(SocketId id) {
  const Socket* s = sockets_.find(id);
  if (s->connecting || s->broken || s->ended || s->paused || s->held != nullptr || s->send_error != 0) return;
  char buffer[kReadAtOnce];
  const ssize_t n = ::recv(s->fd.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (n <= 0) return;  // the next receive tells
  bytes_.in += static_cast<std::uint64_t>(n);
  deliver(id, {buffer, static_cast<std::size_t>(n)});
}

// What had come before sending broke, then the end.
void UringReactor::read_the_rest(SocketId id) {
  char buffer[kReadAtOnce];
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    Socket* s = sockets_.find(id);
    if (s == nullptr || s->paused) return;
    const ssize_t n = ::recv(s->fd.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0) {
      bytes_.in += static_cast<std::uint64_t>(n);
      deliver(id, {buffer, static_cast<std::size_t>(n)});
    } else if (n == 0 || errno != EINTR) {
      return finish(id, s->send_error);
    }
  }
  postponed_.push_back(id);
}

// The end of what is received: FIN (0) or an error. After a FIN, an error may still follow, once.
void UringReactor::finish(SocketId id, int error) {
  Socket* s = sockets_.find(id);
  if (s == nullptr || s->broken) return;
  if (s->send_error != 0) error = s->send_error;
  if (error == 0 && std::exchange(s->ended, true)) return;
  if (error != 0) s->ended = s->broken = true;
  s->handler->on_end(error);
  s = sockets_.find(id);
  if (s == nullptr || s->broken) return;
  // It is told of the FIN, too, again and again unless it lasts and tells what is new only.
  io_uring_sqe& e = ring_->entry();
  io_uring_prep_poll_multishot(&e, s->fd.get(), 0);
  e.user_data = data_of(Act::error, id);
}

int UringReactor::run_postponed() {
  going_on_.swap(postponed_);
  const int count = static_cast<int>(going_on_.size());
  for (const SocketId id : going_on_) go_on(id);
  going_on_.clear();
  return count;
}

}  // namespace thrum::net
