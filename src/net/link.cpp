#include "net/link.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "net/local_addresses.hpp"
#include "net/resolver.hpp"
#include "net/socket.hpp"
#include "net/tcp_tally.hpp"
#include "net/tls.hpp"
#include "net/tls_stream.hpp"
#include "net/tunnel.hpp"
#include "thrum/attacker.hpp"

namespace thrum::net {
namespace {

// RFC 8305 section 5, "Connection Attempt Delay".
constexpr auto kNextAttempt = std::chrono::milliseconds(250);

// A listener on a unix socket whose queue is full refuses; TCP would try again by itself, if less often.
constexpr auto kFirstKnock = std::chrono::milliseconds(1), kLongestKnock = std::chrono::milliseconds(64);

// More addresses of ours than these are not tried for one connection when ports run out: they are used in turn.
constexpr std::size_t kMostLocalTries = 8;

// Errors that say little about the target: any other attempt's error is worth more.
bool is_vague(const Fault& f) {
  return f.phase == Fault::Phase::none || (f.source == Fault::Source::os && (f.code == ENETUNREACH || f.code == EHOSTUNREACH ||
                                                                             f.code == EADDRNOTAVAIL || f.code == EAFNOSUPPORT));
}

Fault fault_of_connect(int error) {
  return Fault::os(error == EMFILE || error == ENFILE ? Fault::Phase::client : Fault::Phase::connect, error);
}

struct Started {
  Connecting connecting;
  Fault fault;
};

Started start_connect_from(LocalAddresses& local, const Address& to, std::uint16_t port) {
  const Address* from = nullptr;
  if (!local.is_empty() && local.count(to.is_v6) == 0)
    return {{}, Fault::other(Fault::Phase::connect, to.is_v6 ? Fault::kNoLocalV6 : Fault::kNoLocalV4)};
  Started s;
  for (std::size_t tries = std::clamp<std::size_t>(local.count(to.is_v6), 1, kMostLocalTries); tries > 0; --tries) {
    if (!local.is_empty()) from = &local.next(to.is_v6);
    s.connecting = start_connect(to, port, from);
    if (s.connecting.error != EADDRNOTAVAIL) break;
  }
  const int error = s.connecting.error;
  if (error != 0) s.fault = fault_of_connect(error);
  if (error == EADDRNOTAVAIL && is_out_of_ports(to, from)) s.fault.phase = Fault::Phase::client;
  return s;
}

}  // namespace

// Every call of the owner may destroy the link: nothing of it is touched after one.
class Link::Impl final : Resolver::Lookup, TlsStream::Owner {
 public:
  Impl(Network& network, LinkOwner& owner) : network_(network), owner_(owner), timer_(network.timers, [this] { on_timer(); }) {}
  ~Impl() { close(false); }

  void dial(const Endpoint& endpoint, const Way* way, std::uint32_t turn);
  void close(bool abort);

  bool is_up() const { return state_ == State::up; }
  SendOutcome send(std::span<const char> head, std::span<const char> body) {
    if (!is_up()) return {SendOutcome::State::failed, ENOTCONN};
    return tls_ ? tls_->send(head, body) : send_below(head, body);
  }
  bool is_sending() const { return tls_ ? tls_->is_sending() : is_sending_below(); }
  Timers& timers() const { return network_.timers; }
  bool can_skip() const { return tls_ == nullptr && outer_ == nullptr && !is_unix(); }
  void skip(std::uint64_t n) {
    if (can_skip()) network_.reactor.skip(socket_, n);
  }
  const LinkTimes& times() const { return times_; }
  std::string_view protocol() const { return tls_ ? tls_->protocol() : std::string_view{}; }
  std::optional<Address> peer() const { return peer_; }
  ConnectionFacts facts() const;
  void look() const {
    if (is_up() && !is_unix()) network_.tcp.look(network_.reactor.descriptor(socket_));
  }

 private:
  enum class State : std::uint8_t { idle, connecting, tunnelling, shaking, up, down };

  // One address being tried. The one that comes up stays as the socket's handler.
  struct Attempt final : SocketHandler {
    void on_connected(int error) override { link->connected(*this, error); }
    void on_received(std::span<char> bytes) override { link->outer_ ? link->outer_->received(bytes) : link->received(bytes); }
    void on_skipped(std::size_t n) override { link->owner_.on_skipped(n); }
    void on_sent() override { link->outer_ ? link->outer_->sent() : link->sent(); }
    void on_end(int error) override { link->outer_ ? link->outer_->ended(error) : link->ended(error); }

    Impl* link = nullptr;
    SocketId socket;
    Address address;
    Instant begun = kNever;
  };

