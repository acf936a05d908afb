// What happens to exchanges and connections of a shard: from the hit's start to its record.
#include <sched.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <ranges>

#include "http/status.hpp"
#include "load/collector.hpp"
#include "load/shard.hpp"

namespace thrum::load {
namespace {

constexpr int kExtraStarts = 1;           // per event, beyond the exchanges it ended: a backlog gets smaller by these
constexpr std::uint8_t kMostLosses = 10;  // of one request
constexpr std::size_t kMostAddresses = 256;
constexpr std::size_t kMostReasons = 256;  // of a server's own wording, per shard

Outcome outcome_of(const net::Fault& fault) {
  using Phase = net::Fault::Phase;
  if (fault.at_proxy && fault.phase != Phase::client) return Outcome::proxy;
  switch (fault.phase) {
    case Phase::dns:
      return Outcome::dns;
    case Phase::connect:
      return Outcome::connect;
    case Phase::tls:
      return Outcome::tls;
    case Phase::proxy:
      return Outcome::proxy;
    case Phase::send:
      return Outcome::send;
    case Phase::client:
      return Outcome::client_limit;
    case Phase::none:
    case Phase::receive:
      break;
  }
  return Outcome::truncated;
}

// What goes first is asked for first: thousands may wait for a host that is dead.
template <class T>
void remove(std::deque<T>& list, T value) {
  if (!list.empty() && list.front() == value)
    list.pop_front();
  else
    std::erase(list, value);
}

// A hit that is redirected may open more than one connection.
void add_span(Nanos& sum, Instant from, Instant to) {
  if (from != kNever && to != kNever) sum = (sum == Result::kNone ? Nanos(0) : sum) + (to - from);
}

}  // namespace

std::uint32_t Shard::take_exchange() {
  std::uint32_t index;
  if (free_exchanges_.empty()) {
    index = static_cast<std::uint32_t>(exchanges_.size());
    exchanges_.emplace_back();
  } else {
    index = free_exchanges_.back();
    free_exchanges_.pop_back();
  }
  Exchange& e = exchanges_[index];
  e.in_use = true;
  e.previous = newest_;
  if (newest_ != UINT32_MAX) exchanges_[newest_].next = index;
  newest_ = index;
  if (oldest_ == UINT32_MAX) oldest_ = index;
  ++in_flight_;
  return index;
}

void Shard::free_exchange(std::uint32_t index) {
  Exchange& e = exchanges_[index];
  if (e.request != e.target && e.request->is_owned) delete e.request;
  if (e.check != nullptr) e.check->clear();
  (e.previous == UINT32_MAX ? oldest_ : exchanges_[e.previous].next) = e.next;
  (e.next == UINT32_MAX ? newest_ : exchanges_[e.next].previous) = e.previous;
  e = Exchange{};
  free_exchanges_.push_back(index);
  --in_flight_;
}

// Finds a connection for an exchange that has none: one that is ready, or one to be opened.
void Shard::assign(std::uint32_t index) {
  Pool& pool = pool_of(exchanges_[index].request->route);
  if (Connection* c = take_ready(pool)) {
    note_reuse(index);
    submit(*c, index);
    return;
  }
  pool.waiting.push_back(index);
  if (needs_connection(pool) && has_room(pool)) open_connection(pool);
}

void Shard::submit(Connection& c, std::uint32_t index) {
  Exchange& e = exchanges_[index];
  e.connection = &c;
  e.place = static_cast<std::uint32_t>(c.exchanges.size());
  c.exchanges.push_back(index);
  http::ResponseCapture* receiver = e.capture;
  if (e.check != nullptr) receiver = e.check;  // which hands on to the capture
  const auto outcome = c.session().submit(index, e.request->prepared, e.hit, receiver);
  if (c.is_multiplexed()) flush_later(c);
  if (outcome.state != net::SendOutcome::State::failed) return;
  detach(c, index);
  if (!c.is_multiplexed()) drop(c, true);  // else it carries others, and is settled when it is flushed
  if (!retry(c, index, true)) fail(index, Outcome::send, {net::Fault::Phase::send, net::Fault::Source::os, outcome.error});
}

void Shard::detach(Connection& c, std::uint32_t index) {
  Exchange& e = exchanges_[index];
  const std::uint32_t last = c.exchanges.back();
  c.exchanges[e.place] = last;
  exchanges_[last].place = e.place;
  c.exchanges.pop_back();
  e.connection = nullptr;
}

void Shard::open_connection(Pool& pool) {
  auto owned = std::make_unique<Connection>(*this, pool);
  Connection& c = *owned;
  connections_.emplace(&c, std::move(owned));
  ++pool.open;
  ++open_;
  totals_.connections.peak = std::max(totals_.connections.peak, open_);
  pool.opening.push_back(&c);
  if (pool.ready.capacity() < pool.open) pool.ready.reserve(2 * pool.open);  // so that none of them needs memory to become ready
  opening_window_.began();
  c.dial(pool.route->endpoint, pool.route->way, pool.turn++);
}

void Shard::on_connection_up(Connection& c) {
  remove(c.pool().opening, &c);
  opening_window_.came_up();
  ++totals_.connections.opened;
  count_address(c.link().peer());
  if (!c.is_multiplexed()) {
    c.pool().streams_each = 1;
  } else {
    c.pool().streams_each = std::max<std::uint64_t>(1, c.session().most_streams());
    flush_later(c);
  }
  if (!c.pool().waiting.empty()) {
    Exchange& e = exchanges_[c.pool().waiting.front()];
    const net::LinkTimes& times = c.link().times();
    add_span(e.dns, times.dns_start, times.dns_end);
    add_span(e.connect, times.connect_start, times.connect_end);
    add_span(e.tls, times.tls_start, times.tls_end);
  }
  serve_waiting(c);
}

void Shard::count_address(const std::optional<net::Address>& address) {
  if (!address) return;
  const auto known = std::ranges::find(totals_.addresses, *address, &std::pair<net::Address, std::uint64_t>::first);
  if (known != totals_.addresses.end())
    ++known->second;
  else if (totals_.addresses.size() < kMostAddresses)
    totals_.addresses.emplace_back(*address, 1);
}

// A connection with streams free: first to those that a connection is being opened for, then to those held back. What has met
// a stale connection before gets a fresh one, unless connections are shared: a server that closes kept connections closes many.
void Shard::serve_waiting(Connection& c) {
  Pool& pool = c.pool();
  while (!c.is_dropped && c.session().streams_free() > 0) {
    const auto may_be_served = [&](std::uint32_t i) { return c.served == 0 || c.is_multiplexed() || exchanges_[i].losses == 0; };
    const auto next = std::ranges::find_if(pool.waiting, may_be_served);
    if (next == pool.waiting.end()) break;
    const std::uint32_t index = *next;
    pool.waiting.erase(next);
    if (c.served > 0) note_reuse(index);
    submit(c, index);
  }
  if (!c.is_dropped && !pool.held.empty()) serve_held(c);
  if (!c.is_dropped && c.session().streams_free() > 0) make_ready(c);
}

void Shard::serve_held(Connection& c) {
  Pool& pool = c.pool();
  while (!c.is_dropped && c.session().streams_free() > 0 && !pool.held.empty() && !ending_) {
    if (const Nanos t = clock(); t >= end_) {
      settle_the_end(t);
      continue;
    }
    if (!c.is_ready) pool.ready.push_back(&c);  // the last that became ready is the first to be taken
    c.is_ready = true;
    const Pacer::Late late = start_first_held(pool);
    if (late == Pacer::Late::leaves) continue;
    leave_ready(c);
    if (late == Pacer::Late::waits) return;
  }
}

// For a hit that was held back there is a connection now; the way in which the attack catches up may still be against it.
Pacer::Late Shard::start_first_held(Pool& pool) {
  const HeldHit hit = pool.held.front();
  const Nanos t = clock();
  const Pacer::Late late = is_closed() ? Pacer::Late::leaves : pacer_.leave_late(hit.due, t);
  if (late == Pacer::Late::waits) {
    held_until_ = pacer_.catching_up_from();
    return late;
  }
  pool.held.pop_front();
  --held_;
  last_blocked_by_ = hit.held_by;
  if (late == Pacer::Late::leaves) {
    start_hit(hit.due, hit.request, t);
  } else {
    ++missed_;
    note_missed(1);
    if (hit.request->is_owned) delete hit.request;
  }
  return late;
}

void Shard::drop(Connection& c, bool abort) {
  if (c.is_dropped) return;
  c.is_dropped = true;
  Pool& pool = c.pool();
  if (!c.is_up()) {
    remove(pool.opening, &c);
    opening_window_.failed();
  }
  leave_ready(c);
  --pool.open;
  --open_;
  c.close(abort);
  const auto found = connections_.find(&c);
  graveyard_.push_back(std::move(found->second));
  connections_.erase(found);
}

void Shard::drop_all() {
  while (!connections_.empty()) drop(*connections_.begin()->second, false);
  bury();
}

// Connections may be dropped from within their own calls: they are destroyed when the loop is at its turn's end.
void Shard::bury() { graveyard_.clear(); }

// Drops made room: for exchanges that wait without a connection being opened for them, and for hits held back.
void Shard::refill() {
  held_until_ = Nanos::max();
  for (const auto& pool : pools_) {
    if (pool == nullptr) continue;
    while (needs_connection(*pool) && (has_room(*pool) || make_room(*pool))) open_connection(*pool);
    while (!ending_ && !pool->held.empty() && has_place(*pool)) {
      if (start_first_held(*pool) == Pacer::Late::waits) break;
    }
  }
}

// When the machine lets us open no more, an idle connection elsewhere is worth less than an exchange that waits here.
bool Shard::make_room(const Pool& pool) {
  if (pool.open >= pool.cap) return false;
  for (const auto& other : pools_) {
    if (other == nullptr || other.get() == &pool) continue;
    const auto idle = std::ranges::find_if(other->ready, [](const Connection* c) { return c->exchanges.empty(); });
    if (idle == other->ready.end()) continue;
    drop(**idle, false);
    return true;
  }
  return false;
}

void Shard::on_connection_down(Connection& c, const net::Fault& fault) {
  Pool& pool = c.pool();
  const bool was_up = c.is_up();
  leave_ready(c);
  const std::vector<std::uint32_t> cut_off = c.exchanges;
  for (const std::uint32_t index : cut_off) {
    const bool has_begun = c.session().has_begun(index);
    const int status = c.session().status_seen(index);
    const http::Reach reach = c.session().reach(index);
    detach(c, index);
    if (reach != http::Reach::heard && retry(c, index, reach == http::Reach::unsent)) continue;
    Record record;
    record.status = static_cast<std::uint16_t>(status);
    record.fault = fault;
    record.outcome = outcome_of(fault);
    record.parse_error = has_begun ? http::ParseError::truncated : http::ParseError::empty;
    record.end = clock();
    finish(index, record);
  }
  drop(c, true);
  if (was_up) return;
  ++totals_.connections.failed;
  if (is_preconnecting_ && preconnect_error_.empty()) preconnect_error_ = describe(fault, *pool.route);
  give_up_share(pool, fault);
}

// A connection could not be opened. Its share of those that wait goes with it: all but what the others being opened will carry,
// and one at least.
void Shard::give_up_share(Pool& pool, const net::Fault& fault) {
  const std::uint64_t others = pool.opening.size() * pool.streams_each, waiting = pool.waiting.size();
  const std::uint64_t share = std::min(waiting, std::clamp<std::uint64_t>(waiting > others ? waiting - others : 0, 1, pool.streams_each));
  const auto end = pool.waiting.begin() + static_cast<std::ptrdiff_t>(share);
  const std::vector<std::uint32_t> given_up(pool.waiting.begin(), end);
  pool.waiting.erase(pool.waiting.begin(), end);
  const bool out_of_descriptors = fault.phase == net::Fault::Phase::client && (fault.code == EMFILE || fault.code == ENFILE);
  if (out_of_descriptors && open_ > 0) {
    most_open_ = open_;
    for (const std::uint32_t index : std::views::reverse(given_up)) {  // they keep their order
      if (exchanges_[index].redirects > 0)
        pool.waiting.push_front(index);  // it has left: refill() makes room for it
      else
        put_back(index);
    }
    return;
  }
  const bool out_of_ports = fault.phase == net::Fault::Phase::client && fault.code == EADDRNOTAVAIL;
  for (const std::uint32_t index : given_up) {
    if (out_of_ports) ++totals_.late_by_limit[static_cast<std::size_t>(Limit::local_ports)];  // not late, but not sent either
    fail(index, outcome_of(fault), fault);
  }
}

// A hit that the machine had no descriptor for goes back to those held: it has not left. After the end it is missed.
void Shard::put_back(std::uint32_t index) {
  Exchange& e = exchanges_[index];
  Pool& pool = pool_of(e.request->route);
  delete e.capture;
  --(is_warmup(e) ? warmup_sent_ : sent_);
  last_blocked_by_ = Limit::descriptors;
  if (is_warmup(e) && !is_warming_) {
    // Its time is over.
  } else if (stopping_ || clock() >= end_) {
    if (e.request->is_owned) delete e.request;
    if (!is_closed()) {
      ++missed_;
      note_missed(1);
    }
  } else {
    pool.held.push_front({{e.hit, e.due}, e.request, Limit::descriptors});
    ++held_;
    ending_ = false;
  }
  free_exchange(index);
}

// A kept connection that the server had closed meanwhile is not the target's failure: the request goes again on another
// connection if nothing of a response came, and it either never left or may be repeated (RFC 9110 section 9.2.2).
bool Shard::retry(Connection& c, std::uint32_t index, bool nothing_left) {
  if (c.served == 0) return false;
  if (!nothing_left && !exchanges_[index].request->prepared.is_idempotent) return false;
  if (!may_be_lost_again(index)) return false;
  ready_again(index);
  pool_of(exchanges_[index].request->route).waiting.push_front(index);  // refill() opens a connection for it
  return true;
}

// The server has not looked at a request. Those that it leaves out as it ends the connection go again until they are taken:
// the oldest goes first, and each connection takes some.
bool Shard::submit_later(const Connection& c, std::uint32_t index, bool is_left_out) {
  const bool has_progress = is_left_out || (c.served > 0 && !c.is_reusable());
  if (!has_progress && !may_be_lost_again(index)) return false;
  ready_again(index);
  auto& waiting = pool_of(exchanges_[index].request->route).waiting;
  const auto before = std::ranges::upper_bound(waiting, exchanges_[index].hit, {}, [&](std::uint32_t i) { return exchanges_[i].hit; });
  waiting.insert(before, index);
  return true;
}

bool Shard::may_be_lost_again(std::uint32_t index) {
  Exchange& e = exchanges_[index];
  if (e.losses == kMostLosses) return false;
  ++e.losses;
  return true;
}

void Shard::ready_again(std::uint32_t index) {
  Exchange& e = exchanges_[index];
  e.retries = static_cast<std::uint8_t>(std::min(e.retries + 1, UINT8_MAX));
  if (!is_warmup(e)) ++totals_.connections.stale_retries;
  if (e.capture != nullptr) e.capture->clear();
  if (e.check != nullptr) e.check->clear();
}

void Shard::on_first_byte(std::uint32_t index) {
  Exchange& e = exchanges_[index];
  e.first_byte = e.connection->received_at();
}

void Shard::on_response(Connection& c, std::uint32_t index, const http::Response& response) {
  using http::ParseError;
  detach(c, index);
  ++c.answered_in_turn;
  if (response.is_unprocessed && submit_later(c, index, response.is_left_out)) return;
  if (response.error == ParseError::empty && retry(c, index, false)) return;
  if (is_to_be_followed(response)) return follow_redirect(c, index, response);
  Record record;
  record.end = c.received_at();
  record.status = static_cast<std::uint16_t>(response.status);
  record.parse_error = response.error;
  if (response.error == ParseError::none) {
    note_answer(c, exchanges_[index]);
    record.bytes_in = response.body_bytes;
    judge(index, response, record);
  } else if (response.error == ParseError::not_sent) {
    record.outcome = Outcome::send;
    record.fault = net::Fault::os(net::Fault::Phase::send, static_cast<int>(response.code));
  } else {
    record.protocol_code = response.code;
    if (response.error == ParseError::not_http2) record.reason = own_reason(response.status, response.reason);
    record.outcome =
        response.error == ParseError::truncated || response.error == ParseError::empty ? Outcome::truncated : Outcome::response;
  }
  finish(index, record);
}

// A whole response, followed or not.
void Shard::note_answer(Connection& c, const Exchange& e) {
  ++c.served;
  if (!is_warmup(e)) ++totals_.answered_by[static_cast<std::size_t>(c.is_multiplexed() ? http::Protocol::http2 : http::Protocol::http1)];
  opening_pace_.answered(c.received_at());
}

// The connection has handled what came in; the next hit may be due.
void Shard::on_connection_turn(Connection& c) {
  const int ended = std::exchange(c.answered_in_turn, 0);
  settle(c);
  if (may_be_due(c.received_at())) pump(clock(), ended + kExtraStarts);
}

void Shard::expire(Nanos t) {
  const Nanos timeout = plan_.options.timeout;
  if (timeout.count() <= 0) return;
  while (oldest_ != UINT32_MAX && exchanges_[oldest_].sent + timeout <= t) fail(oldest_, Outcome::timeout, {}, waiting_of(oldest_));
}

Waiting Shard::waiting_of(std::uint32_t index) const {
  const Exchange& e = exchanges_[index];
  if (e.connection != nullptr) {
    const http::Session& session = e.connection->session();
    if (session.has_head(index)) return session.body_bytes(index) > 0 ? Waiting::for_rest_of_body : Waiting::for_body;
    if (session.has_begun(index)) return Waiting::for_rest_of_headers;
    return session.is_sent(index) ? Waiting::for_headers : Waiting::for_sending;
  }
  const Pool& pool = *pools_[e.request->route->index];
  if (pool.opening.empty()) return Waiting::for_connection;
  return waiting_of(pool.opening.front()->link().times());
}

Waiting Shard::waiting_of(const net::LinkTimes& times) {
  if (times.tls_start != kNever) return Waiting::for_handshake;
  if (times.proxy_start != kNever) return Waiting::for_proxy;
  return times.dns_start != kNever && times.dns_end == kNever ? Waiting::for_name : Waiting::for_connect;
}

void Shard::cut_everything() {
  totals_.was_cut = totals_.was_cut || in_flight_ > 0;
  while (oldest_ != UINT32_MAX) fail(oldest_, Outcome::cut);
}

// Ends an exchange from our side, or for want of a connection.
void Shard::fail(std::uint32_t index, Outcome outcome, const net::Fault& fault, Waiting waiting) {
  Exchange& e = exchanges_[index];
  Record record;
  record.outcome = outcome;
  record.fault = fault;
  record.waiting = waiting;
  record.end = clock();
  if (Connection* c = e.connection; c != nullptr) {
    record.status = static_cast<std::uint16_t>(c->session().status_seen(index));
    const bool usable = c->session().cancel(index);
    detach(*c, index);
    if (c->is_multiplexed()) flush_later(*c);
    if (!usable) drop(*c, true);
  } else {
    Pool& pool = pool_of(e.request->route);
    remove(pool.waiting, index);
    // The connection that was being opened for it is given up with it, or a dead host would gather them without end.
    if (!pool.opening.empty() && (pool.opening.size() - 1) * pool.streams_each >= pool.waiting.size()) drop(*pool.opening.front(), true);
  }
  finish(index, record);
}

void Shard::finish(std::uint32_t index, Record& record) {
  Exchange& e = exchanges_[index];
  record.hit = e.hit;
  record.due = e.due;
  record.sent = e.sent;
  record.first_byte = e.first_byte;
  record.dns = e.dns;
  record.connect = e.connect;
  record.tls = e.tls;
  record.redirecting = e.redirecting;
  record.request = e.target;
  record.route = e.request->route;
  record.capture = e.capture;
  record.retries = e.retries;
  record.redirects = e.redirects;
  record.is_closed_mode = is_closed();
  if (e.capture != nullptr && e.capture->was_truncated) ++totals_.truncated_captures;
  if (plan_.options.watcher != nullptr) plan_.options.watcher->on_end(record.hit);
  if (is_warmup(e)) {
    if (is_success(record.outcome)) ++warmup_ok_;
  } else {
    count(record);
  }
  free_exchange(index);
  while (!results_.push(record)) {
    if (own_collector_)
      own_collector_->drain(results_);
    else
      sched_yield();  // the collector is behind by thousands: it needs the core more than we do
  }
}

void Shard::count(const Record& record) {
  ++totals_.finished;
  totals_.latency_sum += static_cast<double>((record.end - record.sent).count());
  if (is_whole_response(record.outcome)) ++answered_;
  if (is_success(record.outcome)) ++ok_;
  if (record.outcome == Outcome::cut) ++totals_.cut;
}

// The server's own words where they differ from the standard's; kept once each, up to a bound.
const std::string* Shard::own_reason(int status, std::string_view reason) {
  return reason.empty() || reason == http::standard_reason(status) ? nullptr : keep_words(reason);
}

const std::string* Shard::keep_words(std::string_view words) {
  const auto known = reasons_.find(words);
  if (known != reasons_.end()) return known->second.get();
  if (reasons_.size() >= kMostReasons) return nullptr;
  auto kept = std::make_unique<std::string>(words);
  const std::string* pointer = kept.get();
  reasons_.emplace(*pointer, std::move(kept));
  return pointer;
}

}  // namespace thrum::load
