// Link: a pipe of plain bytes to a peer, whatever lies between (TCP or TLS, a name to be looked up, two families to be raced).
// One Link is one connection: dial() once, close() once. It belongs to one thread and one Network.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "net/fault.hpp"
#include "net/reactor.hpp"
#include "net/timers.hpp"
#include "net/way.hpp"
#include "thrum/watcher.hpp"

namespace thrum {
class Boundary;
}

namespace thrum::net {

class LocalAddresses;
class Resolver;
class TcpTally;
class TlsClient;

// When the phases of coming up began and ended; kNever where a phase was not gone through. Connected is who can speak to the
// endpoint: what a proxy needs to hear first is part of it.
struct LinkTimes {
  Instant dns_start = kNever, dns_end = kNever, connect_start = kNever, connect_end = kNever, tls_start = kNever, tls_end = kNever;
  Instant proxy_start = kNever;  // within connecting: the proxy is connected to and spoken to
};

class LinkOwner {
 public:
  virtual ~LinkOwner() = default;
  virtual void on_up() = 0;  // ready to send
  virtual void on_bytes(std::span<const char> bytes) = 0;
  virtual void on_skipped(std::size_t n) = 0;
  virtual void on_sent() = 0;  // a pending send has left
  // The last call. Before on_up(): it could not be opened. After: the peer ended the connection (phase none: in good order)
  // or it broke. The owner may destroy the Link from within.
  virtual void on_down(const Fault& fault) = 0;
};

// What the links of one thread share.
struct Network {
  Reactor& reactor;
  Timers& timers;
  Resolver& resolver;
  // TLS starts when the first link needs it: loading the roots costs milliseconds and megabytes.
  TlsClient& tls;
  LocalAddresses& local;
  TcpTally& tcp;                       // hears of every connection that ends
  const Boundary* boundary = nullptr;  // addresses outside of it are not connected to; null: none is
};

class Link {
 public:
  Link(Network& network, LinkOwner& owner);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Looks up, connects (both families raced: the second starts 250 ms later or when the first fails), speaks to the proxy if
  // there is one on the way, shakes hands.
  // What came of it is told by on_up() or on_down(), never from within dial(). No timeout of its own: the owner closes.
  // `way`, if not null, outlives the link; of several places this connection goes to the one whose `turn` it is.
  void dial(const Endpoint& endpoint, const Way* way = nullptr, std::uint32_t turn = 0);

  bool is_up() const;
  // Sends head, then body. pending: on_sent() follows, and `body` must live until then (or close()); `head` is copied if need be.
  SendOutcome send(std::span<const char> head, std::span<const char> body = {});
  bool is_sending() const;
  Timers& timers() const;  // of its thread
  // True on plain TCP: bytes of no use can be dropped unread. Under TLS they must be decrypted, and a unix socket gives them in
  // any case: on_bytes() delivers them.
  bool can_skip() const;
  void skip(std::uint64_t n);
  // Idempotent. No call of the owner follows. `abort`: RST, so that the local port is free at once.
  void close(bool abort = false);

  const LinkTimes& times() const;
  // What the peers agreed on in ALPN, "" for none.
  std::string_view protocol() const;
  // Who was connected to: of the endpoint, or the proxy on the way. None before that, and on a unix socket.
  std::optional<Address> peer() const;
  // For the tally: how it fares now.
  void look() const;
  // All but what lies above the link: proxy and is_http2.
  ConnectionFacts facts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thrum::net
