// The reactor on io_uring. Each socket has one receive under way that lasts; what the kernel received is handed out from
// buffers of the ring. Sends are tried at once, as on epoll, so that a request leaves when its hit does and not with the next
// system call; for the rest of one that did not fit, the ring waits until the socket is writable. So the kernel never holds
// on to memory of ours but to those buffers.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

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
  enum class Act : std::uint8_t { none, receive, accept, connect, writable, error, watch, wakeup };
  struct Name {
    Act act;
    SocketId id;
  };

  // What came of a receive that the handler is not to be told yet.
  struct Held {
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
    bool paused = false;
    bool ended = false;   // on_end was called with 0, or
    bool broken = false;  // with an error
    bool shut_after_send = false;
    bool waits_to_write = false;
    bool starved = false;  // a listener that waits for descriptors
    int send_error = 0;    // the kernel tells an error once: what send() met is what the end is then due to
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
  void start_receiving(SocketId id, Socket& s);
  void stop_receiving(SocketId id, Socket& s);
  void start_accepting(SocketId id, const Socket& s);

  // Completions
  bool handle(const io_uring_cqe& c);
  void received(SocketId id, const io_uring_cqe& c);
  void accepted(SocketId id, const io_uring_cqe& c);
  void connected(SocketId id, int result);
  void writable(SocketId id);
  void look_for_error(SocketId id);
  void watched(SocketId id, int result);
  void woken();

  // What handlers are told
  void deliver(SocketId id, std::span<char> bytes);
  void deliver_end(SocketId id, int error);
  void hold(Socket& s, std::span<const char> bytes);
  void go_on(SocketId id);
  void read_the_rest(SocketId id);
  void finish(SocketId id, int error);
  int run_postponed();
  void retry_accepts(Instant t);

  ReceiveBuffers buffers_;  // outlives the ring, whose they are
  std::unique_ptr<Uring> ring_;
  Fd wakeup_;
  SocketTable<Socket> sockets_;
  std::vector<SocketId> postponed_;  // have something to be told without a completion
  std::vector<SocketId> going_on_;   // those of the turn before, while they have theirs
  std::vector<SocketId> starved_;    // listeners that could not accept for want of descriptors
  Instant starved_until_ = kNever;
  std::unordered_map<int, Watched> watched_;
  std::uint32_t watch_serial_ = 0;
  bool lacks_buffers_ = false;
};

}  // namespace thrum::net
