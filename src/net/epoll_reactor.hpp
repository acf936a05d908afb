// The reactor on epoll. Sockets are registered once, edge-triggered, for everything, and never touched again.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "net/reactor.hpp"
#include "net/socket_table.hpp"
#include "net/unsent.hpp"

namespace thrum::net {

class EpollReactor final : public Reactor {
 public:
  static Expected<std::unique_ptr<Reactor>> create();

  Io io() const override { return Io::epoll; }
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
  struct Socket {
    Fd fd;
    std::uint32_t generation = 0;
    bool connecting = false;
    bool paused = false;
    bool unread = false;  // readable when it was paused
    bool ended = false;   // on_end was called with 0, or
    bool broken = false;  // with an error
    bool shut_after_send = false;
    bool starved = false;  // a listener that waits for descriptors
    int send_error = 0;    // the kernel tells an error once: what send() met is what the end is then due to
    SocketHandler* handler = nullptr;
    ListenHandler* listener = nullptr;
    std::uint64_t skip = 0;
    Unsent unsent;
  };
  struct Watched {
    WatchHandler* handler;
    std::uint32_t mask;
  };

  EpollReactor(Fd epoll, Fd wakeup);
  void enter(SocketId id, std::uint32_t mask);
  void handle_socket(std::uint32_t slot, std::uint32_t generation, std::uint32_t mask);
  void accept_all(SocketId id);
  void read(SocketId id, std::uint32_t mask);
  void write(SocketId id);
  void look_for_error(SocketId id);
  void finish(SocketId id, int error);
  int go_on();
  void tell_doomed();
  void retry_accepts(Instant t);

  Fd epoll_;
  Fd wakeup_;
  SocketTable<Socket> sockets_;
  std::vector<SocketId> resumed_;   // left with something to read or accept: no new edge will come for it
  std::vector<SocketId> going_on_;  // those of the turn before, while they have theirs
  std::vector<SocketId> doomed_;    // could not be entered into epoll
  std::vector<SocketId> starved_;   // listeners that could not accept for want of descriptors
  Instant starved_until_ = kNever;
  std::unordered_map<int, Watched> watched_;
  std::unique_ptr<char[]> buffer_;
  bool has_pwait2_ = true;
};

}  // namespace thrum::net