  // TLS with the proxy: what lies within it is treated as a socket's bytes are.
  struct Outer final : TlsStream::Owner {
    explicit Outer(Impl& l) : link(l) {}
    void on_tls_up() override { link.reached(); }
    void on_tls_bytes(std::span<const char> bytes) override { link.received(bytes); }
    void on_tls_sent() override { link.sent(); }
    void on_tls_down(const Fault& fault) override { link.outer_down(fault); }
    Impl& link;
  };

  void on_lookup(Resolver::Answer answer) override;
  void on_tls_up() override;
  void on_tls_bytes(std::span<const char> bytes) override { owner_.on_bytes(bytes); }
  void on_tls_sent() override { owner_.on_sent(); }
  void on_tls_down(const Fault& fault) override { go_down(fault); }
  bool is_unix() const { return way_ != nullptr && !way_->unix_path.empty(); }
  const std::string& host() const { return place_ == nullptr ? endpoint_.host : place_->host; }
  std::uint16_t port() const { return place_ == nullptr ? endpoint_.port : place_->port; }
  void on_timer();
  void knock();
  void adopt(Fd socket, const Address& address);
  void look_up_endpoint();
  void look_up_place();
  void endpoint_known(Resolver::Answer answer);
  void fail_later(const Fault& fault);
  void keep_within_bounds(Resolver::Answer& answer) const;
  void start(Resolver::Answer answer);
  bool try_next();
  void connected(Attempt& attempt, int error);
  void start_outer_tls();
  void reached();
  void arrived();
  void start_tls();

  SendOutcome send_below(std::span<const char> head, std::span<const char> body = {}) {
    return outer_ ? outer_->send(head, body) : network_.reactor.send(socket_, head, body);
  }
  bool is_sending_below() const { return outer_ ? outer_->is_sending() : network_.reactor.is_sending(socket_); }
  // What the socket, or the TLS with the proxy, has to tell.
  void received(std::span<const char> bytes) {
    if (tls_) return tls_->received(bytes);
    if (tunnel_) return converse(bytes);
    owner_.on_bytes(bytes);
  }
  void sent() {
    if (tls_) return tls_->sent();
    if (!tunnel_) owner_.on_sent();
  }
  void converse(std::span<const char> bytes);
  bool take(const Tunnel::Step& step);
  void ended(int error);
  void outer_down(const Fault& fault);
  void note(const Fault& fault) {
    if (is_vague(fault_)) fault_ = fault;
  }
  void go_down(const Fault& fault);
  void give_up_attempts();
  void close_socket(SocketId& socket, bool abort);

