// Which connection of a shard carries what: pools, the list of connections that can take a request, and what HTTP/2 has to
// send, which leaves once per turn of the loop.
#include <algorithm>
#include <cerrno>

#include "load/shard.hpp"

namespace thrum::load {
namespace {

constexpr std::size_t kMostStreams = 250;      // on one connection, unless asked otherwise
constexpr std::size_t kExpectedStreams = 100;  // that a server will allow: the least that RFC 9113 section 6.5.2 recommends

// A request that asks for the end of its connection shares it with none.
std::size_t most_streams(const AttackOptions& o) {
  if (!o.keep_alive) return 1;
  return o.streams == 0 ? kMostStreams : o.streams;
}

}  // namespace

Pool& Shard::pool_of(const Route* route) {
  if (route->index >= pools_.size()) pools_.resize(route->index + 1);
  auto& pool = pools_[route->index];
  if (pool == nullptr) pool = make_pool(route);
  return *pool;
}

std::unique_ptr<Pool> Shard::make_pool(const Route* route) const {
  const AttackOptions& o = plan_.options;
  auto pool = std::make_unique<Pool>();
  pool->route = route;
  pool->turn = slice_.shard;
  pool->cap = share_of(o.max_connections, slice_.shard, slice_.shards);
  if (route->http2 == Route::Http2::always) pool->streams_each = std::min(most_streams(o), kExpectedStreams);
  return pool;
}

bool Shard::speaks_http2(Connection& c) { return c.pool().route->http2 == Route::Http2::always || c.link().protocol() == "h2"; }

void Shard::show(Connection& c, ConnectionWatcher& watcher) {
  ConnectionFacts facts = c.link().facts();
  facts.proxy = c.pool().route->proxy;
  facts.is_http2 = speaks_http2(c);
  watcher.on_connection(facts);
}

std::unique_ptr<http::Session> Shard::make_session(Connection& c) {
  const AttackOptions& o = plan_.options;
  const Pool& pool = c.pool();
  if (o.watcher != nullptr) show(c, *o.watcher);
  if (!speaks_http2(c)) return http::make_http1_session(c.link(), c, http1_);
  // What an earlier connection has learned of the server holds for this one until the server says otherwise.
  const std::size_t expected = pool.streams_each > 1 ? pool.streams_each : kExpectedStreams;
  return http::make_http2_session(c.link(), c, http2_out_,
                                  {.most_streams = most_streams(o), .expected_streams = expected, .memory = &http2_memory_});
}

// The connection that takes the next request, if one is ready; it leaves the list when that was its last stream.
Connection* Shard::take_ready(Pool& pool) {
  while (!pool.ready.empty()) {
    Connection* c = pool.ready.back();
    const std::size_t free = c->is_multiplexed() ? c->session().streams_free() : 1;
    if (free <= 1) {
      pool.ready.pop_back();
      c->is_ready = false;
    }
    if (free > 0) return c;
  }
  return nullptr;
}

void Shard::make_ready(Connection& c) {
  Pool& pool = c.pool();
  const std::size_t others = pool.ready.size() - (c.is_ready ? 1 : 0);
  const bool is_kept = !ending_ && plan_.options.keep_alive && (others < max_idle_ || !c.exchanges.empty());
  if (!is_kept) {
    if (c.exchanges.empty()) drop(c, false);
  } else if (!c.is_ready) {
    c.is_ready = true;
    pool.ready.push_back(&c);
  }
}

void Shard::leave_ready(Connection& c) {
  if (std::exchange(c.is_ready, false)) std::erase(c.pool().ready, &c);
}

// Something has happened on a connection: it is free, or has streams to spare, or is of no more use.
void Shard::settle(Connection& c) {
  if (c.is_multiplexed()) {
    flush_later(c);
    c.pool().streams_each = std::max<std::uint64_t>(1, c.session().most_streams());
  }
  if (!c.is_reusable()) {
    leave_ready(c);
    if (c.exchanges.empty()) drop(c, false);
  } else if (c.exchanges.empty() || c.is_multiplexed()) {
    // An idle one of HTTP/1.1 that got bytes nobody asked for is not reusable, so this one has just finished an exchange.
    serve_waiting(c);
  }
}

// How those fare that carry requests, a few of them now and then: the ones that have waited longest.
void Shard::sample_connections(Nanos t) {
  constexpr Nanos kEvery{500'000'000};
  constexpr int kMost = 8, kSteps = 64;
  sample_at_ = t + kEvery;
  int sampled = 0;
  std::uint32_t index = oldest_;
  for (int step = 0; step < kSteps && sampled < kMost && index != UINT32_MAX; ++step, index = exchanges_[index].next) {
    Connection* const c = exchanges_[index].connection;
    if (c == nullptr) continue;
    c->link().look();
    ++sampled;
  }
}

void Shard::flush_later(Connection& c) {
  if (!std::exchange(c.is_unflushed, true)) unflushed_.push_back(&c);
}

// A flush may end exchanges, whose hits are sent again on connections further down the list, or make room for others.
void Shard::flush_all() {
  for (std::size_t i = 0; i < unflushed_.size(); ++i) {
    Connection& c = *unflushed_[i];
    c.is_unflushed = false;
    if (c.is_dropped) continue;
    const std::size_t free_before = c.session().streams_free();
    const net::SendOutcome outcome = c.session().flush();
    // Other failures are followed by what had come in before, and then by the connection's end.
    const bool is_broken = outcome.state == net::SendOutcome::State::failed && outcome.error == EPROTO && !c.is_dropped;
    if (is_broken) on_connection_down(c, {net::Fault::Phase::send, net::Fault::Source::os, EPROTO});
    // A stream that was reset is free once the server has been told.
    const bool has_changed = !c.is_dropped && (std::exchange(c.answered_in_turn, 0) > 0 || c.session().streams_free() > free_before);
    if (has_changed) settle(c);
    if (is_broken || has_changed) blocked_by_ = Limit::none;  // pump() has another look before the loop sleeps
  }
  unflushed_.clear();
}

}  // namespace thrum::load
