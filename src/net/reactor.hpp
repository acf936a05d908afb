// Room net: descriptors, addresses, TLS, names. It must not know HTTP.
//
// Reactor: one per thread; it owns the sockets given to it and tells their handlers what came of them. Proactor-shaped, so
// that readiness (epoll) and completion (io_uring) look alike: received bytes are handed out as spans that are valid during
// the call; what send() could not get rid of at once is the reactor's to finish.
//
// Everything but wake() belongs to the reactor's own thread: the one that calls wait(). It may be made, filled and destroyed by
// another one, before that begins and after it has ended.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "thrum/error.hpp"
#include "thrum/io.hpp"

namespace thrum::net {

// A name for a socket that stays harmless when the socket is gone: slot and generation.
struct SocketId {
  std::uint32_t slot = UINT32_MAX;
  std::uint32_t generation = 0;
  bool is_valid() const { return slot != UINT32_MAX; }
  bool operator==(const SocketId&) const = default;
};

// What happens to a stream socket. A handler may close its own or any other socket from within a call.
class SocketHandler {
 public:
  virtual ~SocketHandler() = default;
  virtual void on_connected(int error) = 0;             // outcome of connect(): 0 or errno; not for adopted connections
  virtual void on_received(std::span<char> bytes) = 0;  // valid, and writable, during the call
  virtual void on_skipped(std::size_t n) = 0;           // n bytes asked away by skip() came and were dropped
  virtual void on_sent() = 0;                           // a send that was pending has left entirely
  // 0: the peer sent FIN; sending goes on, and ends in on_sent() or in a second on_end(). An errno: it broke; no call follows.
  virtual void on_end(int error) = 0;
};

class ListenHandler {
 public:
  virtual ~ListenHandler() = default;
  virtual void on_accepted(Fd socket) = 0;      // non-blocking, close-on-exec
  virtual void on_accept_error(int error) = 0;  // EMFILE and friends; the listener stays, and is tried again
};

// Readiness of a descriptor that somebody else owns and reads (a resolver's socket).
class WatchHandler {
 public:
  virtual ~WatchHandler() = default;
  virtual void on_ready(int fd, bool readable, bool writable) = 0;
};

// Outcome of send(): all is with the kernel; the rest follows by itself and ends in on_sent(); or an errno.
struct SendOutcome {
  enum class State : std::uint8_t { done, pending, failed } state = State::done;
  int error = 0;
};

// Bytes of all sockets of a reactor, skipped ones among them.
struct ByteCounts {
  std::uint64_t in = 0, out = 0;
};

class Reactor {
 public:
  // Errors: no descriptors left; io_uring was asked for and is not to be had here. `automatic` takes io_uring where it is.
  static Expected<std::unique_ptr<Reactor>> create(Io io);
  virtual ~Reactor() = default;
  virtual Io io() const = 0;  // which it is

  // Takes a non-blocking stream socket. `connecting`: connect() said EINPROGRESS; on_connected() will tell.
  virtual SocketId adopt(Fd socket, SocketHandler& handler, bool connecting) = 0;
  // Takes a listening socket.
  virtual SocketId listen(Fd socket, ListenHandler& handler) = 0;

  // Sends `head`, then `body`, in one call where the kernel takes it. What is left over of `head` is copied; `body` must live
  // until on_sent(), on_end(errno) or close(). Not while a send of this socket is pending (is_sending()).
  // After `failed`, on_end() follows, once what had been received before is handed out.
  virtual SendOutcome send(SocketId id, std::span<const char> head, std::span<const char> body = {}) = 0;
  virtual bool is_sending(SocketId id) const = 0;
  // The next n received bytes are of no use: on_skipped() will count them, and the kernel may drop them unread.
  // May be called from on_received() for bytes that come after the ones just given. Adds to what is still to be skipped.
  virtual void skip(SocketId id, std::uint64_t n) = 0;
  // Stop reading until resume(): the peer is held back by TCP itself.
  virtual void pause(SocketId id) = 0;
  virtual void resume(SocketId id) = 0;
  // FIN after what is pending; reading goes on.
  virtual void shutdown_write(SocketId id) = 0;
  // Closes and forgets. A late event of it is dropped. `abort`: with RST instead of FIN.
  virtual void close(SocketId id, bool abort = false) = 0;
  // The descriptor, for getsockopt and the like; -1 when gone.
  virtual int descriptor(SocketId id) const = 0;

  // Level-triggered watching of a foreign descriptor; call again to change, with neither to end it: before it is closed.
  virtual void watch(int fd, WatchHandler& handler, bool readable, bool writable) = 0;

  // Waits until something happens, or `until` (kNever: for ever; a past instant: only looks), and hands out all that happened.
  // Returns the number of events handled.
  virtual int wait(Instant until) = 0;
  // From any thread, signal handlers included: ends the current or the next wait().
  virtual void wake() = 0;

  const ByteCounts& bytes() const { return bytes_; }

 protected:
  ByteCounts bytes_;
};

}  // namespace thrum::net