  Network& network_;
  LinkOwner& owner_;
  Timer timer_;  // to the next attempt, or to telling what was known within dial()
  State state_ = State::idle;
  Endpoint endpoint_;
  const Way* way_ = nullptr;
  const Place* place_ = nullptr;             // of the way's; null: the endpoint's own
  std::optional<Address> endpoint_address_;  // for the tunnel that needs it
  bool looks_up_endpoint_ = false;
  std::uint16_t place_index_ = 0;
  std::chrono::milliseconds knock_again_ = kFirstKnock;
  SocketId socket_;
  std::optional<Address> peer_;
  std::optional<Nanos> opening_;  // how long the kernel took to connect; none: it has not
  Fault fault_;                   // why it will go down, if it does
  LinkTimes times_;
  std::vector<Address> addresses_;  // still to be tried: the last one first
  int pending_ = 0;                 // attempts under way
  Attempt first_;
  Outer outer_owner_{*this};
  std::unique_ptr<TlsStream> outer_;  // with the proxy
  std::unique_ptr<Tunnel> tunnel_;    // until it is open
  std::unique_ptr<TlsStream> tls_;    // with the endpoint
  std::vector<std::unique_ptr<Attempt>> others_;
};

void Link::Impl::dial(const Endpoint& endpoint, const Way* way, std::uint32_t turn) {
  endpoint_ = endpoint;
  way_ = way;
  state_ = State::connecting;
  if (is_unix()) {
    times_.connect_start = now();
    return knock();
  }
  if (way != nullptr && !way->places.empty()) {
    place_index_ = static_cast<std::uint16_t>(turn % way->places.size());
    place_ = &way->places[place_index_];
  }
  if (way != nullptr && way->needs_address) return look_up_endpoint();
  look_up_place();
}

void Link::Impl::look_up_endpoint() {
  looks_up_endpoint_ = true;
  if (auto known = network_.resolver.lookup(endpoint_.host, *this)) return endpoint_known(std::move(*known));
  times_.dns_start = now();
}

void Link::Impl::endpoint_known(Resolver::Answer answer) {
  keep_within_bounds(answer);
  if (answer.addresses.empty()) return fail_later(answer.fault);
  looks_up_endpoint_ = false;
  endpoint_address_ = answer.addresses.front();
  look_up_place();
}

void Link::Impl::look_up_place() {
  if (auto known = network_.resolver.lookup(host(), *this)) return start(std::move(*known));
  if (times_.dns_start == kNever) times_.dns_start = now();
}

// Told from the loop, never from within dial().
void Link::Impl::fail_later(const Fault& fault) {
  fault_ = fault;
  timer_.set(now());
}

void Link::Impl::knock() {
  Connecting c = start_connect(way_->unix_path);
  if (c.error == 0) return adopt(std::move(c.socket), {});
  if (c.error == EAGAIN) {
    timer_.set(now() + knock_again_);
    knock_again_ = std::min(2 * knock_again_, kLongestKnock);
    return;
  }
  fail_later(fault_of_connect(c.error));
}

void Link::Impl::on_lookup(Resolver::Answer answer) {
  times_.dns_end = now();
  if (looks_up_endpoint_) return endpoint_known(std::move(answer));
  start(std::move(answer));
}

// What is out of bounds is as if the name had no such address.
void Link::Impl::keep_within_bounds(Resolver::Answer& answer) const {
  if (network_.boundary == nullptr || answer.addresses.empty()) return;
  std::erase_if(answer.addresses,
                [&](const Address& a) { return !network_.boundary->allows_address(std::span(a.bytes).first(a.is_v6 ? 16 : 4)); });
  if (answer.addresses.empty()) answer.fault = Fault::other(Fault::Phase::connect, Fault::kOutOfBounds);
}

void Link::Impl::start(Resolver::Answer answer) {
  keep_within_bounds(answer);
  times_.connect_start = answer.addresses.empty() ? kNever : now();
  fault_ = answer.fault;
  addresses_ = std::move(answer.addresses);
  std::ranges::reverse(addresses_);
  if (!try_next()) timer_.set(now());  // never from within dial()
}

// Begins the next attempt that gets under way. False: none did, and none is pending.
bool Link::Impl::try_next() {
  timer_.cancel();
  while (!addresses_.empty()) {
    const Address address = addresses_.back();
    addresses_.pop_back();
    Started s = start_connect_from(network_.local, address, port());
    if (s.fault != Fault{}) {
      note(s.fault);
      if (fault_.phase == Fault::Phase::client) addresses_.clear();  // no other address would fare better
      continue;
    }
    adopt(std::move(s.connecting.socket), address);
    if (!addresses_.empty()) timer_.set(now() + kNextAttempt);
    return true;
  }
  return pending_ > 0;
}

void Link::Impl::adopt(Fd socket, const Address& address) {
  Attempt& attempt = first_.socket.is_valid() ? *others_.emplace_back(std::make_unique<Attempt>()) : first_;
  attempt.link = this;
  attempt.address = address;
  attempt.begun = now();
  attempt.socket = network_.reactor.adopt(std::move(socket), attempt, true);
  ++pending_;
}

void Link::Impl::on_timer() {
  if (is_unix() && fault_ == Fault{}) return knock();
  if (!try_next()) go_down(fault_);
}

void Link::Impl::connected(Attempt& attempt, int error) {
  --pending_;
  if (error == 0 && !is_unix() && is_connected_to_itself(network_.reactor.descriptor(attempt.socket), attempt.address, port()))
    error = ECONNREFUSED;
  if (error != 0) {
    close_socket(attempt.socket, true);
    note(fault_of_connect(error));
    if (!try_next()) go_down(fault_);
    return;
  }
  socket_ = std::exchange(attempt.socket, {});
  opening_ = now() - attempt.begun;
  give_up_attempts();
  if (!is_unix()) {
    peer_ = attempt.address;
    network_.resolver.worked(host(), attempt.address);
  }
  if (way_ != nullptr && way_->is_proxied) {
    state_ = State::tunnelling;
    times_.proxy_start = now();
    if (way_->proxy_tls) return start_outer_tls();
  }
  reached();
}

void Link::Impl::start_outer_tls() {
  outer_ = network_.tls.open_outer(network_.reactor, socket_, {host(), port(), true, {}}, outer_owner_);
  if (outer_ == nullptr) return go_down(Fault::other(Fault::Phase::tls, Fault::kTlsSetup));
  outer_->start();
}

// Bytes get to the endpoint, or to its proxy.
void Link::Impl::reached() {
  if (way_ == nullptr || !way_->tunnel) return arrived();
  tunnel_ = way_->tunnel(endpoint_, endpoint_address_ ? &*endpoint_address_ : nullptr);
  take(tunnel_->begin());
}

void Link::Impl::converse(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const Tunnel::Step step = tunnel_->received(bytes);
    const bool is_stuck = step.used == 0 && step.state == Tunnel::State::talking;
    bytes = bytes.subspan(step.used);
    // Whoever is at the other end, a server of HTTP or TLS, speaks when it is spoken to.
    if (is_stuck || (step.state == Tunnel::State::open && !bytes.empty()))
      return go_down(Fault::other(Fault::Phase::proxy, Fault::kNoProxyAnswer));
    if (step.state == Tunnel::State::open) {
      tunnel_.reset();
      return arrived();
    }
    if (!take(step)) return;
  }
}

