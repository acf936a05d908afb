#include "serve/server.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "serve/connection.hpp"

namespace thrum::serve {
namespace {

constexpr Nanos kLongestTick = std::chrono::seconds(1);
constexpr Nanos kShortestTick = std::chrono::milliseconds(5);

}  // namespace

class Server::Listener final : public net::ListenHandler {
 public:
  Listener(Server& server, net::TlsServer* tls) : server_(server), tls_(tls) {}
  void start(Fd socket) { id_ = server_.reactor_.listen(std::move(socket), *this); }
  void close() { server_.reactor_.close(id_); }
  void on_accepted(Fd socket) override { server_.accept(std::move(socket), tls_); }
  void on_accept_error(int) override { server_.counters_.accept_errors.add(); }

 private:
  Server& server_;
  net::TlsServer* const tls_;
  net::SocketId id_;
};

bool Ticket::is_waiting() const { return server_->connections_[slot_]->awaits(serial_); }
bool Ticket::answer(Response response) const { return server_->connections_[slot_]->answer(serial_, response); }
void Ticket::resume() const { server_->connections_[slot_]->resume(serial_); }

Server::Server(net::Reactor& reactor, net::Timers& timers, Handler& handler, ServerOptions options)
    : reactor_(reactor), handler_(handler), options_(options), tick_(timers, [this] { tick(); }), turn_(timers, [this] { run_turns(); }) {}

Server::~Server() { close(); }

void Server::listen(Fd socket, net::TlsServer* tls) {
  listeners_.push_back(std::make_unique<Listener>(*this, tls));
  listeners_.back()->start(std::move(socket));
}

void Server::close() {
  for (const auto& listener : listeners_) listener->close();
  listeners_.clear();
  for (const auto& connection : connections_) connection->close();
}

void Server::accept(Fd socket, net::TlsServer* tls) {
  counters_.connections_total.add();
  counters_.connections_open.add();
  counters_.connections_peak.raise_to(counters_.connections_open.get());
  if (counters_.connections_open.get() == 1) tick();  // nobody kept the clock
  std::uint32_t slot;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(connections_.size());
    connections_.push_back(std::make_unique<Connection>(*this, slot));
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  connections_[slot]->open(std::move(socket), tls);
}

void Server::release(std::uint32_t slot) {
  free_.push_back(slot);
  counters_.connections_open.take();
}

// Refreshes the clock and the date, ends what has waited too long, and comes again: often enough for the shortest timeout, and
// at each full second of the wall clock.
void Server::tick() {
  now_ = options_.clock();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t second = std::chrono::floor<std::chrono::seconds>(wall).count();
  if (second != date_second_) {
    date_second_ = second;
    date_ = date_header(second);
  }
  for (const auto& connection : connections_)
    if (connection->is_open()) connection->check_time();
  if (counters_.connections_open.get() == 0) return tick_.cancel();
  const Nanos shortest = std::min({options_.idle_timeout, options_.head_timeout, options_.body_timeout, options_.send_timeout});
  const Nanos step = std::clamp(shortest / 4, kShortestTick, kLongestTick);
  const Nanos to_second = std::chrono::seconds(second + 1) - wall;
  tick_.set(now_ + std::min(step, to_second));
}

void Server::take_turn(std::uint32_t slot) {
  turns_.push_back(slot);
  if (!turn_.is_set()) turn_.set(Instant::min());
}

void Server::run_turns() {
  std::vector<std::uint32_t> slots;
  slots.swap(turns_);
  for (const std::uint32_t slot : slots) connections_[slot]->go_on();
}

}  // namespace thrum::serve
