// The reactor on io_uring. Each socket has one receive under way that lasts; what the kernel received is handed out from
// buffers of the ring. Large bodies that nobody wants are dropped in the kernel, by receives of their own.
//
// Small sends leave together, with the system call that the loop waits with anyway. The kernel takes each or says at once what it
// did not take, before anything else is told: so it holds on to no memory of ours but the ring's buffers while it waits. For
// what it did not take, and for large sends, which are tried at once, the ring waits until the socket is writable.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "net/outbox.hpp"
#include "net/reactor.hpp"
#include "net/receive_buffers.hpp"
#include "net/socket_table.hpp"
#include "net/unsent.hpp"
#include "net/uring.hpp"

namespace thrum::net {

class UringReactor final : public Reactor {
 public:
  struct Sizes {
    Uring::Sizes ring{};
    ReceiveBuffers::Sizes buffers{};
  };
  static Expected<std::unique_ptr<Reactor>> create(const Sizes& sizes);
  ~UringReactor() override;

  Io io() const override { return Io::uring; }
  SocketId adopt(Fd socket, SocketHandler& handler, bool connecting) override;
  SocketId listen(Fd socket, ListenHandler& handler) override;
  SendOutcome send(SocketId id, std::span<const char> head, std::span<const char> body) override;
  bool is_sending(SocketId id) const override;
  void skip(SocketId id, std::uint64_t n) override;
  void pause(SocketId id) override;
  void resume(SocketId id) override;
  void shutdown_write(SocketId id) override;
  void close(SocketId id, bool abort) override;
  int descriptor(SocketId id) const override;
  void watch(int fd, WatchHandler& handler, bool readable, bool writable) override;
  int wait(Instant until) override;
  void wake() override;

 private:
  // What an entry is for; with a socket's name it is what the kernel gives back.
  enum class Act : std::uint8_t { none, receive, accept, connect, writable, error, watch, wakeup, send };
  struct Name {
    Act act;
    SocketId id;
  };

  // What came of a receive that the handler is not to be told yet.
  struct Held {
    std::uint64_t skipped = 0;
    std::vector<char> bytes;
    bool has_end = false;
    int end = 0;
  };
  struct Socket {
    Fd fd;
    std::uint32_t generation = 0;
    bool connecting = false;
    bool receiving = false;  // a receive is under way
    bool stopping = false;   // it has been told to end
    bool is_large = false;   // bodies worth dropping come in: a receive is for one buffer, or for a body
    bool paused = false;
    bool ended = false;   // on_end was called with 0, or
    bool broken = false;  // with an error
    bool shut_after_send = false;
    bool waits_to_write = false;
    bool owes_sent = false;     // on_sent() was promised
    std::uint32_t filling = 0;  // of the outbox that has something of this socket
    bool starved = false;       // a listener that waits for descriptors
    int send_error = 0;         // the kernel tells an error once: what send() met is what the end is then due to
    SocketHandler* handler = nullptr;
    ListenHandler* listener = nullptr;
    std::uint64_t skip = 0;
    Unsent unsent;
    std::unique_ptr<Held> held;
  };
  struct Watched {
    WatchHandler* handler;
    std::uint32_t mask;
    std::uint32_t serial;
  };

  UringReactor(std::unique_ptr<Uring> ring, Fd wakeup, const Sizes& sizes);
  static std::uint64_t data_of(Act act, SocketId id);
  static Name name_of(std::uint64_t data);

  // Entries
  void poll(Act act, SocketId id, int fd, std::uint32_t mask);
  void cancel(Act act, SocketId id);
  void cancel_all(SocketId id, const Socket& s);
  void start_receiving(SocketId id, Socket& s);
  bool may_wait(std::size_t size, std::span<const char> body) const;
  bool add_to_last(SocketId id, std::span<const char> head, std::span<const char> body);
  bool is_in_outbox(const Socket& s) const { return s.filling == outbox_.filling(); }
  void stop_receiving(SocketId id, Socket& s);
  void start_accepting(SocketId id, const Socket& s);

  // Completions
  bool handle(const io_uring_cqe& c);
  void settle_sends();
  void not_sent(SocketId id, int result);
  void received(SocketId id, const io_uring_cqe& c);
  void accepted(SocketId id, const io_uring_cqe& c);
  void connected(SocketId id, int result);
  void wait_to_write(SocketId id, Socket& s);
  void writable(SocketId id);
  void write_on(SocketId id);
  void look_for_error(SocketId id);
  void watched(SocketId id, int result);
  void woken();

  // What handlers are told
  void deliver(SocketId id, std::span<char> bytes);
  void deliver_skipped(SocketId id, std::uint64_t n);
  void deliver_end(SocketId id, int error);
  void hold(Socket& s, std::span<const char> bytes);
  void go_on(SocketId id);
  void read_unbuffered(SocketId id);
  void read_the_rest(SocketId id);
  void finish(SocketId id, int error);
  int run_postponed();
  void retry_accepts(Instant t);

  ReceiveBuffers buffers_;  // outlives the ring, whose they are
  std::unique_ptr<Uring> ring_;
  Fd wakeup_;
  SocketTable<Socket> sockets_;
  Outbox outbox_;
  std::vector<SocketId> behind_;     // have more to send than what is in the outbox
  std::vector<SocketId> postponed_;  // have something to be told without a completion
  std::vector<SocketId> going_on_;   // those of the turn before, while they have theirs
  std::vector<SocketId> starved_;    // listeners that could not accept for want of descriptors
  Instant starved_until_ = kNever;
  std::unordered_map<int, Watched> watched_;
  std::uint32_t watch_serial_ = 0;
  bool lacks_buffers_ = false;
};

}  // namespace thrum::net
