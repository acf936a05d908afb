// Room serve: a small fast HTTP/1.1 server on the reactor. It must not know what is measured, nor what it serves: that is the
// handler's. The built-in target is one handler (demo_site.hpp); a metrics page or a dashboard is another.
//
// A Server belongs to the thread of its reactor and costs nothing while nobody is connected. Per connection it holds a few
// hundred bytes while idle, a request's body only as far as it has come and the handler wants it, and at most one piece of a
// response on its way; a client that does not read is not read from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "net/reactor.hpp"
#include "net/timers.hpp"
#include "net/tls.hpp"
#include "serve/counters.hpp"
#include "serve/request_parser.hpp"
#include "serve/response.hpp"
#include "thrum/error.hpp"

namespace thrum::serve {

class Server;
class Connection;

struct ServerOptions {
  // A connection is closed when nothing came for so long: between requests; since the first byte of a head that is still not
  // complete (408), and for a TLS handshake; since the last byte of a body (408); since the client last took bytes of a response.
  Nanos idle_timeout{60'000'000'000};
  Nanos head_timeout{10'000'000'000};
  Nanos body_timeout{30'000'000'000};
  Nanos send_timeout{60'000'000'000};
  std::uint64_t max_body = 16 << 20;       // bytes of a body that a handler wants to see; what it does not is read over
  std::uint64_t max_buffered = 256 << 20;  // bytes of unfinished requests, all connections together; beyond: 503
  Instant (*clock)() = now;                // a seam for tests
};

// A request that waits for its answer. A value: copy it, keep it, drop it. It must not outlive the server.
class Ticket {
 public:
  // False: the client is gone, or the request was answered before.
  bool is_waiting() const;
  // Now (from within Handler::handle) or later, once. False: nobody is waiting.
  bool answer(Response response) const;
  // The body's source has something to say again.
  void resume() const;

 private:
  friend class Connection;
  Ticket(Server& server, std::uint32_t slot, std::uint32_t serial) : server_(&server), slot_(slot), serial_(serial) {}
  Server* server_;
  std::uint32_t slot_, serial_;
};

struct Request {
  const RequestHead& head;
  std::string_view body;  // BodyUse::content
  std::string_view raw;   // BodyUse::raw: head and body as they came
};

enum class BodyUse : std::uint8_t { discard, content, raw };

class Handler {
 public:
  virtual ~Handler() = default;
  // Asked when the head of a request with a body is complete.
  virtual BodyUse use_of_body(const RequestHead&) { return BodyUse::discard; }
  // The request is complete; its views are valid during the call. Answer through the ticket, now or later.
  virtual void handle(Ticket ticket, const Request& request) = 0;
};

class Server {
 public:
  Server(net::Reactor& reactor, net::Timers& timers, Handler& handler, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Takes a listening socket (listen_address.hpp makes them); any number, plain or TLS. `tls` must outlive the server.
  void listen(Fd socket, net::TlsServer* tls = nullptr);
  // Ends listening and every connection; not from within a handler. Tickets are worth nothing after.
  void close();

  const Counters& counters() const { return counters_; }
  std::uint64_t bytes_buffered() const { return buffered_; }

 private:
  friend class Connection;
  friend class Ticket;
  class Listener;

  void accept(Fd socket, net::TlsServer* tls);
  void release(std::uint32_t slot);
  void tick();
  void run_turns();
  void take_turn(std::uint32_t slot);

  net::Reactor& reactor_;
  Handler& handler_;
  const ServerOptions options_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::unique_ptr<Connection>> connections_;  // by slot
  std::vector<std::uint32_t> free_;
  Counters counters_;

  // Shared by the connections of the thread: used within one call, empty between calls.
  RequestHead head_;
  std::string content_;
  std::string out_;
  std::uint64_t buffered_ = 0;
  Connection* dispatching_ = nullptr;  // whose request the handler has been called with

  // The clock as of the last tick; ticks come at least once a second while somebody is connected.
  net::Timer tick_;
  Instant now_{};
  std::int64_t date_second_ = -1;
  std::string date_;  // the whole header line

  net::Timer turn_;  // connections that have had their share of a turn and go on in the next
  std::vector<std::uint32_t> turns_;
};

}  // namespace thrum::serve