// False: the link is down.
bool Link::Impl::take(const Tunnel::Step& step) {
  if (step.state == Tunnel::State::refused) {
    go_down(step.fault);
    return false;
  }
  if (step.say.empty()) return true;
  if (is_sending_below()) {  // an answer to what has not been said
    go_down(Fault::other(Fault::Phase::proxy, Fault::kNoProxyAnswer));
    return false;
  }
  send_below(step.say);  // if it failed, ended() follows
  return true;
}

void Link::Impl::arrived() {
  times_.connect_end = now();
  if (endpoint_.tls) return start_tls();
  state_ = State::up;
  owner_.on_up();
}

void Link::Impl::start_tls() {
  state_ = State::shaking;
  times_.tls_start = now();
  tls_ = network_.tls.open(network_.reactor, socket_, endpoint_, *this);
  if (tls_ == nullptr) return go_down(Fault::other(Fault::Phase::tls, Fault::kTlsSetup));
  if (outer_) tls_->lie_within(*outer_);
  tls_->start();
}

void Link::Impl::on_tls_up() {
  times_.tls_end = now();
  state_ = State::up;
  owner_.on_up();
}

ConnectionFacts Link::Impl::facts() const {
  ConnectionFacts facts;
  if (is_unix()) {
    facts.peer = "unix:" + way_->unix_path;
  } else if (peer_) {
    facts.peer = (peer_->is_v6 ? "[" + format_address(*peer_) + "]" : format_address(*peer_)) + ":" + std::to_string(port());
  }
  if (tls_) tls_->tell(facts);
  return facts;
}

void Link::Impl::ended(int error) {
  if (tls_) return tls_->ended(error);
  if (state_ == State::tunnelling)
    return go_down(error == 0 ? Fault::other(Fault::Phase::proxy, Fault::kProxyEnded) : Fault::os(Fault::Phase::proxy, error));
  if (error == 0) return go_down({});
  go_down(Fault::os(is_of_sending(error) ? Fault::Phase::send : Fault::Phase::receive, error));
}

// A proxy that ends its TLS in good order ends what lies within it, too.
void Link::Impl::outer_down(const Fault& fault) {
  if (fault.phase == Fault::Phase::none) return ended(0);
  go_down(fault);
}

void Link::Impl::go_down(const Fault& fault) {
  Fault told = fault;
  told.at_proxy =
      way_ != nullptr && way_->is_proxied && !looks_up_endpoint_ && (state_ == State::connecting || state_ == State::tunnelling);
  close(false);
  told.place = place_index_;
  owner_.on_down(told);
}

void Link::Impl::give_up_attempts() {
  timer_.cancel();
  addresses_.clear();
  if (first_.socket.is_valid()) close_socket(first_.socket, true);
  for (const auto& other : others_)
    if (other->socket.is_valid()) close_socket(other->socket, true);
}

void Link::Impl::close_socket(SocketId& socket, bool abort) {
  if (!is_unix()) {
    const auto opening = &socket == &socket_ ? opening_ : std::nullopt;
    network_.tcp.ends(network_.reactor.descriptor(socket), opening, now());
  }
  network_.reactor.close(std::exchange(socket, {}), abort);
}

void Link::Impl::close(bool abort) {
  leave();
  give_up_attempts();
  if (tls_) tls_->end(!abort);
  if (outer_) outer_->end(!abort);
  if (socket_.is_valid()) close_socket(socket_, abort);
  state_ = State::down;
}

Link::Link(Network& network, LinkOwner& owner) : impl_(std::make_unique<Impl>(network, owner)) {}
Link::~Link() = default;
void Link::dial(const Endpoint& endpoint, const Way* way, std::uint32_t turn) { impl_->dial(endpoint, way, turn); }
bool Link::is_up() const { return impl_->is_up(); }
SendOutcome Link::send(std::span<const char> head, std::span<const char> body) { return impl_->send(head, body); }
bool Link::is_sending() const { return impl_->is_sending(); }
Timers& Link::timers() const { return impl_->timers(); }
bool Link::can_skip() const { return impl_->can_skip(); }
void Link::skip(std::uint64_t n) { impl_->skip(n); }
void Link::close(bool abort) { impl_->close(abort); }
const LinkTimes& Link::times() const { return impl_->times(); }
void Link::look() const { impl_->look(); }
std::optional<Address> Link::peer() const { return impl_->peer(); }
ConnectionFacts Link::facts() const { return impl_->facts(); }
std::string_view Link::protocol() const { return impl_->protocol(); }

}  // namespace thrum::net
